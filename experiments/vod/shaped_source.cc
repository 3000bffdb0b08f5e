/* SPDX-License-Identifier: LGPL-2.1-or-later */
// A token bucket of one packet, see shaped_source.h.
#include "vod/shaped_source.h"

#include "common/clock.h"

namespace sim
{

ShapedSource::ShapedSource (std::unique_ptr<PacketSource> inner, double rate_bps)
    : m_inner (std::move (inner)), m_rate_bps (rate_bps)
{
}

ShapedSource::~ShapedSource ()
{
  m_event.Cancel ();
}

void
ShapedSource::Start (std::function<void ()> ready)
{
  m_ready = std::move (ready);
  m_inner->Start (m_ready);
}

bool
ShapedSource::Peek (Offered *next)
{
  if (!m_inner->Peek (next))
    return false;
  if (NowNs () >= m_free_ns)
    return true;
  // A caller that asks too early is notified when the packet may leave.
  if (!m_event.IsRunning ())
    m_event = ns3::Simulator::Schedule (
        ns3::NanoSeconds (m_free_ns - NowNs ()), [this] { m_ready (); });
  return false;
}

void
ShapedSource::Pop ()
{
  Offered taken;

  if (!Peek (&taken))
    return;
  m_free_ns = NowNs () + ToNs (8 * static_cast<double> (taken.payload_bytes) / m_rate_bps);
  m_inner->Pop ();
}

} // namespace sim
