/* SPDX-License-Identifier: LGPL-2.1-or-later */
// One flow of TFRC or UDP, and optionally TCP, through one bottleneck. The expected results are
// known, so that tests can check experiments/common against them.
#include <algorithm>
#include <memory>
#include <vector>

#include "common/meter.h"
#include "common/net.h"
#include "common/options.h"
#include "common/packet_size.h"
#include "common/result.h"
#include "common/source.h"
#include "common/tcp.h"
#include "common/tfrc_app.h"
#include "common/udp_app.h"

namespace sim
{

namespace
{

constexpr uint16_t kFirstPort = 5004;

struct Parameters
{
  std::string transport = "tfrc";
  std::string source = "greedy";
  double cbr_bps = 500e3;
  double randomness = 0;
  std::string schedule;
  double offset_s = 0;
  bool loop = false;
  uint32_t wire_bytes = 1000;
  uint32_t tcp = 0;
  bool noise = false;
  double rate_bps = 1e6;
  double delay_s = 0.02;
  std::string queue = "droptail";
  uint32_t packets = 20;
  double duration_s = 60;
  double warmup_s = 0;
};

void
AddOptions (Options *options, Parameters *p)
{
  options->Add ("transport", &p->transport, "of flow 0", { "tfrc", "udp" });
  options->Add ("source", &p->source, "of flow 0", { "greedy", "cbr", "schedule" });
  options->Add ("cbr_bps", &p->cbr_bps, "rate of the source cbr, on the wire", 1, 1e10);
  options->Add ("randomness", &p->randomness, "of its gaps", 0, 2);
  options->Add ("schedule", &p->schedule, "CSV file of the source schedule");
  options->Add ("offset_s", &p->offset_s, "where in it to begin", 0, 1e6);
  options->Add ("loop", &p->loop, "begin it again at its end");
  options->Add (
      "wire_bytes", &p->wire_bytes, "of a packet with all headers, but of a schedule's", 100, 1500);
  options->Add ("tcp", &p->tcp, "TCP flows beside it", 0, 1000);
  options->Add ("noise", &p->noise,
      "send ten packets a second that are not TFRC's to the receiver of flow 0");
  options->Add ("rate_bps", &p->rate_bps, "of the bottleneck", 1000, 1e10);
  options->Add ("delay_s", &p->delay_s,
      "of the bottleneck, one way; access links add 1 ms at each end", 0, 10);
  options->Add ("queue", &p->queue, "of the bottleneck", { "droptail", "red" });
  options->Add ("packets", &p->packets, "that may wait there", 1, 1000000);
  options->Add ("duration_s", &p->duration_s, "simulated", 0.001, 1e6);
  options->Add ("warmup_s", &p->warmup_s, "before measuring", 0, 1e6);
}

std::unique_ptr<PacketSource>
MakeSource (const Parameters &p)
{
  uint32_t header_bytes = p.transport == "tfrc" ? kTfrcIpBytes : kUdpIpBytes;
  uint32_t payload_bytes = p.wire_bytes - header_bytes;

  if (p.source == "cbr")
    return std::make_unique<CbrSource> (p.cbr_bps, payload_bytes, p.randomness, header_bytes);
  if (p.source == "schedule")
    return std::make_unique<ScheduleSource> (p.schedule, p.offset_s, p.loop);
  return std::make_unique<GreedySource> (payload_bytes);
}

// Delays of the packets of flow 0
struct Delays
{
  uint64_t count = 0;
  double min_s = 0;
  double max_s = 0;
  double sum_s = 0;

  void
  Add (double delay_s)
  {
    min_s = count == 0 ? delay_s : std::min (min_s, delay_s);
    max_s = std::max (max_s, delay_s);
    sum_s += delay_s;
    count++;
  }
};

class Dumbbell
{
public:
  explicit Dumbbell (const Parameters &p)
      : m_p (p), m_window (Window::Seconds (p.warmup_s, p.duration_s)),
        m_loss_events (1 + static_cast<int> (p.tcp), m_window)
  {
    LinkOptions bottleneck;

    bottleneck.rate_bps = p.rate_bps;
    bottleneck.delay_s = p.delay_s;
    bottleneck.queue = p.queue == "red" ? QueueOptions::Red (p.packets)
                                        : QueueOptions::DropTail (p.packets);
    bottleneck.queue.red.mean_packet_bytes = p.wire_bytes;
    m_routers = m_network.AddNodes (2);
    m_bottleneck = m_network.Connect (m_routers[0], m_routers[1], bottleneck);
    m_queue = std::make_unique<QueueMeter> (
        m_bottleneck, Direction::kForward, m_flow_table, m_window);
    m_loss_events.Watch (*m_queue, true);
    AddFlowZero ();
    for (uint32_t i = 1; i <= p.tcp; i++)
      AddTcp (static_cast<int> (i));
    m_network.Route ();
  }

  void
  Run (const std::string &output)
  {
    ns3::Simulator::Stop (ToTime (m_p.duration_s));
    ns3::Simulator::Run ();
    WriteMeasures (output);
    WriteFlows (output);
    ns3::Simulator::Destroy ();
  }

private:
  Endpoints
  AddHosts (int flow)
  {
    std::vector<ns3::Ptr<ns3::Node>> hosts = m_network.AddNodes (2);

    m_network.Connect (hosts[0], m_routers[0], {});
    m_network.Connect (m_routers[1], hosts[1], {});
    m_goodput.emplace_back (std::make_unique<FlowMeter> (m_window));
    return { hosts[0], hosts[1], static_cast<uint16_t> (kFirstPort + flow) };
  }

  void
  AddFlowZero ()
  {
    Endpoints endpoints = AddHosts (0);
    auto on_received = [this] (const Delivery &delivery) {
      m_delays.Add (delivery.DelayS ());
      m_sender_delays.Add (delivery.SenderDelayS ());
    };

    m_flow_table.Add (endpoints, Protocol::kUdp, 0);
    m_loss_events.SetRtt (0, 2 * m_p.delay_s + 0.004);
    if (m_p.transport == "udp") {
      m_udp = std::make_unique<UdpFlow> (endpoints, MakeSource (m_p), 0, m_p.duration_s);
      m_udp->OnReceived (on_received);
      m_udp->OnDelivered (m_goodput[0]->Counter ());
      return;
    }

    TfrcSenderConfig sender;
    TfrcReceiverConfig receiver;

    tfrc_sender_config_init (&sender);
    tfrc_receiver_config_init (&receiver);
    sender.segment_size_bytes = TfrcPayload (m_p.wire_bytes);
    m_tfrc = std::make_unique<TfrcFlow> (
        endpoints, sender, receiver, MakeSource (m_p), 0, m_p.duration_s);
    m_tfrc->OnReceived (on_received);
    m_tfrc->OnDelivered (m_goodput[0]->Counter ());
    if (m_p.noise)
      AddNoise (endpoints);
    if (m_p.source == "greedy")
      m_loss_events.SetRtt (0, [this] { return TfrcRttS (); });
  }

  void
  AddNoise (const Endpoints &endpoints)
  {
    m_noise = ns3::CreateObject<UdpSenderApp> ();
    m_noise->Setup (std::make_unique<CbrSource> (10 * 8 * 100, 100),
        { AddressOf (endpoints.to), endpoints.port });
    m_noise->SetStopTime (ToTime (m_p.duration_s));
    endpoints.from->AddApplication (m_noise);
  }

  void
  AddTcp (int flow)
  {
    Endpoints endpoints = AddHosts (flow);
    ns3::Ptr<ns3::UniformRandomVariable> start_s = ns3::CreateObject<ns3::UniformRandomVariable> ();

    m_flow_table.Add (endpoints, Protocol::kTcp, flow);
    m_tcp.push_back (
        std::make_unique<TcpFlow> (endpoints, start_s->GetValue (0, 1), m_p.duration_s));
    TcpFlow *tcp = m_tcp.back ().get ();
    tcp->OnDelivered (m_goodput[static_cast<size_t> (flow)]->Counter ());
    tcp->MeasureRtt (m_window);
    m_loss_events.SetRtt (flow, [tcp] { return tcp->RttS (); });
  }

  double
  TfrcRttS () const
  {
    return static_cast<double> (m_tfrc->Sender ()->Stats ().rtt_ns) / kNsPerS;
  }

  void
  WriteMeasures (const std::string &output) const
  {
    Result result;

    result.Set ("link_bps", m_queue->RateBps ());
    result.Set ("arrived_packets", static_cast<double> (m_queue->Arrived ()));
    result.Set ("dropped_packets", static_cast<double> (m_queue->Dropped ()));
    result.Set ("queue_delay_mean_s", m_queue->MeanDelayS ());
    result.Set ("queue_delay_p99_s", m_queue->DelayQuantileS (0.99));
    result.Set ("queue_delay_max_s", m_queue->MaxDelayS ());
    result.Set ("goodput_bps", m_goodput[0]->RateBps ());
    result.Set ("received_packets", static_cast<double> (m_delays.count));
    result.Set ("delay_min_s", m_delays.min_s);
    result.Set ("delay_mean_s", m_delays.sum_s / static_cast<double> (m_delays.count));
    result.Set ("delay_max_s", m_delays.max_s);
    result.Set ("sender_delay_max_s", m_sender_delays.max_s);
    result.Set ("loss_event_rate", m_loss_events.LossEventRate (0));
    if (m_tfrc)
      SetTfrc (&result);
    result.Write (output);
  }

  void
  SetTfrc (Result *result) const
  {
    TfrcSenderStats sender = m_tfrc->Sender ()->Stats ();
    TfrcReceiverStats receiver = m_tfrc->Receiver ()->Stats ();

    result->Set ("tfrc_sent_packets", static_cast<double> (sender.packets_sent));
    result->Set ("tfrc_received_packets", static_cast<double> (receiver.packets_received));
    result->Set ("tfrc_lost_packets", static_cast<double> (receiver.packets_lost));
    result->Set ("tfrc_loss_events", static_cast<double> (receiver.loss_events));
    result->Set ("tfrc_feedbacks_sent", static_cast<double> (receiver.feedbacks_sent));
    result->Set ("tfrc_feedbacks_received", static_cast<double> (sender.feedbacks_received));
    result->Set ("tfrc_feedbacks_refused", static_cast<double> (sender.feedbacks_refused));
    result->Set ("tfrc_malformed",
        static_cast<double> (m_tfrc->Sender ()->Malformed () + m_tfrc->Receiver ()->Malformed ()));
    result->Set ("tfrc_rtt_s", TfrcRttS ());
  }

  void
  WriteFlows (const std::string &output) const
  {
    Table table ({ "flow", "transport", "goodput_bps", "arrived_packets", "dropped_packets",
        "loss_event_rate", "rtt_s" });

    for (size_t flow = 0; flow < m_goodput.size (); flow++) {
      int number = static_cast<int> (flow);
      double rtt_s = flow > 0 ? m_tcp[flow - 1]->MeanRttS () : m_tfrc ? TfrcRttS () : 0;

      table.Add ({ static_cast<double> (flow), flow > 0 ? "tcp" : m_p.transport,
          m_goodput[flow]->RateBps (), static_cast<double> (m_queue->Arrived (number)),
          static_cast<double> (m_queue->Dropped (number)), m_loss_events.LossEventRate (number),
          rtt_s });
    }
    table.Write (output, "flows");
  }

  Parameters m_p;
  Window m_window;
  Network m_network;
  std::vector<ns3::Ptr<ns3::Node>> m_routers;
  Link m_bottleneck;
  FlowTable m_flow_table;
  std::unique_ptr<QueueMeter> m_queue;
  LossEventMeter m_loss_events;
  std::vector<std::unique_ptr<FlowMeter>> m_goodput;
  std::unique_ptr<TfrcFlow> m_tfrc;
  std::unique_ptr<UdpFlow> m_udp;
  ns3::Ptr<UdpSenderApp> m_noise;
  std::vector<std::unique_ptr<TcpFlow>> m_tcp;
  Delays m_delays;
  Delays m_sender_delays;
};

} // namespace

} // namespace sim

int
main (int argc, char **argv)
{
  sim::Options options ("One flow through one bottleneck, and TCP beside it.");
  sim::Parameters parameters;
  sim::TcpOptions tcp;

  sim::AddOptions (&options, &parameters);
  options.Parse (argc, argv);
  if (parameters.warmup_s >= parameters.duration_s)
    sim::Fail ("--warmup_s is not below --duration_s");
  if (parameters.source == "schedule" && parameters.schedule.empty ())
    sim::Fail ("--source=schedule wants --schedule=FILE");
  tcp.segment_bytes = sim::TcpSegment (parameters.wire_bytes);
  sim::ConfigureTcp (tcp);
  sim::Dumbbell (parameters).Run (options.Output ());
}
