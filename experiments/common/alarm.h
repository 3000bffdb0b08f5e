/* SPDX-License-Identifier: LGPL-2.1-or-later */
// A deadline of the library as an ns-3 event.  It can be set anew at any time, and rings when it is
// reached.
#ifndef SIM_ALARM_H
#define SIM_ALARM_H

#include <algorithm>
#include <functional>
#include <utility>

#include <ns3/event-id.h>

#include <tfrc/tfrc.h>

#include "clock.h"

namespace sim
{

class Alarm
{
public:
  explicit Alarm (std::function<void ()> ring) : m_ring (std::move (ring))
  {
  }
  Alarm (const Alarm &) = delete;
  Alarm &operator= (const Alarm &) = delete;
  ~Alarm ()
  {
    Cancel ();
  }

  // Rings at this time, or now if it is past, and at no other time.
  void
  SetAt (uint64_t time_ns)
  {
    if (!m_event.IsExpired () && m_event.GetTs () == time_ns)
      return;
    Cancel ();
    Schedule (time_ns);
  }

  // Rings at this time or earlier: for deadlines that move away all the time. The listener checks
  // whether the deadline is reached.
  void
  SetBy (uint64_t time_ns)
  {
    if (!m_event.IsExpired () && m_event.GetTs () <= time_ns)
      return;
    Cancel ();
    Schedule (time_ns);
  }

  void
  Cancel ()
  {
    m_event.Cancel ();
  }

private:
  void
  Schedule (uint64_t time_ns)
  {
    if (time_ns != TFRC_TIME_NEVER)
      m_event = ns3::Simulator::Schedule (
          ns3::NanoSeconds (std::max (static_cast<int64_t> (time_ns) - NowNs (), int64_t{ 0 })),
          [this] { m_ring (); });
  }

  std::function<void ()> m_ring;
  ns3::EventId m_event;
};

} // namespace sim
#endif
