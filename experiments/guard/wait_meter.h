/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Waits of packets in the sender.
#ifndef SIM_WAIT_METER_H
#define SIM_WAIT_METER_H

#include <cstdint>
#include <string>

#include "common/result.h"

namespace sim
{

// Measures packets that are due at or after a given time.
class WaitMeter
{
public:
  explicit WaitMeter (uint64_t from_ns) : m_from_ns (from_ns)
  {
  }

  void Add (uint64_t due_ns, uint64_t left_ns);
  // Writes PREFIXwait_mean_s, PREFIXwait_max_s, and the shares of packets that waited longer than
  // 0.5 s and 1 s.
  void Write (Result *result, const std::string &prefix) const;

private:
  double
  Part (uint64_t packets) const
  {
    return static_cast<double> (packets) / static_cast<double> (m_packets);
  }

  uint64_t m_from_ns;
  uint64_t m_packets = 0;
  uint64_t m_sum_ns = 0;
  uint64_t m_max_ns = 0;
  uint64_t m_over_500ms = 0;
  uint64_t m_over_1s = 0;
};

} // namespace sim
#endif
