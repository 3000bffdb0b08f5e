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
MovieLog::OnSent (const Delivery &packet)
{
  m_packets.push_back ({ packet.due_ns, packet.sent_ns, kNever });
}

void
MovieLog::OnReceived (const Delivery &packet)
{
  m_packets.at (packet.index).arrived_ns = packet.arrived_ns;
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
    Table::Cell arrived = std::string ();

    if (packet.arrived_ns != kNever)
      arrived = static_cast<double> (packet.arrived_ns - origin_ns);
    table->Add ({ number, static_cast<double> (packet.due_ns - origin_ns),
        static_cast<double> (packet.sent_ns - origin_ns), arrived });
  }
}

} // namespace sim
