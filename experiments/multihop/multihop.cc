/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The multihop paper's experiment: the share of a chain of congested links that one flow over all
// of them (C1) gets, beside flows over one link each. Goodput counts data delivered once, with
// headers from IP up.
#include <algorithm>
#include <memory>

#include "common/options.h"
#include "common/packet_size.h"
#include "common/result.h"
#include "common/rto_policy.h"
#include "multihop/chain.h"

namespace sim
{

namespace
{

constexpr double kC1StartS = 10;

struct Parameters
{
  ChainOptions chain;
  std::string c1 = "tfrc";
  std::string cross = "tfrc";
  double duration_s = 1000;
  uint32_t tcp_packet_bytes = 1500;
  uint32_t tfrc_packet_bytes = 1500;
  std::string tfrc_rto = "4r";
  TcpOptions tcp;
};

class Experiment
{
public:
  explicit Experiment (const Parameters &parameters);

  void Run (const std::string &output);

private:
  const std::string &
  ControlOf (size_t flow) const
  {
    return flow == 0 ? m_parameters.c1 : m_parameters.cross;
  }
  void AddFlow (size_t flow, double start_s);
  void AddQueue (size_t hop, Direction direction);
  uint32_t
  WireBytes (size_t flow) const
  {
    return ControlOf (flow) == "tfrc" ? m_parameters.tfrc_packet_bytes
                                      : m_parameters.tcp_packet_bytes;
  }
  double GoodputBps (size_t flow) const;
  double SentBps (size_t flow) const;
  void WriteFlows (const std::string &output) const;

  Parameters m_parameters;
  Window m_window;
  Chain m_chain;
  FlowTable m_table;
  LossEventMeter m_losses;
  std::vector<std::unique_ptr<GreedyFlow>> m_flows;
  std::vector<std::unique_ptr<FlowMeter>> m_meters;
  std::vector<std::unique_ptr<QueueMeter>> m_queues;
};

Experiment::Experiment (const Parameters &parameters)
    : m_parameters (parameters), m_window (Window::Seconds (kC1StartS, parameters.duration_s)),
      m_chain (parameters.chain), m_losses (static_cast<int> (m_chain.Flows ().size ()), m_window)
{
  auto start_s = ns3::CreateObject<ns3::UniformRandomVariable> ();

  ConfigureTcp (parameters.tcp);
  for (size_t flow = 0; flow < m_chain.Flows ().size (); flow++)
    AddFlow (flow, flow == 0 ? kC1StartS : start_s->GetValue (0, 1));
  m_flows[0]->Observe (m_window);
  for (size_t hop = 0; hop < m_chain.Hops ().size (); hop++) {
    AddQueue (hop, Direction::kForward);
    AddQueue (hop, Direction::kBackward);
  }
}

void
Experiment::AddFlow (size_t flow, double start_s)
{
  const Endpoints &endpoints = m_chain.EndpointsOf (flow);
  const std::string &control = ControlOf (flow);
  double base_rtt_s = m_chain.BaseRttS (flow);

  m_flows.push_back (
      std::make_unique<GreedyFlow> (control, endpoints, m_parameters.tfrc_packet_bytes,
          FindRtoPolicy (m_parameters.tfrc_rto), start_s, m_parameters.duration_s));
  m_meters.push_back (std::make_unique<FlowMeter> (m_window));
  m_flows.back ()->OnDelivered (m_meters.back ()->Counter ());
  m_table.Add (
      endpoints, control == "tfrc" ? Protocol::kUdp : Protocol::kTcp, static_cast<int> (flow));
  m_losses.SetRtt (static_cast<int> (flow), [sender = m_flows.back ().get (), base_rtt_s] {
    return std::max (sender->RttS (), base_rtt_s);
  });
}

void
Experiment::AddQueue (size_t hop, Direction direction)
{
  m_queues.push_back (
      std::make_unique<QueueMeter> (m_chain.Hops ()[hop], direction, m_table, m_window));
  // A packet counts as sent at the first queue of its flow.
  m_queues.back ()->OnArrival ([this, hop] (int flow) {
    if (flow != FlowTable::kNone && m_chain.Flows ()[static_cast<size_t> (flow)].hop == hop)
      m_losses.OnSent (flow);
  });
  m_queues.back ()->OnDrop ([this] (int flow) {
    if (flow != FlowTable::kNone)
      m_losses.OnDrop (flow);
  });
}

double
Experiment::GoodputBps (size_t flow) const
{
  uint32_t wire_bytes = WireBytes (flow);
  uint32_t payload_bytes = ControlOf (flow) == "tfrc" ? TfrcPayload (wire_bytes)
                                                      : TcpSegment (wire_bytes);

  return m_meters[flow]->RateBps () * wire_bytes / payload_bytes;
}

// Counts all packets of data that come to the flow's first queue, whether they arrive or not.
double
Experiment::SentBps (size_t flow) const
{
  return 8.0 * WireBytes (flow) * static_cast<double> (m_losses.Sent (static_cast<int> (flow)))
      / m_window.LengthS ();
}

void
Experiment::WriteFlows (const std::string &output) const
{
  Table table ({ "flow", "control", "from", "to", "goodput_bps", "packets_sent", "packets_dropped",
      "loss_events", "loss_rate", "loss_event_rate" });

  for (size_t flow = 0; flow < m_flows.size (); flow++) {
    const ChainFlow &path = m_chain.Flows ()[flow];
    int number = static_cast<int> (flow);

    table.Add ({ static_cast<double> (flow + 1), ControlOf (flow),
        static_cast<double> (path.from_router), static_cast<double> (path.to_router),
        GoodputBps (flow), static_cast<double> (m_losses.Sent (number)),
        static_cast<double> (m_losses.Drops (number)),
        static_cast<double> (m_losses.Events (number)), m_losses.LossRate (number),
        m_losses.LossEventRate (number) });
  }
  table.Write (output, "flows");
}

void
Experiment::Run (const std::string &output)
{
  Result result;
  double cross_bps = 0;
  uint64_t dropped = 0;
  size_t hops = m_chain.Hops ().size ();
  EquationInputs inputs;

  ns3::Simulator::Stop (ToTime (m_parameters.duration_s));
  ns3::Simulator::Run ();
  inputs = m_flows[0]->Inputs ();

  for (size_t flow = 1; flow < m_flows.size (); flow += 2)
    cross_bps += GoodputBps (flow) / static_cast<double> (hops);
  for (const auto &queue : m_queues)
    dropped += queue->Dropped ();
  result.Set ("c1_bps", GoodputBps (0));
  result.Set ("cross_bps", cross_bps);
  result.Set ("utilisation", (GoodputBps (0) + cross_bps) / m_parameters.chain.rate_bps);
  result.Set ("c1_loss_rate", m_losses.LossRate (0));
  result.Set ("c1_loss_event_rate", m_losses.LossEventRate (0));
  result.Set ("c1_sent_bps", SentBps (0));
  result.Set ("c1_rtt_s", inputs.rtt_s);
  result.Set ("c1_rto_s", inputs.rto_s);
  result.Set ("dropped_packets", static_cast<double> (dropped));
  result.Set ("queue_delay_mean_s", m_queues[0]->MeanDelayS ());
  result.Write (output);
  WriteFlows (output);
  ns3::Simulator::Destroy ();
}

} // namespace

} // namespace sim

int
main (int argc, char **argv)
{
  sim::Parameters parameters;
  sim::Options options (
      "One flow over N congested links, beside a flow over each in either direction.");

  options.Add ("hops", &parameters.chain.hops, "congested links", 1, 100);
  options.Add ("buffer_packets", &parameters.chain.buffer_packets,
      "drop-tail queue of each of them", 1, 100000);
  options.Add ("c1", &parameters.c1, "control of the flow over all links", { "tfrc", "reno" });
  options.Add ("cross", &parameters.cross, "control of all others", { "tfrc", "reno" });
  options.Add (
      "duration_s", &parameters.duration_s, "C1 starts at 10 s; measured from then", 11, 1e6);
  options.Add ("tfrc_packet_bytes", &parameters.tfrc_packet_bytes,
      "TFRC's packets, headers from IP up", 100, 1500);
  options.Add (
      "tfrc_rto", &parameters.tfrc_rto, "t_RTO in TFRC's equation", sim::RtoPolicyNames ());
  options.Add (
      "min_rto_s", &parameters.tcp.min_rto_s, "TCP's least retransmission timeout", 0.001, 60);
  options.Add (
      "delayed_ack_s", &parameters.tcp.delayed_ack_s, "longest that TCP delays an ACK", 0.001, 0.5);
  options.Parse (argc, argv);
  parameters.tcp.segment_bytes = sim::TcpSegment (parameters.tcp_packet_bytes);
  sim::Experiment (parameters).Run (options.Output ());
  return 0;
}
