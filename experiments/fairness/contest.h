/* SPDX-License-Identifier: LGPL-2.1-or-later */
// TFRC and TCP flows through one bottleneck: the network, the flows, and their results.
#ifndef SIM_FAIRNESS_CONTEST_H
#define SIM_FAIRNESS_CONTEST_H

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ns3/random-variable-stream.h>

#include "common/clock.h"
#include "common/mechanisms.h"
#include "common/meter.h"
#include "common/net.h"
#include "common/observers.h"
#include "common/result.h"
#include "common/sink_settings.h"
#include "common/tcp.h"
#include "common/tfrc_app.h"
#include "fairness/live_source.h"
#include "vod/playlist.h"

namespace sim
{

constexpr double kNone = std::numeric_limits<double>::quiet_NaN (); // in results: not measured

struct ContestOptions
{
  double rate_bps = 10e6;
  double rtt_ms = 20; // without queues
  std::string queue = "droptail";
  double queue_bdp = 1;
  std::string first = "tfrc";     // protocol compared with TCP: tfrc, or tcp as a reference
  std::string first_tcp = "same"; // with tcp: its congestion control; same: that of the others
  uint32_t tfrc_flows = 1;        // flows of that protocol
  uint32_t tcp_flows = 1;
  std::string tcp = "reno";
  double min_rto_s = 0.2;
  bool tcp_paced = false;
  Mechanisms mechanisms;   // of TFRC
  uint32_t tfrc_burst = 1; // packets that leave together
  SinkSettings sink;
  uint32_t history_length = 8;
  double tfrc_start_s = 0; // flows start up to 1 s later; so does TCP
  double tcp_start_s = 0;
  double warmup_s = 20;
  double duration_s = 60;
};

std::vector<std::string> QueueNames ();
std::vector<std::string> TcpNames ();

class Contest
{
public:
  struct Flow
  {
    bool is_first;
    std::optional<TfrcFlow> tfrc;
    std::unique_ptr<TfrcObserver> tfrc_observer;
    std::unique_ptr<TcpFlow> tcp;
    std::unique_ptr<TcpObserver> tcp_observer;
    std::unique_ptr<FlowMeter> delivered;
    std::unique_ptr<Audience> audience; // if the flow is a movie
  };

  // movies: one for each TFRC flow; if empty, all flows are greedy.
  Contest (const ContestOptions &options, const std::vector<Entry> &movies);

  std::deque<Flow> &
  Flows ()
  {
    return m_flows;
  }
  const Link &
  Bottleneck () const
  {
    return m_bottleneck;
  }
  // Rate of delivered packets, with all headers
  double RateBps (size_t flow) const;

  void Measure (Result *result) const;
  Table Rows () const;

private:
  void Connect ();
  void AddTfrc (std::unique_ptr<PacketSource> source, std::unique_ptr<Audience> audience);
  void AddTcp (bool is_first, double from_s);
  Flow &Add (bool is_first, Protocol protocol, const Endpoints &endpoints);
  Endpoints NextEndpoints ();
  double StartS (double from_s);
  double PathRttS () const;
  double MeanRateBps (bool first) const;
  double JainIndex () const;

  ContestOptions m_options;
  Window m_window;
  Network m_network;
  ns3::Ptr<ns3::Node> m_from, m_to;
  Link m_bottleneck;
  uint32_t m_queue_packets = 0;
  uint16_t m_next_port = 5004;
  ns3::Ptr<ns3::UniformRandomVariable> m_random;
  FlowTable m_table;
  std::deque<Flow> m_flows;
  std::unique_ptr<QueueMeter> m_queue;
  std::unique_ptr<LossEventMeter> m_losses;
};

} // namespace sim
#endif
