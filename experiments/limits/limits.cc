/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The limits paper's simulations: TFRC flows beside as many TCP flows, and CBR flows if requested,
// through a dumbbell with much other traffic. flows.csv has a row for each of these flows,
// measures.json has the state of the bottleneck.
#include <cstdlib>
#include <sstream>
#include <string>

#include <ns3/config.h>
#include <ns3/double.h>
#include <ns3/nstime.h>
#include <ns3/simulator.h>

#include "common/options.h"
#include "common/packet_size.h"
#include "common/result.h"
#include "common/rto_policy.h"
#include "common/tcp.h"
#include "limits/dumbbell.h"
#include "limits/flows.h"
#include "limits/traffic.h"

namespace
{

// A closed connection keeps its port for twice this time, and sessions open thousands of
// connections.
constexpr double kSegmentLifetimeS = 1;

// No receiver here closes its window. But where FIN has overtaken data, ns-3 3.37 reports a closed
// window. It crashes when it then probes for a connection that has no data left to send. A long
// timeout prevents the probe.
constexpr double kPersistTimeoutS = 1e6;

struct Parameters
{
  double rate_bps = 15e6;
  double delay_ms = 50;
  uint32_t background = 5;
  uint32_t tfrc_flows = 5;
  uint32_t tcp_flows = 5;
  bool cbr = false;
  std::string rate_scales = "1";
  std::string rto_policy = "4r";
  uint32_t history_length = 8;
  double min_rto_s = 1;
  uint32_t web_sessions = 50;
  uint32_t short_transfers = 50;
  double duration_s = 200;
  double warmup_s = 50;
};

std::vector<double>
Numbers (const std::string &text)
{
  std::vector<double> numbers;
  std::istringstream words (text);

  for (std::string word; std::getline (words, word, ',');) {
    char *end = nullptr;
    double number = std::strtod (word.c_str (), &end);

    if (word.empty () || *end != '\0' || !(number >= 0.01 && number <= 100))
      sim::Fail (
          "--rate_scales=" + text + ": wanted are numbers from 0.01 to 100, with commas between");
    numbers.push_back (number);
  }
  return numbers;
}

void
ConfigureTcp (double min_rto_s)
{
  sim::TcpOptions tcp;

  tcp.segment_bytes = sim::TcpSegment (sim::DumbbellOptions ().wire_bytes);
  tcp.initial_cwnd = 2;
  tcp.delayed_acks = 1;
  tcp.min_rto_s = min_rto_s;
  sim::ConfigureTcp (tcp);
  ns3::Config::SetDefault (
      "ns3::TcpSocket::PersistTimeout", ns3::TimeValue (ns3::Seconds (kPersistTimeoutS)));
  ns3::Config::SetDefault (
      "ns3::TcpSocketBase::MaxSegLifetime", ns3::DoubleValue (kSegmentLifetimeS));
}

void
Run (const Parameters &parameters, const std::string &output)
{
  double end_s = parameters.warmup_s + parameters.duration_s;
  sim::DumbbellOptions dumbbell_options;
  sim::FlowOptions flow_options;
  sim::TrafficOptions traffic_options;
  sim::Result result;

  ConfigureTcp (parameters.min_rto_s);
  dumbbell_options.rate_bps = parameters.rate_bps;
  dumbbell_options.delay_s = parameters.delay_ms / 1000;
  sim::Dumbbell dumbbell (dumbbell_options);

  flow_options.tfrc = parameters.tfrc_flows;
  flow_options.tcp = parameters.tcp_flows;
  flow_options.cbr = parameters.cbr;
  flow_options.rate_scales = Numbers (parameters.rate_scales);
  flow_options.rto_policy = sim::FindRtoPolicy (parameters.rto_policy);
  flow_options.history_length = parameters.history_length;
  flow_options.start_s = parameters.warmup_s / 5;
  flow_options.window = sim::Window::Seconds (parameters.warmup_s, end_s);
  sim::ComparedFlows flows (dumbbell, flow_options);

  traffic_options.long_flows = parameters.background;
  traffic_options.web_sessions = parameters.web_sessions;
  traffic_options.short_transfers = parameters.short_transfers;
  traffic_options.end_s = end_s;
  sim::Traffic traffic (dumbbell, traffic_options, flow_options.start_s);

  ns3::Simulator::Stop (sim::ToTime (end_s));
  ns3::Simulator::Run ();

  const sim::QueueMeter &queue = flows.Queue ();
  result.Set ("packet_loss_rate",
      static_cast<double> (queue.Dropped ()) / static_cast<double> (queue.Arrived ()));
  result.Set ("utilisation", queue.RateBps () / parameters.rate_bps);
  result.Set ("mean_queue_delay_s", queue.MeanDelayS ());
  result.Set ("tfrc_bps", flows.MeanRateBps ("tfrc"));
  result.Set ("tcp_bps", flows.MeanRateBps ("tcp"));
  flows.Rows ().Write (output, "flows");
  result.Write (output);
  ns3::Simulator::Destroy ();
}

} // namespace

int
main (int argc, char **argv)
{
  Parameters parameters;
  sim::Options options (
      "TFRC and TCP flows through a dumbbell with much other traffic (the limits paper).");

  options.Add ("rate_bps", &parameters.rate_bps, "of the bottleneck", 1e5, 1e9);
  options.Add ("delay_ms", &parameters.delay_ms, "of the bottleneck, one way", 0, 10000);
  options.Add (
      "background", &parameters.background, "long TCP flows beside those compared", 0, 5000);
  options.Add ("tfrc_flows", &parameters.tfrc_flows, "for each rate scale", 0, 500);
  options.Add ("tcp_flows", &parameters.tcp_flows, "that are compared with them", 0, 500);
  options.Add ("cbr", &parameters.cbr, "add the 14 flows of constant rates, 16 kbit/s to 1 Mbit/s");
  options.Add ("rate_scales", &parameters.rate_scales,
      "TFRC's factors on the equation, with commas between");
  options.Add (
      "rto_policy", &parameters.rto_policy, "TFRC's t_RTO of the equation", sim::RtoPolicyNames ());
  options.Add ("history_length", &parameters.history_length, "TFRC's loss intervals", 2,
      TFRC_MAX_HISTORY_LENGTH);
  options.Add ("min_rto_s", &parameters.min_rto_s, "TCP's least retransmission timeout", 0.001, 60);
  options.Add ("web_sessions", &parameters.web_sessions, "each way", 0, 5000);
  options.Add ("short_transfers", &parameters.short_transfers, "of TCP, each way", 0, 5000);
  options.Add ("duration_s", &parameters.duration_s, "that is measured", 1, 1e5);
  options.Add ("warmup_s", &parameters.warmup_s, "before it", 0, 1e5);
  options.Parse (argc, argv);
  Run (parameters, options.Output ());
  return 0;
}
