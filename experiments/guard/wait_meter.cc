/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Waits of packets in the sender, see wait_meter.h.
#include "wait_meter.h"

#include <algorithm>

#include "common/clock.h"

namespace sim
{

void
WaitMeter::Add (uint64_t due_ns, uint64_t left_ns)
{
  uint64_t wait_ns = left_ns - due_ns;

  if (due_ns < m_from_ns)
    return;
  m_packets++;
  m_sum_ns += wait_ns;
  m_max_ns = std::max (m_max_ns, wait_ns);
  m_over_500ms += wait_ns > 500'000'000;
  m_over_1s += wait_ns > 1'000'000'000;
}

void
WaitMeter::Write (Result *result, const std::string &prefix) const
{
  result->Set (prefix + "wait_mean_s", Part (m_sum_ns) / kNsPerS);
  result->Set (prefix + "wait_max_s", static_cast<double> (m_max_ns) / kNsPerS);
  result->Set (prefix + "late_500ms", Part (m_over_500ms));
  result->Set (prefix + "late_1s", Part (m_over_1s));
}

} // namespace sim
