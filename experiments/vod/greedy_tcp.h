/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Greedy TCP flows beside the movies, and their results at the bottleneck: the paper's Figs 5 and
// 6.
#ifndef SIM_VOD_GREEDY_TCP_H
#define SIM_VOD_GREEDY_TCP_H

#include <memory>
#include <vector>

#include "common/meter.h"
#include "common/result.h"
#include "common/tcp.h"

namespace sim
{

class GreedyTcp
{
public:
  // The paper's TCP: Reno with the least RTO of Linux, as in the testbed's kernel.
  static TcpOptions Reno ();

  // Flows start at random times of the first start_s. Throughput counts in the window; losses count
  // in the whole run, as in the testbed.
  GreedyTcp (const Endpoints &endpoints, const TcpOptions &options, uint32_t flows, double start_s,
      double stop_s, const Link &bottleneck, const Window &window);
  GreedyTcp (const GreedyTcp &) = delete;
  GreedyTcp &operator= (const GreedyTcp &) = delete;

  // Adds the results of the first flow, as an example, and of all flows together.
  void AddTo (Result *result) const;

private:
  double Iplr (uint64_t dropped, uint64_t arrived) const;

  FlowTable m_table;
  QueueMeter m_queue;
  std::vector<std::unique_ptr<TcpFlow>> m_flows;
  std::vector<std::unique_ptr<FlowMeter>> m_meters;
};

} // namespace sim
#endif
