/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The loss classifier's verdicts, see verdicts.h.
#include "enhanced/verdicts.h"

#include <limits>

namespace sim
{

namespace
{

double
Fraction (uint64_t part, uint64_t whole)
{
  return whole > 0 ? static_cast<double> (part) / static_cast<double> (whole)
                   : std::numeric_limits<double>::quiet_NaN ();
}

} // namespace

Verdicts::Verdicts (TfrcFlow *flow) : m_receiver (flow->Receiver ())
{
  flow->OnReceived ([this] (const Delivery &packet) { OnReceived (packet); });
}

// Between two packets that arrive there is one gap at most, and each arrival confirms one gap at
// most. So the counts of the receiver grow by the packets of one gap.
void
Verdicts::OnReceived (const Delivery &packet)
{
  TfrcReceiverStats stats = m_receiver->Stats ();

  // The receiver does not know of packets that were lost before the first that arrived.
  if (m_started && packet.index > m_next_index)
    m_waiting.push_back ({ m_next_index, packet.index - m_next_index });
  m_started = true;
  m_next_index = packet.index + 1;
  if (stats.packets_lost == m_lost || m_waiting.empty ())
    return;
  Judge (m_waiting.front (), stats.link_errors > m_called_link_errors);
  m_waiting.pop_front ();
  m_lost = stats.packets_lost;
  m_called_link_errors = stats.link_errors;
}

void
Verdicts::Judge (const Gap &gap, bool link_error)
{
  for (uint64_t index = gap.first; index < gap.first + gap.count; index++) {
    Counts &counts = m_link_errors.count (index) > 0 ? m_of_links : m_of_queues;

    counts.judged++;
    counts.called_link_errors += link_error;
  }
}

void
Verdicts::AddTo (Result *result) const
{
  result->Set ("judged_link_errors", static_cast<double> (m_of_links.judged));
  result->Set ("judged_queue_drops", static_cast<double> (m_of_queues.judged));
  result->Set ("false_congestion",
      Fraction (m_of_links.judged - m_of_links.called_link_errors, m_of_links.judged));
  result->Set ("false_link_error", Fraction (m_of_queues.called_link_errors, m_of_queues.judged));
}

} // namespace sim
