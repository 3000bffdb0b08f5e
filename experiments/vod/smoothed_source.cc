/* SPDX-License-Identifier: LGPL-2.1-or-later */
// A source behind the smoother, see smoothed_source.h.
#include "vod/smoothed_source.h"

#include <stdexcept>

#include "common/clock.h"

namespace sim
{

SmoothedSource::SmoothedSource (std::unique_ptr<PacketSource> inner, double window_s)
    : m_inner (std::move (inner))
{
  if (tfrc_smoother_new (&m_smoother, static_cast<uint64_t> (ToNs (window_s))) != TFRC_OK)
    throw std::invalid_argument ("no smoother has a window of " + std::to_string (window_s) + " s");
}

SmoothedSource::~SmoothedSource ()
{
  tfrc_smoother_free (m_smoother);
}

void
SmoothedSource::Start (std::function<void ()> ready)
{
  m_ready = std::move (ready);
  m_inner->Start ([this] { Offer (); });
  Offer ();
}

// The smoother has to see every packet when it is due, even if TFRC does not ask for one.
void
SmoothedSource::Offer ()
{
  Offered packet;

  while (m_inner->Peek (&packet)) {
    m_inner->Pop ();
    tfrc_smoother_offer (m_smoother, packet.payload_bytes, static_cast<uint64_t> (NowNs ()));
    m_waiting.push_back (packet);
  }
  if (m_asked && !m_waiting.empty ())
    m_next.SetAt (tfrc_smoother_next_ns (m_smoother));
}

bool
SmoothedSource::Peek (Offered *next)
{
  m_asked = m_waiting.empty ()
      || tfrc_smoother_next_ns (m_smoother) > static_cast<uint64_t> (NowNs ());
  if (m_asked) {
    if (!m_waiting.empty ())
      m_next.SetAt (tfrc_smoother_next_ns (m_smoother));
    return false;
  }
  *next = m_waiting.front ();
  return true;
}

void
SmoothedSource::Pop ()
{
  if (m_waiting.empty ())
    return;
  tfrc_smoother_take (m_smoother, m_waiting.front ().payload_bytes);
  m_waiting.pop_front ();
}

} // namespace sim
