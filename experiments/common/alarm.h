// A deadline of the library's as an ns-3 event: set anew all the time, rung when it is reached.
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

  // Rings then, or now if that is past, and at no other time.
  void
  SetAt (uint64_t time_ns)
  {
    if (!m_event.IsExpired () && m_event.GetTs () == time_ns)
      return;
    Cancel ();
    Schedule (time_ns);
  }

  // Rings then at the latest: for deadlines that move away all the time. Who hears it looks whether it is time.
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
