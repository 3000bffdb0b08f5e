/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Time series of flows: series.csv has a row for each flow and interval.
#ifndef SIM_FAIRNESS_SERIES_H
#define SIM_FAIRNESS_SERIES_H

#include <cstdint>
#include <string>
#include <vector>

#include "common/result.h"
#include "fairness/contest.h"

namespace sim
{

class Series
{
public:
  Series (Contest &contest, double interval_s);
  Series (const Series &) = delete;
  Series &operator= (const Series &) = delete;

  void
  Write (const std::string &output) const
  {
    m_table.Write (output, "series");
  }

private:
  struct Watched
  {
    uint64_t bytes = 0;
    uint32_t window_bytes = 0;
    uint64_t timeouts = 0;
    uint64_t recoveries = 0;
  };

  void HookTcp (size_t flow);
  void Sample ();

  Contest &m_contest;
  double m_interval_s;
  std::vector<Watched> m_watched;
  Table m_table;
};

} // namespace sim
#endif
