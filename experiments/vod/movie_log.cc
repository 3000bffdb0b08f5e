/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Times of the packets of a movie, see movie_log.h.
#include "vod/movie_log.h"

#include <algorithm>

#include "common/clock.h"

namespace sim
{

namespace
{

double
Seconds (int64_t time_ns)
{
  return static_cast<double> (time_ns) / kNsPerS;
}

} // namespace

void
MovieLog::OnOffered (int64_t due_ns)
{
  m_packets.push_back ({ due_ns, kNever, kNever });
  m_is_offered = true;
}

void
MovieLog::OnSent (const Delivery &packet)
{
  if (!m_is_offered)
    m_packets.push_back ({ packet.due_ns, kNever, kNever });
  // Of packets that are due at the same time, the first that has not been sent.
  auto found = m_is_offered ? std::find_if (
                   std::lower_bound (m_packets.begin (), m_packets.end (), packet.due_ns,
                       [] (const Times &times, int64_t due_ns) { return times.due_ns < due_ns; }),
                   m_packets.end (), [] (const Times &times) { return times.sent_ns == kNever; })
                            : m_packets.end () - 1;
  found->sent_ns = packet.sent_ns;
  m_sent.push_back (static_cast<size_t> (found - m_packets.begin ()));
}

void
MovieLog::OnReceived (const Delivery &packet)
{
  m_packets.at (m_sent.at (packet.index)).arrived_ns = packet.arrived_ns;
}

MovieMeasures
MovieLog::Measure (double skip_start_s, double duration_s, double skip_end_s) const
{
  MovieMeasures found;
  int64_t sender_ns = 0, network_ns = 0, sender_max_ns = 0, iptd_max_ns = 0;

  if (m_packets.empty ())
    return found;
  int64_t from_ns = m_packets.front ().due_ns + ToNs (skip_start_s);
  int64_t to_ns = std::min (
      from_ns + ToNs (duration_s), m_packets.back ().due_ns - ToNs (skip_end_s));
  for (const Times &packet : m_packets) {
    if (packet.due_ns < from_ns || packet.due_ns > to_ns)
      continue;
    found.packets++;
    if (packet.arrived_ns == kNever) {
      found.lost++;
      continue;
    }
    sender_ns += packet.sent_ns - packet.due_ns;
    network_ns += packet.arrived_ns - packet.sent_ns;
    sender_max_ns = std::max (sender_max_ns, packet.sent_ns - packet.due_ns);
    iptd_max_ns = std::max (iptd_max_ns, packet.arrived_ns - packet.due_ns);
  }
  double arrived = std::max (1.0, static_cast<double> (found.packets - found.lost));
  found.sender_mean_s = Seconds (sender_ns) / arrived;
  found.network_mean_s = Seconds (network_ns) / arrived;
  found.iptd_mean_s = Seconds (sender_ns + network_ns) / arrived;
  found.sender_max_s = Seconds (sender_max_ns);
  found.iptd_max_s = Seconds (iptd_max_ns);
  return found;
}

void
MovieLog::AddTo (Table *table, double number) const
{
  for (const Times &packet : m_packets) {
    int64_t origin_ns = m_packets.front ().due_ns;
    auto cell = [origin_ns] (int64_t time_ns) -> Table::Cell {
      if (time_ns == kNever)
        return std::string ();
      return static_cast<double> (time_ns - origin_ns);
    };

    table->Add ({ number, cell (packet.due_ns), cell (packet.sent_ns), cell (packet.arrived_ns) });
  }
}

} // namespace sim
