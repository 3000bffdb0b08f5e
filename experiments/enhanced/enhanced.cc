/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The enhanced-TFRC paper's experiment: a TFRC flow of a given data rate over four bottlenecks in a
// row, with each mechanism of the paper, with random loss, and beside TCP. Rates and sizes count
// all headers from IP up.
#include <cmath>
#include <map>
#include <memory>

#include <ns3/queue.h>

#include "common/link_errors.h"
#include "common/mechanisms.h"
#include "common/meter.h"
#include "common/observers.h"
#include "common/options.h"
#include "common/packet_size.h"
#include "common/result.h"
#include "common/source.h"
#include "common/tcp.h"
#include "common/udp_app.h"
#include "enhanced/chain_network.h"
#include "enhanced/path_meter.h"
#include "enhanced/verdicts.h"

namespace sim
{

namespace
{

constexpr uint32_t kPacketBytes = 1000;
constexpr double kStartsWithinS = 1;
constexpr double kCrossRandomness = 1; // gaps of 0.5 to 1.5 times the mean
constexpr int kMeasured = 0;           // in the table of flows

const std::map<std::string, std::string> kTcps{ { "reno", "TcpLinuxReno" },
  { "cubic", "LinuxCubic" } };

struct Parameters
{
  std::string part;
  double offered_bps = 2e6;
  std::string cross = "cbr";
  double cross_bps = 0.5e6;
  std::string tcp = "none";
  double link_loss = 0;
  double warmup_s = 0;
  double duration_s = 175;
  Mechanisms mechanisms;
};

class Experiment
{
public:
  explicit Experiment (const Parameters &p);

  void Run (const std::string &output);

private:
  void AddMeasured (double start_s);
  void AddCross (size_t bottleneck, double start_s);
  void AddTcp (double start_s);
  void WatchLosses ();

  const Parameters m_p;
  Window m_window;
  double m_start_s; // of the measured flow
  ChainNetwork m_network;
  FlowTable m_table;
  std::unique_ptr<TfrcFlow> m_measured;
  std::unique_ptr<PathMeter> m_path;
  std::unique_ptr<Verdicts> m_verdicts;
  std::unique_ptr<TfrcObserver> m_observer;
  std::vector<std::unique_ptr<UdpFlow>> m_udp_cross;
  std::vector<std::unique_ptr<TfrcFlow>> m_tfrc_cross;
  std::vector<std::unique_ptr<FlowMeter>> m_cross_meters;
  std::unique_ptr<TcpFlow> m_tcp;
  FlowMeter m_tcp_meter;
};

Experiment::Experiment (const Parameters &p)
    : m_p (p), m_window (Window::Seconds (p.warmup_s, p.duration_s)), m_network (kPacketBytes),
      m_tcp_meter (m_window)
{
  auto random = ns3::CreateObject<ns3::UniformRandomVariable> ();

  m_start_s = random->GetValue (0, kStartsWithinS);
  AddMeasured (m_start_s);
  for (size_t i = 0; i < ChainNetwork::kBottlenecks; i++) {
    double start_s = random->GetValue (0, kStartsWithinS);

    if (p.cross != "none")
      AddCross (i, start_s);
  }
  if (p.tcp != "none")
    AddTcp (random->GetValue (0, kStartsWithinS));
  m_network.Route ();
  WatchLosses ();
}

void
Experiment::AddMeasured (double start_s)
{
  Endpoints pair = m_network.AddPair (0, ChainNetwork::kBottlenecks - 1);
  TfrcSenderConfig sender;
  TfrcReceiverConfig receiver;
  uint32_t payload_bytes = TfrcPayload (kPacketBytes);

  tfrc_sender_config_init (&sender);
  tfrc_receiver_config_init (&receiver);
  sender.segment_size_bytes = payload_bytes;
  m_p.mechanisms.Apply (&sender, &receiver);
  m_table.Add (pair, Protocol::kUdp, kMeasured);
  m_measured = std::make_unique<TfrcFlow> (pair, sender, receiver,
      std::make_unique<CbrSource> (m_p.offered_bps, payload_bytes, 0, kTfrcIpBytes), start_s,
      m_p.duration_s);
  m_path = std::make_unique<PathMeter> (m_measured.get (), m_window);
  m_verdicts = std::make_unique<Verdicts> (m_measured.get ());
  m_observer = std::make_unique<TfrcObserver> (*m_measured, m_window);
}

// RFC 5348 or plain UDP over one bottleneck
void
Experiment::AddCross (size_t bottleneck, double start_s)
{
  Endpoints pair = m_network.AddPair (bottleneck, bottleneck);
  bool tfrc = m_p.cross == "tfrc";
  uint32_t headers = tfrc ? kTfrcIpBytes : kUdpIpBytes, payload_bytes = kPacketBytes - headers;
  auto source = std::make_unique<CbrSource> (
      m_p.cross_bps, payload_bytes, kCrossRandomness, headers);
  auto meter = std::make_unique<FlowMeter> (m_window);

  if (tfrc) {
    TfrcSenderConfig sender;
    TfrcReceiverConfig receiver;

    tfrc_sender_config_init (&sender);
    tfrc_receiver_config_init (&receiver);
    sender.segment_size_bytes = payload_bytes;
    m_tfrc_cross.push_back (std::make_unique<TfrcFlow> (
        pair, sender, receiver, std::move (source), start_s, m_p.duration_s));
    m_tfrc_cross.back ()->OnDelivered (meter->Counter ());
  } else {
    m_udp_cross.push_back (
        std::make_unique<UdpFlow> (pair, std::move (source), start_s, m_p.duration_s));
    m_udp_cross.back ()->OnDelivered (meter->Counter ());
  }
  m_cross_meters.push_back (std::move (meter));
}

void
Experiment::AddTcp (double start_s)
{
  TcpOptions tcp = TcpOptions::Linux (kTcps.at (m_p.tcp));

  tcp.segment_bytes = TcpSegment (kPacketBytes);
  ConfigureTcp (tcp);
  m_tcp = std::make_unique<TcpFlow> (
      m_network.AddPair (0, ChainNetwork::kBottlenecks - 1), start_s, m_p.duration_s);
  m_tcp->MeasureRtt (m_window);
  m_tcp->OnDelivered (m_tcp_meter.Counter ());
}

void
Experiment::WatchLosses ()
{
  for (const Link &link : m_network.Bottlenecks ()) {
    auto on_drop = [this] (ns3::Ptr<const ns3::Packet> packet) {
      if (m_table.Find (*packet) == kMeasured)
        m_path->OnQueueDrop ();
    };

    link.Device (Direction::kForward)
        ->GetQueue ()
        ->TraceConnectWithoutContext (
            "Drop", ns3::Callback<void, ns3::Ptr<const ns3::Packet>> (on_drop));
  }
  if (m_p.link_loss <= 0)
    return;
  AddLinkErrors (m_network.Bottlenecks ().back (), Direction::kForward, m_p.link_loss,
      [this] (const ns3::Packet &packet) {
        if (m_table.Find (packet) != kMeasured)
          return;
        m_path->OnLinkError ();
        m_verdicts->OnLinkError (ReadDelivery (packet, 0).index);
      });
}

void
Experiment::Run (const std::string &output)
{
  Result result;
  double from_s = std::max (m_start_s, m_p.warmup_s);
  double generated = std::ceil ((m_p.duration_s - from_s) * m_p.offered_bps / 8 / kPacketBytes);

  ns3::Simulator::Stop (ToTime (m_p.duration_s));
  ns3::Simulator::Run ();

  TfrcSenderStats sender = m_measured->Sender ()->Stats ();
  m_path->AddTo (&result, generated, kPacketBytes);
  m_verdicts->AddTo (&result);
  result.Set ("p", m_observer->P ());
  result.Set ("rtt_s", m_observer->RttS ());
  result.Set ("rto_s", m_observer->RtoS ());
  result.Set ("last_congestion_p", sender.congestion_p);
  result.Set ("nofeedback_expirations", static_cast<double> (sender.nofeedback_expirations));
  if (!m_cross_meters.empty ()) {
    uint32_t headers = m_p.cross == "tfrc" ? kTfrcIpBytes : kUdpIpBytes;

    result.Set ("last_cross_bps",
        m_cross_meters.back ()->RateBps () * kPacketBytes / (kPacketBytes - headers));
  }
  if (m_tcp) {
    double tcp_bps = m_tcp_meter.RateBps () * kPacketBytes / TcpSegment (kPacketBytes);

    result.Set ("tcp_bps", tcp_bps);
    result.Set ("tcp_rtt_s", m_tcp->MeanRttS ());
  }
  result.Write (output);
  ns3::Simulator::Destroy ();
}

} // namespace

} // namespace sim

int
main (int argc, char **argv)
{
  sim::Parameters p;
  sim::Options options ("A TFRC flow over four bottlenecks in a row, with mechanisms of enhanced "
                        "TFRC.");

  options.Add ("part", &p.part, "of the experiment: for those who read the results");
  options.Add ("offered_bps", &p.offered_bps, "the source's rate", 1e4, 1e8);
  options.Add ("cross", &p.cross, "what crosses one bottleneck each: UDP or TFRC",
      { "none", "cbr", "tfrc" });
  options.Add ("cross_bps", &p.cross_bps, "the rate of its source", 1e3, 1e8);
  options.Add ("tcp", &p.tcp, "a greedy flow over the same path", { "none", "reno", "cubic" });
  options.Add ("link_loss", &p.link_loss, "packets that the last link damages, a fraction", 0, 0.5);
  options.Add ("warmup_s", &p.warmup_s, "before the measurement", 0, 1e6);
  options.Add ("duration_s", &p.duration_s, "of the whole run", 2, 1e6);
  p.mechanisms.AddTo (&options);
  options.Parse (argc, argv);
  if (p.warmup_s >= p.duration_s)
    sim::Fail ("--warmup_s has to be below --duration_s");
  sim::Experiment (p).Run (options.Output ());
  return 0;
}
