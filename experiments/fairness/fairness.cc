/* SPDX-License-Identifier: LGPL-2.1-or-later */
// TFRC and TCP flows through one bottleneck, and the rates they get. flows.csv has a row for each
// flow. series.csv, if requested, has a row for each flow and second.
#include <memory>

#include <ns3/simulator.h>

#include "common/options.h"
#include "common/result.h"
#include "fairness/contest.h"
#include "fairness/series.h"
#include "vod/playlist.h"

namespace
{

constexpr double kSeriesIntervalS = 1;

struct Parameters
{
  sim::ContestOptions contest;
  std::string part; // part and settings are notes for readers of the results
  std::string settings;
  std::string playlist;
  bool series = false;
};

std::vector<std::string>
FirstTcpNames ()
{
  std::vector<std::string> names = sim::TcpNames ();

  names.insert (names.begin (), "same");
  return names;
}

void
Add (sim::Options *options, Parameters *p)
{
  sim::ContestOptions &contest = p->contest;

  options->Add ("part", &p->part, "which of the experiment, a name");
  options->Add ("settings", &p->settings, "a name for the sender's limits");
  options->Add ("rate_bps", &contest.rate_bps, "of the bottleneck; IP packets count", 1e4, 1e10);
  options->Add ("rtt_ms", &contest.rtt_ms, "of the path, without queues", 0.1, 10000);
  options->Add ("queue", &contest.queue, "of the bottleneck", sim::QueueNames ());
  options->Add (
      "queue_bdp", &contest.queue_bdp, "of droptail, in bandwidth-delay products", 0.01, 100);
  options->Add ("first", &contest.first,
      "what is compared with TCP; with tcp, TCP takes TFRC's place, also in names",
      { "tfrc", "tcp" });
  options->Add ("first_tcp", &contest.first_tcp,
      "the congestion control of TCP in TFRC's place; same: that of the others", FirstTcpNames ());
  options->Add ("tfrc_flows", &contest.tfrc_flows, "how many", 1, 500);
  options->Add ("tcp_flows", &contest.tcp_flows, "how many", 1, 500);
  options->Add ("tcp", &contest.tcp, "their congestion control", sim::TcpNames ());
  options->Add ("min_rto_s", &contest.min_rto_s,
      "their least RTO: 0.2 as Linux has it, else as RFC 6298", 0.001, 60);
  options->Add ("tcp_paced", &contest.tcp_paced, "their segments leave evenly");
  options->Add ("tfrc_burst", &contest.tfrc_burst, "TFRC's packets that leave together", 1, 100);
  contest.mechanisms.AddTo (options);
  contest.sink.AddTo (options);
  options->Add ("history_length", &contest.history_length, "TFRC's loss intervals", 2,
      TFRC_MAX_HISTORY_LENGTH);
  options->Add ("tfrc_start_s", &contest.tfrc_start_s,
      "TFRC flows start within a second from then on", 0, 1e5);
  options->Add ("tcp_start_s", &contest.tcp_start_s, "as TCP flows do from then on", 0, 1e5);
  options->Add ("playlist", &p->playlist,
      "CSV file start_s,schedule: the movie of each TFRC flow, from the start on; without it they are greedy");
  options->Add ("warmup_s", &contest.warmup_s, "before measuring", 0, 1e5);
  options->Add ("duration_s", &contest.duration_s, "that is measured", 1, 1e6);
  options->Add ("series", &p->series, "write series.csv too");
}

} // namespace

int
main (int argc, char **argv)
{
  Parameters p;
  sim::Options options ("TFRC and TCP flows through one bottleneck, side by side.");
  std::vector<sim::Entry> movies;
  std::unique_ptr<sim::Series> series;
  sim::Result result;

  Add (&options, &p);
  options.Parse (argc, argv);
  if (!p.playlist.empty ())
    movies = sim::ReadPlaylist (p.playlist);
  if (!movies.empty () && movies.size () != p.contest.tfrc_flows)
    sim::Fail ("--playlist=" + p.playlist + " has not as many movies as there are TFRC flows");
  sim::Contest contest (p.contest, movies);
  if (p.series)
    series = std::make_unique<sim::Series> (contest, kSeriesIntervalS);
  ns3::Simulator::Stop (sim::ToTime (p.contest.warmup_s + p.contest.duration_s));
  ns3::Simulator::Run ();
  contest.Measure (&result);
  result.Write (options.Output ());
  contest.Rows ().Write (options.Output (), "flows");
  if (series)
    series->Write (options.Output ());
  ns3::Simulator::Destroy ();
}
