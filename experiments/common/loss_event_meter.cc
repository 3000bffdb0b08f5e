/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The network's loss events, see meter.h.
#include "meter.h"

#include "options.h"

namespace sim
{

void
LossEventMeter::SetRtt (int flow, double rtt_s)
{
  SetRtt (flow, [rtt_s] { return rtt_s; });
}

void
LossEventMeter::SetRtt (int flow, std::function<double ()> rtt_s)
{
  m_flows.at (static_cast<size_t> (flow)).rtt_s = std::move (rtt_s);
}

void
LossEventMeter::Watch (QueueMeter &queue, bool first)
{
  if (first)
    queue.OnArrival ([this] (int flow) { OnSent (flow); });
  queue.OnDrop ([this] (int flow) { OnDrop (flow); });
}

void
LossEventMeter::OnSent (int flow)
{
  if (Knows (flow) && m_window.Contains (NowNs ()))
    m_flows[static_cast<size_t> (flow)].sent++;
}

void
LossEventMeter::OnDrop (int flow)
{
  int64_t now_ns = NowNs ();

  if (!Knows (flow))
    return;

  Flow &state = m_flows[static_cast<size_t> (flow)];
  bool counts = m_window.Contains (now_ns);

  state.drops += counts;
  if (now_ns < state.event_end_ns)
    return;
  if (!state.rtt_s)
    Fail ("the round-trip time of flow " + std::to_string (flow) + " was not given");
  state.event_end_ns = now_ns + ToNs (state.rtt_s ());
  state.events += counts;
}

double
LossEventMeter::LossRate (int flow) const
{
  const Flow &state = At (flow);

  return state.sent > 0 ? static_cast<double> (state.drops) / static_cast<double> (state.sent) : 0;
}

double
LossEventMeter::LossEventRate (int flow) const
{
  const Flow &state = At (flow);

  return state.sent > 0 ? static_cast<double> (state.events) / static_cast<double> (state.sent) : 0;
}

} // namespace sim
