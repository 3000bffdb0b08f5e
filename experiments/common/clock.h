/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The simulation's clock in the library's units, and time windows for measurements.
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include <cmath>
#include <cstdint>
#include <limits>

#include <ns3/nstime.h>
#include <ns3/simulator.h>

namespace sim
{

constexpr double kNsPerS = 1e9;

inline int64_t
NowNs ()
{
  return ns3::Simulator::Now ().GetNanoSeconds ();
}

inline int64_t
ToNs (double seconds)
{
  return std::llround (seconds * kNsPerS);
}

inline ns3::Time
ToTime (double seconds)
{
  return ns3::NanoSeconds (ToNs (seconds));
}

// From from_ns on, before to_ns.
struct Window
{
  int64_t from_ns = 0;
  int64_t to_ns = std::numeric_limits<int64_t>::max ();

  static Window
  Seconds (double from_s, double to_s)
  {
    return { ToNs (from_s), ToNs (to_s) };
  }
  bool
  Contains (int64_t time_ns) const
  {
    return time_ns >= from_ns && time_ns < to_ns;
  }
  double
  LengthS () const
  {
    return static_cast<double> (to_ns - from_ns) / kNsPerS;
  }
};

} // namespace sim
#endif
