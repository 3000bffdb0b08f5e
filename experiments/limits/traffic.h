/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Other traffic in the dumbbell: web-like sessions, short file transfers, and bursts of UDP
// (section 3 of the limits paper; the paper omits the sizes).
#ifndef SIM_LIMITS_TRAFFIC_H
#define SIM_LIMITS_TRAFFIC_H

#include <cstdint>
#include <memory>
#include <vector>

#include <ns3/application.h>
#include <ns3/event-id.h>
#include <ns3/random-variable-stream.h>
#include <ns3/socket.h>

#include "common/tcp.h"
#include "limits/dumbbell.h"

namespace sim
{

// A reader of web pages: fetches an object over a new TCP connection, waits, and fetches the next.
// Sizes have a Pareto distribution, as web objects do; waits are exponential.
class WebSession : public ns3::Application
{
public:
  static constexpr double kMeanObjectBytes = 12000;
  static constexpr double kObjectShape = 1.2;
  static constexpr double kLargestObjectBytes = 5e6;
  static constexpr double kMeanThinkTimeS = 1;

  // Install the application on the node that sends. A sink has to listen at peer.
  WebSession (const ns3::Address &peer, uint32_t segment_bytes);

private:
  void StartApplication () override;
  void StopApplication () override;
  void DoDispose () override;
  void Think ();
  void Fetch ();
  void Send (ns3::Ptr<ns3::Socket> socket);
  void SendMore (ns3::Ptr<ns3::Socket> socket, uint32_t);
  void Ended (ns3::Ptr<ns3::Socket> socket);

  ns3::Address m_peer;
  uint32_t m_segment_bytes;
  ns3::Ptr<ns3::RandomVariableStream> m_object_bytes;
  ns3::Ptr<ns3::RandomVariableStream> m_think_s;
  ns3::Ptr<ns3::Socket> m_socket;
  ns3::EventId m_next;
  uint64_t m_left_bytes = 0;
};

struct TrafficOptions
{
  uint32_t long_flows = 5;       // TCP, forward, unlimited
  uint32_t web_sessions = 50;    // each way
  uint32_t short_transfers = 50; // each way
  double pareto_udp = 0.015;     // of the bottleneck's rate, forward
  uint32_t wire_bytes = 1000;
  double end_s = 0; // of the simulation
};

// All the other traffic, between random hosts. Has to outlive the simulation.
class Traffic
{
public:
  // Long flows start at random within the first start_s. A short transfer starts at any time and
  // has an exponential size.
  Traffic (Dumbbell &dumbbell, const TrafficOptions &options, double start_s);

private:
  void AddTransfer (const Endpoints &endpoints, double start_s, double stop_s, uint64_t bytes = 0);
  void AddWebSession (const Endpoints &endpoints, const TrafficOptions &options);
  void AddParetoUdp (const Endpoints &endpoints, const TrafficOptions &options, double mean_bps);

  std::vector<std::unique_ptr<TcpFlow>> m_transfers;
};

} // namespace sim
#endif
