/* SPDX-License-Identifier: LGPL-2.1-or-later */
// TFRC beside TCP, see contest.h.
#include "fairness/contest.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <ns3/queue.h>

#include "common/options.h"
#include "common/packet_size.h"
#include "common/source.h"

namespace sim
{

namespace
{

constexpr uint32_t kPayloadBytes = 1316; // of tfrcsink
constexpr uint32_t kTcpWireBytes = 1500;
constexpr double kStartsWithinS = 1;
constexpr double kUnlimitedBps = 10e9;
constexpr uint32_t kUnlimitedPackets = 100000;
constexpr uint32_t kCoDelPackets = 1000; // Linux's limits
constexpr uint32_t kFqCoDelPackets = 10240;
// RED's thresholds are one quarter and three quarters of the bandwidth-delay product.
constexpr double kRedTargetRtts = 0.5;
constexpr double kRedLimitBdps = 1;
constexpr uint32_t kLeastRedPackets = 20; // adaptive RED's maximum threshold is at least 15

const std::map<std::string, std::string> kTcps{ { "reno", "TcpLinuxReno" },
  { "cubic", "LinuxCubic" }, { "ns3-cubic", "TcpCubic" } };

double
Packets (const ContestOptions &options, double bdps)
{
  return bdps * options.rate_bps * options.rtt_ms / 1e3 / 8 / kTcpWireBytes;
}

QueueOptions
Queue (const ContestOptions &options)
{
  if (options.queue == "codel")
    return QueueOptions::CoDel (kCoDelPackets);
  if (options.queue == "fq_codel")
    return QueueOptions::FqCoDel (kFqCoDelPackets);
  if (options.queue == "red") {
    RedOptions red;

    red.mean_packet_bytes = kTcpWireBytes;
    red.target_delay_s = kRedTargetRtts * options.rtt_ms / 1e3;
    return QueueOptions::Red (
        std::max (kLeastRedPackets,
            static_cast<uint32_t> (std::lround (Packets (options, kRedLimitBdps)))),
        red);
  }
  return QueueOptions::DropTail (
      std::max (1u, static_cast<uint32_t> (std::lround (Packets (options, options.queue_bdp)))));
}

} // namespace

std::vector<std::string>
QueueNames ()
{
  return { "droptail", "red", "codel", "fq_codel" };
}

std::vector<std::string>
TcpNames ()
{
  std::vector<std::string> names;

  for (const auto &[name, type] : kTcps)
    names.push_back (name);
  return names;
}

Contest::Contest (const ContestOptions &options, const std::vector<Entry> &movies)
    : m_options (options),
      m_window (Window::Seconds (options.warmup_s, options.warmup_s + options.duration_s)),
      m_random (ns3::CreateObject<ns3::UniformRandomVariable> ())
{
  TcpOptions tcp = TcpOptions::Linux (kTcps.at (options.tcp));

  // The standard's TCP: max (1 s, SRTT + 4 RTTVAR)
  if (options.min_rto_s != tcp.min_rto_s)
    tcp.min_rto_variation_s = TcpOptions ().min_rto_variation_s;
  tcp.min_rto_s = options.min_rto_s;
  tcp.paced = options.tcp_paced;
  tcp.segment_bytes = TcpSegment (kTcpWireBytes);
  ConfigureTcp (tcp);
  Connect ();
  for (uint32_t i = 0; i < options.tfrc_flows; i++) {
    if (options.first == "tcp") {
      AddTcp (true, options.tfrc_start_s);
      continue;
    }
    if (movies.empty ()) {
      AddTfrc (std::make_unique<GreedySource> (kPayloadBytes), nullptr);
      continue;
    }
    auto audience = std::make_unique<Audience> (m_window);
    auto movie = std::make_unique<LiveSource> (
        std::make_unique<ScheduleSource> (movies[i].schedule, 0, true), audience.get ());

    AddTfrc (std::move (movie), std::move (audience));
  }
  for (uint32_t i = 0; i < options.tcp_flows; i++)
    AddTcp (false, options.tcp_start_s);
  m_queue = std::make_unique<QueueMeter> (m_bottleneck, Direction::kForward, m_table, m_window);
  m_losses = std::make_unique<LossEventMeter> (m_table.Size (), m_window);
  for (int flow = 0; flow < m_table.Size (); flow++)
    m_losses->SetRtt (flow, [this] { return PathRttS (); });
  m_losses->Watch (*m_queue, true);
}

void
Contest::Connect ()
{
  double delay_s = m_options.rtt_ms / 1e3 / 2;
  LinkOptions forward{ m_options.rate_bps, delay_s, Queue (m_options) };

  m_queue_packets = forward.queue.packets;
  m_from = m_network.AddNode ();
  m_to = m_network.AddNode ();
  m_bottleneck = m_network.Connect (m_from, m_to, forward,
      { kUnlimitedBps, delay_s, QueueOptions::DropTail (kUnlimitedPackets) });
  m_network.Route ();
}

Endpoints
Contest::NextEndpoints ()
{
  return { m_from, m_to, m_next_port++ };
}

double
Contest::StartS (double from_s)
{
  return from_s + m_random->GetValue (0, kStartsWithinS);
}

Contest::Flow &
Contest::Add (bool is_first, Protocol protocol, const Endpoints &endpoints)
{
  m_table.Add (endpoints, protocol, static_cast<int> (m_flows.size ()));
  m_flows.emplace_back ();
  m_flows.back ().is_first = is_first;
  m_flows.back ().delivered = std::make_unique<FlowMeter> (m_window);
  return m_flows.back ();
}

void
Contest::AddTfrc (std::unique_ptr<PacketSource> source, std::unique_ptr<Audience> audience)
{
  Endpoints endpoints = NextEndpoints ();
  Flow &flow = Add (true, Protocol::kUdp, endpoints);
  TfrcSenderConfig sender;
  TfrcReceiverConfig receiver;

  tfrc_sender_config_init (&sender);
  sender.segment_size_bytes = kPayloadBytes;
  m_options.sink.Apply (&sender);
  tfrc_receiver_config_init (&receiver);
  m_options.mechanisms.Apply (&sender, &receiver);
  receiver.history_length = m_options.history_length;
  flow.tfrc.emplace (endpoints, sender, receiver, std::move (source),
      StartS (m_options.tfrc_start_s), m_options.warmup_s + m_options.duration_s);
  flow.tfrc->Sender ()->SetBurst (m_options.tfrc_burst);
  flow.tfrc_observer = std::make_unique<TfrcObserver> (*flow.tfrc, m_window);
  flow.tfrc->OnDelivered (flow.delivered->Counter ());
  flow.audience = std::move (audience);
  if (Audience *watching = flow.audience.get ())
    flow.tfrc->OnReceived ([watching] (const Delivery &packet) { watching->OnReceived (packet); });
}

void
Contest::AddTcp (bool is_first, double from_s)
{
  Endpoints endpoints = NextEndpoints ();
  Flow &flow = Add (is_first, Protocol::kTcp, endpoints);
  double start_s = StartS (from_s);

  flow.tcp = std::make_unique<TcpFlow> (
      endpoints, start_s, m_options.warmup_s + m_options.duration_s);
  if (is_first && m_options.first_tcp != "same")
    flow.tcp->SetCongestionControl (kTcps.at (m_options.first_tcp));
  flow.tcp_observer = std::make_unique<TcpObserver> (*flow.tcp, start_s, m_window);
  flow.tcp->OnDelivered (flow.delivered->Counter ());
}

double
Contest::PathRttS () const
{
  ns3::Ptr<ns3::QueueDisc> disc = m_bottleneck.Disc (Direction::kForward);
  uint32_t waiting_bytes = disc
      ? disc->GetNBytes ()
      : m_bottleneck.Device (Direction::kForward)->GetQueue ()->GetNBytes ();

  return m_options.rtt_ms / 1e3 + 8.0 * waiting_bytes / m_options.rate_bps;
}

double
Contest::RateBps (size_t flow) const
{
  double payload_bps = m_flows[flow].delivered->RateBps ();

  return m_flows[flow].tfrc ? payload_bps * (kPayloadBytes + kTfrcIpBytes) / kPayloadBytes
                            : payload_bps * kTcpWireBytes / TcpSegment (kTcpWireBytes);
}

double
Contest::MeanRateBps (bool first) const
{
  Mean mean;

  for (size_t i = 0; i < m_flows.size (); i++)
    if (m_flows[i].is_first == first)
      mean.Add (RateBps (i));
  return mean.Value ();
}

// Jain's fairness index, (sum x)^2 / (n sum x^2): 1 if all get the same, 1/n if one flow gets
// everything
double
Contest::JainIndex () const
{
  double sum = 0, squares = 0;

  for (size_t i = 0; i < m_flows.size (); i++) {
    sum += RateBps (i);
    squares += RateBps (i) * RateBps (i);
  }
  return sum * sum / (static_cast<double> (m_flows.size ()) * squares);
}

void
Contest::Measure (Result *result) const
{
  double tfrc_bps = MeanRateBps (true), tcp_bps = MeanRateBps (false);
  Mean missed;

  for (const Flow &flow : m_flows)
    if (flow.audience)
      missed.Add (flow.audience->Missed ());
  result->Set ("tfrc_bps", tfrc_bps);
  result->Set ("tcp_bps", tcp_bps);
  result->Set ("ratio", tfrc_bps / tcp_bps);
  result->Set ("jain", JainIndex ());
  result->Set ("tcp_share", tcp_bps * static_cast<double> (m_flows.size ()) / m_options.rate_bps);
  result->Set ("utilisation", m_queue->RateBps () / m_options.rate_bps);
  result->Set ("queue_packets", m_queue_packets);
  result->Set ("queue_delay_mean_s", m_queue->MeanDelayS ());
  result->Set ("packet_loss_rate",
      static_cast<double> (m_queue->Dropped ()) / static_cast<double> (m_queue->Arrived ()));
  if (!std::isnan (missed.Value ()))
    result->Set ("missed", missed.Value ());
}

Table
Contest::Rows () const
{
  Table table ({ "flow", "kind", "rate_bps", "packets", "drops", "loss_events", "rtt_s", "rto_s",
      "reported_p", "mean_interval", "missed", "fast_recoveries", "timeout_series" });

  for (size_t i = 0; i < m_flows.size (); i++) {
    const Flow &flow = m_flows[i];
    auto number = static_cast<int> (i);
    std::vector<Table::Cell> row = { static_cast<double> (i),
      std::string (flow.is_first ? "tfrc" : "tcp"), RateBps (i),
      static_cast<double> (m_losses->Sent (number)), static_cast<double> (m_losses->Drops (number)),
      static_cast<double> (m_losses->Events (number)) };

    if (flow.tfrc) {
      TfrcLossStatistics statistics;

      tfrc_receiver_get_loss_statistics (flow.tfrc->Receiver ()->Receiver (), &statistics);
      row.insert (row.end (),
          { flow.tfrc_observer->RttS (), flow.tfrc_observer->RtoS (), flow.tfrc_observer->P (),
              statistics.intervals > 0 ? statistics.mean_interval : kNone,
              flow.audience ? flow.audience->Missed () : kNone, kNone, kNone });
    } else
      row.insert (row.end (),
          { flow.tcp_observer->RttS (), flow.tcp_observer->RtoS (), kNone, kNone, kNone,
              static_cast<double> (flow.tcp_observer->FastRecoveries ()),
              static_cast<double> (flow.tcp_observer->TimeoutSeries ()) });
    table.Add (row);
  }
  return table;
}

} // namespace sim
