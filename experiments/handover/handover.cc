/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The handover paper's experiment: a stream moves to another link with another delay, and perhaps
// another rate.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "common/options.h"
#include "common/packet_size.h"
#include "common/result.h"
#include "common/sink_settings.h"
#include "common/tcp.h"
#include "handover/mobile_network.h"
#include "handover/notification_loss.h"
#include "handover/recorder.h"

namespace sim
{

namespace
{

constexpr int kStream = 0;
constexpr int kTcp = 1;
constexpr double kBackboneS = 0.002; // CN - R - BS, one way
constexpr double kTcpStartS = 1;
const std::vector<std::string> kAdaptations{ "none", "paper", "direct", "slow-start", "bound" };

struct Parameters
{
  std::string part;
  std::string adaptation = "direct";
  std::array<double, kPaths> delay_ms{ 25, 70 };
  std::array<double, kPaths> rate_bps{ 5e6, 5e6 };
  uint32_t queue = 0;
  bool shared = false;
  uint32_t packet_bytes = 1032;
  double start_s = 0;
  double handover_s = 30;
  uint32_t handovers = 1;
  double period_s = 6;
  double duration_s = 60;
  bool bandwidth_known = false;
  bool suppress_echo = false;
  bool tcp = false;
  double lose_s = 0;
  SinkSettings sink;
  std::string schedule;
  double offset_s = 0;
  double playout_s = 0.5;
  double sample_s = 0;
};

void
Add (Options *options, Parameters *p)
{
  options->Add ("part", &p->part, "of the experiment: for those who read the results");
  options->Add ("adaptation", &p->adaptation,
      "none: the receiver is not told; slow-start: both ends begin again; bound: a sender held at the new link's rate; else libtfrc's modes",
      kAdaptations);
  options->Add ("delay1_ms", &p->delay_ms[0], "of BS1 - MN, one way", 0, 1000);
  options->Add ("delay2_ms", &p->delay_ms[1], "of BS2 - MN, one way", 0, 1000);
  options->Add ("rate1_bps", &p->rate_bps[0], "of BS1 - MN", 1e5, 1e8);
  options->Add ("rate2_bps", &p->rate_bps[1], "of BS2 - MN", 1e5, 1e8);
  options->Add ("queue", &p->queue, "packets that may wait; 0: rate x round-trip time of each link",
      0, 100000);
  options->Add ("shared", &p->shared, "the bottleneck is CN - R, of rate1_bps and with that queue");
  options->Add ("packet_bytes", &p->packet_bytes, "with headers from IP up", 100, 1500);
  options->Add ("start_s", &p->start_s, "when the stream begins", 0, 1e5);
  options->Add ("handover_s", &p->handover_s, "when it goes over to the other link", 0.1, 1e5);
  options->Add ("handovers", &p->handovers, "and back, and so on", 0, 10000);
  options->Add ("period_s", &p->period_s, "between them", 0.001, 1e5);
  options->Add ("duration_s", &p->duration_s, "of all", 1, 1e6);
  options->Add (
      "bandwidth_known", &p->bandwidth_known, "the receiver is told of the new link's rate");
  options->Add ("suppress_echo", &p->suppress_echo, "the sender does not mark packets");
  options->Add ("tcp", &p->tcp, "a TCP flow is on BS2 - MN all the time");
  options->Add ("lose_s", &p->lose_s,
      "time after each handover in which notifications do not reach the sender", 0, 1e5);
  p->sink.AddTo (options);
  options->Add ("schedule", &p->schedule,
      "CSV file of what is sent, due_us,bytes; without: as much as is allowed");
  options->Add ("offset_s", &p->offset_s, "where in the schedule it begins", 0, 1e6);
  options->Add ("playout_s", &p->playout_s, "how much the player keeps", 0, 1e3);
  options->Add (
      "sample_s", &p->sample_s, "write series.csv, with a row every so often; 0: none", 0, 1e3);
}

double
BaseRttS (const Parameters &p, size_t path)
{
  return 2 * (kBackboneS + p.delay_ms[path] / 1e3);
}

// Returns the bandwidth-delay product of a link with empty queues, rounded to the next packet.
uint32_t
QueueOf (const Parameters &p, size_t path)
{
  double packets = p.rate_bps[path] * BaseRttS (p, path) / 8 / p.packet_bytes;

  return p.queue > 0 ? p.queue : std::max (1u, static_cast<uint32_t> (packets + 0.5));
}

MobileNetworkOptions
NetworkOptions (const Parameters &p)
{
  MobileNetworkOptions options;

  if (p.shared)
    options.trunk = { p.rate_bps[0], options.trunk.delay_s,
      QueueOptions::DropTail (QueueOf (p, 0)) };
  for (size_t path = 0; path < kPaths; path++) {
    LinkOptions &access = options.access[path];

    access.delay_s = p.delay_ms[path] / 1e3;
    if (!p.shared) {
      access.rate_bps = p.rate_bps[path];
      access.queue = QueueOptions::DropTail (QueueOf (p, path));
    }
  }
  return options;
}

class Experiment
{
public:
  explicit Experiment (const Parameters &p);

  void Run (const std::string &output);

private:
  void AddQueue (const Link &link);
  void AddTcp ();
  void MoveToOtherPath ();
  double PayloadRateBps (size_t path) const; // of a link full of the stream's packets, byte/s

  Parameters m_p;
  MobileNetwork m_network;
  FlowTable m_flows;
  std::unique_ptr<TfrcFlow> m_stream;
  std::unique_ptr<Recorder> m_recorder;
  std::vector<std::unique_ptr<QueueMeter>> m_queues;
  std::unique_ptr<TcpFlow> m_tcp;
  std::array<FlowMeter, 2> m_tcp_bytes; // before and after the handover
  ns3::Ptr<NotificationLoss> m_loss = ns3::CreateObject<NotificationLoss> ();
};

std::unique_ptr<PacketSource>
MakeSource (const Parameters &p)
{
  if (p.schedule.empty ())
    return std::make_unique<GreedySource> (TfrcPayload (p.packet_bytes));
  return std::make_unique<ScheduleSource> (p.schedule, p.offset_s, true);
}

TfrcSenderConfig
SenderConfig (const Parameters &p)
{
  TfrcSenderConfig config;

  tfrc_sender_config_init (&config);
  config.segment_size_bytes = TfrcPayload (p.packet_bytes);
  p.sink.Apply (&config);
  return config;
}

TfrcReceiverConfig
ReceiverConfig (const Parameters &p)
{
  TfrcReceiverConfig config;

  tfrc_receiver_config_init (&config);
  config.handover_mode = p.adaptation == "paper" ? TFRC_HANDOVER_MODE_PAPER
                                                 : TFRC_HANDOVER_MODE_DIRECT;
  return config;
}

Experiment::Experiment (const Parameters &p)
    : m_p (p), m_network (NetworkOptions (p)), m_tcp_bytes{ FlowMeter (Window::Seconds (
                                                                kTcpStartS, p.handover_s)),
        FlowMeter (Window::Seconds (p.handover_s, p.duration_s)) }
{
  m_stream = std::make_unique<TfrcFlow> (m_network.Stream (), SenderConfig (p), ReceiverConfig (p),
      MakeSource (p), p.start_s, p.duration_s);
  m_flows.Add (m_network.Stream (), Protocol::kUdp, kStream);
  m_recorder = std::make_unique<Recorder> (
      *m_stream, RecorderOptions{ p.handover_s, p.duration_s, p.playout_s, p.sample_s });
  AddQueue (m_network.Trunk ());
  for (size_t path = 0; path < kPaths; path++)
    AddQueue (m_network.Access (path));
  if (p.tcp)
    AddTcp ();
  m_network.Host ()->SetReceiveErrorModel (m_loss);
  for (uint32_t i = 0; i < p.handovers; i++)
    ns3::Simulator::Schedule (
        ToTime (p.handover_s + i * p.period_s), &Experiment::MoveToOtherPath, this);
}

void
Experiment::AddQueue (const Link &link)
{
  m_queues.push_back (std::make_unique<QueueMeter> (link, Direction::kForward, m_flows, Window ()));
  m_recorder->Watch (*m_queues.back ());
}

void
Experiment::AddTcp ()
{
  Endpoints endpoints = m_network.Other (1);
  TcpOptions options;

  options.segment_bytes = TcpSegment (m_p.packet_bytes);
  ConfigureTcp (options);
  m_tcp = std::make_unique<TcpFlow> (endpoints, kTcpStartS, m_p.duration_s);
  m_tcp->OnDelivered ([this] (uint32_t bytes) {
    for (FlowMeter &meter : m_tcp_bytes)
      meter.Count (bytes);
  });
  m_flows.Add (endpoints, Protocol::kTcp, kTcp);
}

double
Experiment::PayloadRateBps (size_t path) const
{
  double rate_bps = m_p.rate_bps[m_p.shared ? 0 : path];

  return rate_bps / 8 * TfrcPayload (m_p.packet_bytes) / m_p.packet_bytes;
}

void
Experiment::MoveToOtherPath ()
{
  size_t path = 1 - m_network.Path ();

  m_network.UsePath (path);
  m_loss->LoseUntil (NowNs () + ToNs (m_p.lose_s));
  if (m_p.adaptation == "bound")
    tfrc_sender_set_rate_limits (
        m_stream->Sender ()->Sender (), PayloadRateBps (path), PayloadRateBps (path));
  else if (m_p.adaptation == "slow-start") {
    m_stream->Receiver ()->Restart ();
    m_stream->Sender ()->Restart ();
  } else if (m_p.adaptation != "none")
    m_stream->Receiver ()->StartHandover (m_network.Interface (path),
        m_p.bandwidth_known ? PayloadRateBps (path) : 0, m_p.suppress_echo);
}

void
Experiment::Run (const std::string &output)
{
  const double tcp_wire = static_cast<double> (m_p.packet_bytes) / TcpSegment (m_p.packet_bytes);
  Result result;

  ns3::Simulator::Stop (ToTime (m_p.duration_s));
  ns3::Simulator::Run ();

  result.Set ("notifications_lost", static_cast<double> (m_loss->Lost ()));
  if (m_tcp) {
    result.Set ("tcp_before_bps", tcp_wire * m_tcp_bytes[0].RateBps ());
    result.Set ("tcp_rest_bps", tcp_wire * m_tcp_bytes[1].RateBps ());
  }
  m_recorder->Write (&result, output);
  result.Write (output);
  ns3::Simulator::Destroy ();
}

} // namespace

} // namespace sim

int
main (int argc, char **argv)
{
  sim::Parameters parameters;
  sim::Options options ("A stream over TFRC goes on over another link.");

  sim::Add (&options, &parameters);
  options.Parse (argc, argv);
  if (parameters.start_s >= parameters.handover_s || parameters.handover_s >= parameters.duration_s)
    sim::Fail ("--start_s has to be before --handover_s, and that before --duration_s");
  sim::Experiment (parameters).Run (options.Output ());
  return 0;
}
