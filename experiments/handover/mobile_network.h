/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The handover paper's network (its Fig. 4): CN - R - {BS1, BS2} - MN, and a server beside CN for
// other traffic. MN always keeps the address of its first interface.
#ifndef HANDOVER_MOBILE_NETWORK_H
#define HANDOVER_MOBILE_NETWORK_H

#include <array>
#include <cstddef>

#include "common/flow.h"
#include "common/net.h"

namespace sim
{

constexpr size_t kPaths = 2;

struct MobileNetworkOptions
{
  LinkOptions trunk;                      // CN - R
  std::array<LinkOptions, kPaths> access; // BSi - MN's interface
};

class MobileNetwork
{
public:
  explicit MobileNetwork (const MobileNetworkOptions &options);

  Endpoints Stream () const;           // CN to MN, over the path in use
  Endpoints Other (size_t path) const; // server to MN, always over this path

  const Link &
  Trunk () const
  {
    return m_trunk;
  }
  const Link &
  Access (size_t path) const
  {
    return m_access[path];
  }
  ns3::Ptr<ns3::PointToPointNetDevice> Interface (size_t path) const; // of MN
  ns3::Ptr<ns3::PointToPointNetDevice> Host () const;                 // of CN

  // From now on R forwards the stream over this path, and MN answers over it. Packets that are
  // under way still arrive.
  void UsePath (size_t path);
  size_t
  Path () const
  {
    return m_path;
  }

private:
  Network m_network;
  ns3::Ptr<ns3::Node> m_cn, m_server, m_router, m_mn;
  Link m_trunk;
  std::array<Link, kPaths> m_backbone; // R - BSi
  std::array<Link, kPaths> m_access;
  size_t m_path = 0;
};

} // namespace sim
#endif
