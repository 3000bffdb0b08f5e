/* SPDX-License-Identifier: LGPL-2.1-or-later */
// What the receiver's loss classifier makes of each lost packet, beside the true cause of the loss.
#ifndef SIM_ENHANCED_VERDICTS_H
#define SIM_ENHANCED_VERDICTS_H

#include <cstdint>
#include <deque>
#include <unordered_set>

#include "common/result.h"
#include "common/tfrc_app.h"

namespace sim
{

// Counts the losses of a flow whose packets never overtake each other. Has to outlive the
// simulation.
class Verdicts
{
public:
  explicit Verdicts (TfrcFlow *flow);
  Verdicts (const Verdicts &) = delete;
  Verdicts &operator= (const Verdicts &) = delete;

  // The link has damaged this packet (Delivery::index). All other losses are drops of queues.
  void
  OnLinkError (uint64_t index)
  {
    m_link_errors.insert (index);
  }

  // false_congestion: the fraction of the link errors that the receiver calls congestion.
  // false_link_error: the fraction of the queues' drops that the receiver calls link errors. NaN:
  // there were none.
  void AddTo (Result *result) const;

private:
  // Lost packets between two that arrived
  struct Gap
  {
    uint64_t first;
    uint64_t count;
  };
  struct Counts
  {
    uint64_t judged = 0;
    uint64_t called_link_errors = 0;
  };

  void OnReceived (const Delivery &packet);
  void Judge (const Gap &gap, bool link_error);

  ns3::Ptr<TfrcReceiverApp> m_receiver;
  std::unordered_set<uint64_t> m_link_errors;
  std::deque<Gap> m_waiting; // gaps on which the receiver has not decided yet
  bool m_started = false;
  uint64_t m_next_index = 0;
  uint64_t m_lost = 0, m_called_link_errors = 0; // as the receiver counts them
  Counts m_of_links, m_of_queues;
};

} // namespace sim
#endif
