/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The flows that are compared, see flows.h.
#include "limits/flows.h"

#include <limits>
#include <utility>

#include "common/packet_size.h"
#include "common/source.h"

namespace sim
{

namespace
{

constexpr double kCbrRatesBps[] = { 16e3, 20e3, 24e3, 28e3, 32e3, 40e3, 48e3, 56e3, 64e3, 80e3,
  165e3, 195e3, 500e3, 1e6 };
constexpr double kCbrRandomness = 1; // gaps of 0.5 to 1.5 times the mean
constexpr double kNone = std::numeric_limits<double>::quiet_NaN ();

} // namespace

ComparedFlows::ComparedFlows (Dumbbell &dumbbell, const FlowOptions &options)
    : m_dumbbell (dumbbell), m_options (options),
      m_random (ns3::CreateObject<ns3::UniformRandomVariable> ())
{
  uint32_t host = 0;

  for (double rate_scale : options.rate_scales)
    for (uint32_t i = 0; i < options.tfrc; i++)
      AddTfrc (dumbbell.Hosts (i), rate_scale);
  for (uint32_t i = 0; i < options.tcp; i++)
    AddTcp (dumbbell.Hosts (i));
  if (options.cbr)
    for (double rate_bps : kCbrRatesBps)
      AddCbr (dumbbell.Hosts (host++), rate_bps);
  Meter ();
}

ComparedFlows::Flow &
ComparedFlows::Add (const std::string &kind, const Endpoints &endpoints, Protocol protocol)
{
  m_table.Add (endpoints, protocol, static_cast<int> (m_flows.size ()));
  m_flows.emplace_back ();
  m_flows.back ().kind = kind;
  m_flows.back ().endpoints = endpoints;
  return m_flows.back ();
}

void
ComparedFlows::AddTfrc (const Endpoints &endpoints, double rate_scale)
{
  Flow &flow = Add ("tfrc", endpoints, Protocol::kUdp);
  uint32_t payload_bytes = TfrcPayload (m_options.wire_bytes);
  TfrcSenderConfig sender;
  TfrcReceiverConfig receiver;

  tfrc_sender_config_init (&sender);
  sender.segment_size_bytes = payload_bytes;
  sender.rate_scale = rate_scale;
  sender.rto_policy = m_options.rto_policy;
  tfrc_receiver_config_init (&receiver);
  receiver.history_length = m_options.history_length;
  receiver.rto_policy = m_options.rto_policy;
  flow.rate_scale = rate_scale;
  flow.tfrc.emplace (endpoints, sender, receiver, std::make_unique<GreedySource> (payload_bytes),
      StartS (), static_cast<double> (m_options.window.to_ns) / kNsPerS);
  flow.tfrc_observer = std::make_unique<TfrcObserver> (*flow.tfrc, m_options.window);
}

void
ComparedFlows::AddTcp (const Endpoints &endpoints)
{
  Flow &flow = Add ("tcp", endpoints, Protocol::kTcp);
  double start_s = StartS ();

  flow.tcp = std::make_unique<TcpFlow> (
      endpoints, start_s, static_cast<double> (m_options.window.to_ns) / kNsPerS);
  flow.tcp_observer = std::make_unique<TcpObserver> (*flow.tcp, start_s, m_options.window);
}

void
ComparedFlows::AddCbr (const Endpoints &endpoints, double rate_bps)
{
  Flow &flow = Add ("cbr", endpoints, Protocol::kUdp);
  auto source = std::make_unique<CbrSource> (
      rate_bps, UdpPayload (m_options.wire_bytes), kCbrRandomness, kUdpIpBytes);

  flow.offered_bps = rate_bps;
  flow.udp.emplace (endpoints, std::move (source), StartS (),
      static_cast<double> (m_options.window.to_ns) / kNsPerS);
}

void
ComparedFlows::Meter ()
{
  m_queue = std::make_unique<QueueMeter> (
      m_dumbbell.Bottleneck (), Direction::kForward, m_table, m_options.window);
  m_loss_events = std::make_unique<LossEventMeter> (m_table.Size (), m_options.window);
  // All flows use the path's round-trip time, because the flows' own estimates differ.
  for (size_t i = 0; i < m_flows.size (); i++)
    m_loss_events->SetRtt (
        static_cast<int> (i), [this, i] { return m_dumbbell.RttS (m_flows[i].endpoints); });
  m_loss_events->Watch (*m_queue, true);
}

double
ComparedFlows::RateBps (size_t flow) const
{
  return 8.0 * m_options.wire_bytes
      * static_cast<double> (m_queue->Arrived (static_cast<int> (flow)))
      / m_options.window.LengthS ();
}

double
ComparedFlows::MeanRateBps (const std::string &kind, double rate_scale) const
{
  Mean mean;

  for (size_t i = 0; i < m_flows.size (); i++)
    if (m_flows[i].kind == kind && m_flows[i].rate_scale == rate_scale)
      mean.Add (RateBps (i));
  return mean.Value ();
}

Table
ComparedFlows::Rows () const
{
  Table table ({ "flow", "kind", "rate_scale", "offered_bps", "rate_bps", "packets", "drops",
      "loss_events", "rtt_s", "rto_s", "reported_p", "intervals", "mean_interval", "var_interval",
      "mean_predictor", "var_predictor", "covariance", "mean_inverse_predictor", "predicted_gap",
      "fast_recoveries", "timeout_series" });

  for (size_t i = 0; i < m_flows.size (); i++) {
    const Flow &flow = m_flows[i];
    auto number = static_cast<int> (i);
    std::vector<Table::Cell> row = { static_cast<double> (i), flow.kind, flow.rate_scale,
      flow.udp ? flow.offered_bps : kNone, RateBps (i),
      static_cast<double> (m_loss_events->Sent (number)),
      static_cast<double> (m_loss_events->Drops (number)),
      static_cast<double> (m_loss_events->Events (number)) };

    if (flow.tfrc) {
      TfrcLossStatistics statistics;

      tfrc_receiver_get_loss_statistics (flow.tfrc->Receiver ()->Receiver (), &statistics);
      row.insert (row.end (),
          { flow.tfrc_observer->RttS (), flow.tfrc_observer->RtoS (), flow.tfrc_observer->P (),
              static_cast<double> (statistics.intervals) });
      if (statistics.intervals > 0)
        row.insert (row.end (),
            { statistics.mean_interval, statistics.var_interval, statistics.mean_predictor,
                statistics.var_predictor, statistics.covariance, statistics.mean_inverse_predictor,
                statistics.predicted_gap });
      else
        row.insert (row.end (), 7, kNone);
      row.insert (row.end (), 2, kNone);
    } else if (flow.tcp) {
      row.insert (row.end (), { flow.tcp_observer->RttS (), flow.tcp_observer->RtoS () });
      row.insert (row.end (), 9, kNone);
      row.insert (row.end (),
          { static_cast<double> (flow.tcp_observer->FastRecoveries ()),
              static_cast<double> (flow.tcp_observer->TimeoutSeries ()) });
    } else {
      row.insert (row.end (), 13, kNone);
    }
    table.Add (row);
  }
  return table;
}

} // namespace sim
