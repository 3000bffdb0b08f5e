/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "multihop/chain.h"

#include "common/packet_size.h"

namespace sim
{

namespace
{

constexpr double kAccessRateBps = 100e6;
constexpr uint16_t kFirstPort = 5001;

} // namespace

std::vector<ChainFlow>
ChainFlows (uint32_t hops)
{
  std::vector<ChainFlow> flows{ { 0, hops, 0, Direction::kForward } };

  for (uint32_t hop = 0; hop < hops; hop++) {
    flows.push_back ({ hop, hop + 1, hop, Direction::kForward });
    flows.push_back ({ hop + 1, hop, hop, Direction::kBackward });
  }
  return flows;
}

Chain::Chain (const ChainOptions &options)
    : m_options (options), m_flows (ChainFlows (options.hops))
{
  m_routers = m_network.AddNodes (options.hops + 1);
  for (uint32_t hop = 0; hop < options.hops; hop++)
    m_hops.push_back (m_network.Connect (m_routers[hop], m_routers[hop + 1],
        { options.rate_bps, options.delay_s, QueueOptions::DropTail (options.buffer_packets) }));
  for (const ChainFlow &flow : m_flows)
    m_endpoints.push_back (
        AddHosts (static_cast<uint16_t> (kFirstPort + m_endpoints.size ()), flow));
  m_network.Route ();
}

Endpoints
Chain::AddHosts (uint16_t port, const ChainFlow &flow)
{
  const LinkOptions access{ kAccessRateBps, m_options.delay_s, {} };
  Endpoints endpoints{ m_network.AddNode (), m_network.AddNode (), port };

  m_network.Connect (endpoints.from, m_routers[flow.from_router], access);
  m_network.Connect (m_routers[flow.to_router], endpoints.to, access);
  return endpoints;
}

double
Chain::BaseRttS (size_t flow) const
{
  uint32_t links = (flow == 0 ? m_options.hops : 1) + 2;

  return 2 * links * m_options.delay_s;
}

GreedyFlow::GreedyFlow (const std::string &control, const Endpoints &endpoints, uint32_t wire_bytes,
    TfrcRtoPolicy rto_policy, double start_s, double stop_s)
    : m_start_s (start_s)
{
  if (control == "tfrc") {
    TfrcSenderConfig sender;
    TfrcReceiverConfig receiver;
    uint32_t payload_bytes = TfrcPayload (wire_bytes);

    tfrc_sender_config_init (&sender);
    tfrc_receiver_config_init (&receiver);
    sender.segment_size_bytes = payload_bytes;
    sender.rto_policy = rto_policy;
    m_tfrc = std::make_unique<TfrcFlow> (endpoints, sender, receiver,
        std::make_unique<GreedySource> (payload_bytes), start_s, stop_s);
  } else
    m_tcp = std::make_unique<TcpFlow> (endpoints, start_s, stop_s);
}

void
GreedyFlow::OnDelivered (std::function<void (uint32_t)> listener)
{
  if (m_tfrc)
    m_tfrc->OnDelivered (std::move (listener));
  else
    m_tcp->OnDelivered (std::move (listener));
}

double
GreedyFlow::RttS () const
{
  return m_tfrc ? static_cast<double> (m_tfrc->Sender ()->Stats ().rtt_ns) / kNsPerS
                : m_tcp->RttS ();
}

void
GreedyFlow::Observe (const Window &window)
{
  if (m_tfrc)
    m_tfrc_observer = std::make_unique<TfrcObserver> (*m_tfrc, window);
  else
    m_tcp_observer = std::make_unique<TcpObserver> (*m_tcp, m_start_s, window);
}

EquationInputs
GreedyFlow::Inputs () const
{
  if (m_tfrc_observer)
    return { m_tfrc_observer->RttS (), m_tfrc_observer->RtoS () };
  return { m_tcp_observer->RttS (), m_tcp_observer->RtoS () };
}

} // namespace sim
