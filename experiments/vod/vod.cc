/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Movies over TFRC or UDP through one drop-tail queue, alone or beside TCP. The network, the
// packets and the measures are those of the VoD benchmark (docs/vod-benchmark.md), in simulated
// time.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <iterator>

#include "common/link_errors.h"
#include "common/mechanisms.h"
#include "common/net.h"
#include "common/options.h"
#include "common/result.h"
#include "common/sink_settings.h"
#include "common/tfrc_app.h"
#include "common/udp_app.h"
#include "vod/greedy_tcp.h"
#include "vod/live_source.h"
#include "vod/movie_log.h"
#include "vod/playlist.h"
#include "vod/shaped_source.h"
#include "vod/smoothed_source.h"

namespace sim
{

namespace
{

constexpr uint16_t kFirstPort = 5004;
constexpr uint16_t kFirstTcpPort = 20000;
constexpr uint32_t kMaxTcp = 1000;
constexpr double kUnlimitedBps = 10e9; // rate of links that the testbed does not limit
constexpr uint32_t kUnlimitedPackets = 100000;
constexpr double kTailS = 3;     // for packets that are under way after the last packet has left
constexpr double kDrainS = 3600; // time for the last packet to leave; waiting costs little

// The transports of the VoD benchmark that can be simulated, with the benchmark's names.
struct Transport
{
  const char *name;
  bool tfrc;
  bool at_most_peak;
  SinkSettings sink;
  double smoothing_ms; // 0: none
  bool deadline = false;
  bool stored = false; // runs ahead of its time
};

// RFC 5348 with one of tfrcsink's settings
constexpr SinkSettings kBurstLimit{ false, kTfrcsink.burst_limit_ms };
constexpr SinkSettings kQueueGuard{ true };

constexpr Transport kTransports[] = {
  { "tfrc", true, false, kTfrcsink, 0 },
  { "tfrc-live", true, false, kTfrcsink, 0, true },
  { "tfrc-stored", true, false, kTfrcsink, 0, true, true },
  { "tfrc-peak", true, true, kTfrcsink, 0 },
  { "tfrc-rfc", true, false, {}, 0 },
  { "tfrc-burst", true, false, kBurstLimit, 0 },
  { "tfrc-guard", true, false, kQueueGuard, 0 },
  { "tfrc-smooth", true, false, kTfrcsink, 1500 },
  { "udp", false, false, {}, 0 },
  { "udp-shaped-peak", false, true, {}, 0 },
  { "tfrc-smooth-300", true, false, kTfrcsink, 300 },
};

std::vector<std::string>
TransportNames ()
{
  std::vector<std::string> names;

  for (const Transport &transport : kTransports)
    names.push_back (transport.name);
  return names;
}

// The name has to be one of them.
const Transport &
FindTransport (const std::string &name)
{
  return *std::find_if (std::begin (kTransports), std::end (kTransports),
      [&name] (const Transport &transport) { return name == transport.name; });
}

struct Parameters
{
  std::string part;
  std::string condition;
  std::string playlist;
  std::string classes;
  std::string movie;
  std::string transport = "tfrc";
  double rate_bps = 2e6;
  double d2_ms = 20;
  uint32_t queue = 20;
  double duration_s = 120;
  double skip_end_s = 2;
  double peak_bps = 0;
  double smoothing_ms = 0;
  double playout_delay_ms = 1000;
  double ahead_ms = 10000;
  uint32_t tcp = 0;
  std::string tcp_control = "reno";
  double tcp_start_s = 0;
  double link_loss = 0;
  Mechanisms mechanisms;
  bool packets = false;
};

void
Add (Options *options, Parameters *p)
{
  options->Add (
      "playlist", &p->playlist, "CSV file start_s,schedule: which movies play, and from when on");
  options->Add ("classes", &p->classes,
      "CSV file class,picture,group of a movie that drops packets; all entries play this one");
  options->Add ("movie", &p->movie, "a name, for those who read the results");
  options->Add ("part", &p->part, "another");
  options->Add ("condition", &p->condition, "another");
  options->Add ("transport", &p->transport, "what carries them, see docs/vod-benchmark.md",
      TransportNames ());
  options->Add ("rate_bps", &p->rate_bps, "of the bottleneck; IP packets count", 1e3, 1e11);
  options->Add ("d2_ms", &p->d2_ms, "its delay in each direction", 0, 1e5);
  options->Add ("queue", &p->queue, "packets that may wait, besides the one in service", 1,
      kUnlimitedPackets);
  options->Add (
      "duration_s", &p->duration_s, "how long is measured, from when all movies play", 0.001, 1e6);
  options->Add (
      "skip_end_s", &p->skip_end_s, "the last seconds of a movie, never measured", 0, 1e6);
  options->Add ("peak_bps", &p->peak_bps, "payload rate of the movie's peak second", 0, 1e11);
  options->Add ("smoothing_ms", &p->smoothing_ms,
      "of a transport that smooths; 0: what its name says", 0, 1e6);
  options->Add (
      "playout_delay_ms", &p->playout_delay_ms, "of the player, which a deadline knows", 1, 1e6);
  options->Add (
      "ahead_ms", &p->ahead_ms, "how far a stored movie may run ahead of its time", 0, 1e6);
  options->Add ("tcp", &p->tcp, "greedy TCP flows beside them", 0, kMaxTcp);
  options->Add ("tcp_control", &p->tcp_control, "their congestion control", { "reno", "cubic" });
  options->Add ("tcp_start_s", &p->tcp_start_s, "they start at random times before this", 0, 1e6);
  options->Add ("link_loss", &p->link_loss, "packets that the link damages, a fraction", 0, 0.5);
  p->mechanisms.AddTo (options);
  options->Add ("packets", &p->packets, "write packets.csv too");
}

void
Configure (const Parameters &p, const Transport &transport, TfrcSenderConfig *sender,
    TfrcReceiverConfig *receiver)
{
  tfrc_sender_config_init (sender);
  tfrc_receiver_config_init (receiver);
  p.mechanisms.Apply (sender, receiver);
  transport.sink.Apply (sender);
  if (transport.at_most_peak)
    sender->max_rate_Bps = p.peak_bps / 8;
}

class Cinema
{
public:
  Cinema (const Parameters &p, const std::vector<Entry> &entries);

  // Returns whether every packet has left.
  bool Run ();
  void Write (const std::string &directory) const;

private:
  template <typename Flow> void Watch (Flow *flow, MovieLog *log);
  void Watch (LiveSource *source, const TfrcFlow &flow, MovieLog *log);
  void OnGone (uint64_t packets);
  Table Movies (Result *result) const;

  const Parameters &m_p;
  const std::vector<Entry> &m_entries;
  std::vector<std::unique_ptr<TfrcFlow>> m_tfrc_flows;
  std::vector<std::unique_ptr<UdpFlow>> m_udp_flows;
  std::unique_ptr<GreedyTcp> m_tcp;
  std::vector<MovieLog> m_logs;
  double m_last_start_s = 0;
  size_t m_left = 0; // packets that have neither been sent nor been dropped
};

Cinema::Cinema (const Parameters &p, const std::vector<Entry> &entries)
    : m_p (p), m_entries (entries), m_logs (entries.size ())
{
  Network network;
  ns3::Ptr<ns3::Node> from = network.AddNode (), to = network.AddNode ();
  double delay_s = p.d2_ms / 1e3;
  const Transport &transport = FindTransport (p.transport);
  double ahead_s = transport.stored ? p.ahead_ms / 1e3 : 0;
  double smoothing_ms = p.smoothing_ms > 0 ? p.smoothing_ms : transport.smoothing_ms;
  TfrcSenderConfig sender;
  TfrcReceiverConfig receiver;

  Configure (p, transport, &sender, &receiver);
  Link bottleneck = network.Connect (from, to,
      { p.rate_bps, delay_s, QueueOptions::DropTail (p.queue) },
      { kUnlimitedBps, delay_s, QueueOptions::DropTail (kUnlimitedPackets) });
  network.Route ();
  if (p.link_loss > 0)
    AddLinkErrors (bottleneck, Direction::kForward, p.link_loss);
  for (size_t i = 0; i < entries.size (); i++) {
    Endpoints endpoints{ from, to, static_cast<uint16_t> (kFirstPort + i) };
    double start_s = entries[i].start_s, stop_s = start_s + p.duration_s + kDrainS;
    auto schedule = std::make_unique<ScheduleSource> (entries[i].schedule, 0, false);

    m_last_start_s = std::max (m_last_start_s, start_s);
    m_left += schedule->Size ();
    schedule->SetLead (ToNs (ahead_s));
    std::unique_ptr<PacketSource> source = std::move (schedule);
    if (transport.at_most_peak && !transport.tfrc)
      source = std::make_unique<ShapedSource> (std::move (source), p.peak_bps);
    if (transport.smoothing_ms > 0)
      source = std::make_unique<SmoothedSource> (std::move (source), smoothing_ms / 1e3);
    LiveSource *live = nullptr;
    if (transport.deadline) {
      auto behind = std::make_unique<LiveSource> (
          std::move (source), p.classes, p.playout_delay_ms / 1e3, ahead_s);
      live = behind.get ();
      source = std::move (behind);
    }
    if (transport.tfrc) {
      m_tfrc_flows.push_back (std::make_unique<TfrcFlow> (
          endpoints, sender, receiver, std::move (source), start_s, stop_s));
      Watch (m_tfrc_flows.back ().get (), &m_logs[i]);
      if (live != nullptr)
        Watch (live, *m_tfrc_flows.back (), &m_logs[i]);
    } else {
      m_udp_flows.push_back (
          std::make_unique<UdpFlow> (endpoints, std::move (source), start_s, stop_s));
      Watch (m_udp_flows.back ().get (), &m_logs[i]);
    }
  }
  if (p.tcp > 0)
    m_tcp = std::make_unique<GreedyTcp> (Endpoints{ from, to, kFirstTcpPort },
        p.tcp_control == "cubic" ? TcpOptions::Linux ("LinuxCubic") : GreedyTcp::Reno (), p.tcp,
        p.tcp_start_s, m_last_start_s + p.duration_s + kDrainS, bottleneck,
        Window::Seconds (m_last_start_s, m_last_start_s + p.duration_s));
}

template <typename Flow>
void
Cinema::Watch (Flow *flow, MovieLog *log)
{
  flow->OnSent ([this, log] (const Delivery &packet) {
    log->OnSent (packet);
    OnGone (1);
  });
  flow->OnReceived ([log] (const Delivery &packet) { log->OnReceived (packet); });
}

void
Cinema::Watch (LiveSource *source, const TfrcFlow &flow, MovieLog *log)
{
  source->Watch (
      flow.Sender ()->Sender (), [log] (int64_t due_ns) { log->OnOffered (due_ns); },
      [this] (uint64_t packets) { OnGone (packets); });
}

void
Cinema::OnGone (uint64_t packets)
{
  m_left -= packets;
  if (m_left == 0)
    ns3::Simulator::Stop (ToTime (kTailS));
}

bool
Cinema::Run ()
{
  ns3::Simulator::Stop (ToTime (m_last_start_s + m_p.duration_s + kDrainS));
  ns3::Simulator::Run ();
  return m_left == 0;
}

// A row for each movie, and their means.
Table
Cinema::Movies (Result *result) const
{
  Table table ({ "number", "packets", "lost", "iplr", "iptd_mean", "iptd_max", "sender_mean",
      "sender_max", "network_mean" });
  MovieMeasures all;
  double n = static_cast<double> (m_logs.size ()), iplr = 0;

  for (size_t i = 0; i < m_logs.size (); i++) {
    MovieMeasures one = m_logs[i].Measure (
        m_last_start_s - m_entries[i].start_s, m_p.duration_s, m_p.skip_end_s);

    table.Add ({ static_cast<double> (i), static_cast<double> (one.packets),
        static_cast<double> (one.lost), one.Iplr (), one.iptd_mean_s, one.iptd_max_s,
        one.sender_mean_s, one.sender_max_s, one.network_mean_s });
    all.packets += one.packets;
    all.lost += one.lost;
    iplr += one.Iplr () / n;
    all.iptd_mean_s += one.iptd_mean_s / n;
    all.sender_mean_s += one.sender_mean_s / n;
    all.network_mean_s += one.network_mean_s / n;
    all.iptd_max_s = std::max (all.iptd_max_s, one.iptd_max_s);
    all.sender_max_s = std::max (all.sender_max_s, one.sender_max_s);
  }
  result->Set ("movies", n);
  result->Set ("packets", static_cast<double> (all.packets));
  result->Set ("lost", static_cast<double> (all.lost));
  result->Set ("iplr", iplr);
  result->Set ("iptd_mean_s", all.iptd_mean_s);
  result->Set ("iptd_max_s", all.iptd_max_s);
  result->Set ("sender_mean_s", all.sender_mean_s);
  result->Set ("sender_max_s", all.sender_max_s);
  result->Set ("network_mean_s", all.network_mean_s);
  return table;
}

void
Cinema::Write (const std::string &directory) const
{
  Result result;
  Table movies = Movies (&result);

  if (m_tcp)
    m_tcp->AddTo (&result);
  result.Write (directory);
  movies.Write (directory, "flows");
  if (!m_p.packets)
    return;
  Table packets ({ "number", "due_ns", "sent_ns", "arrived_ns" });
  for (size_t i = 0; i < m_logs.size (); i++)
    m_logs[i].AddTo (&packets, static_cast<double> (i));
  packets.Write (directory, "packets");
}

} // namespace

} // namespace sim

int
main (int argc, char **argv)
{
  sim::Parameters p;
  sim::Options options (
      "Movies through one drop-tail queue, over TFRC or UDP, alone or beside TCP.");

  sim::Add (&options, &p);
  options.Parse (argc, argv);
  if (p.smoothing_ms > 0 && sim::FindTransport (p.transport).smoothing_ms <= 0)
    sim::Fail ("--transport=" + p.transport + " does not smooth: no --smoothing_ms");
  if (sim::FindTransport (p.transport).at_most_peak && p.peak_bps <= 0)
    sim::Fail ("--transport=" + p.transport + " needs --peak_bps");
  if (sim::FindTransport (p.transport).deadline && p.classes.empty ())
    sim::Fail ("--transport=" + p.transport + " needs --classes");
  std::vector<sim::Entry> entries = sim::ReadPlaylist (p.playlist);
  sim::Cinema cinema (p, entries);
  bool complete = cinema.Run ();
  if (complete)
    cinema.Write (options.Output ());
  else
    std::cerr << "vod: packets still wait in a sender after " << sim::kDrainS << " s\n";
  ns3::Simulator::Destroy ();
  return complete ? EXIT_SUCCESS : EXIT_FAILURE;
}
