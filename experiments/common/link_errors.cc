/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Random losses of a link, see link_errors.h.
#include "common/link_errors.h"

#include <utility>

#include <ns3/error-model.h>

namespace sim
{

namespace
{

using PacketCallback = ns3::Callback<void, ns3::Ptr<const ns3::Packet>>;

} // namespace

void
AddLinkErrors (const Link &link, Direction direction, double loss,
    std::function<void (const ns3::Packet &)> listener)
{
  // The device at the other end receives, and damages.
  ns3::Ptr<ns3::PointToPointNetDevice> device = link.Device (
      direction == Direction::kForward ? Direction::kBackward : Direction::kForward);
  auto errors = ns3::CreateObject<ns3::RateErrorModel> ();

  errors->SetUnit (ns3::RateErrorModel::ERROR_UNIT_PACKET);
  errors->SetRate (loss);
  device->SetReceiveErrorModel (errors);
  if (listener)
    device->TraceConnectWithoutContext ("PhyRxDrop",
        PacketCallback ([listener = std::move (listener)] (
                            ns3::Ptr<const ns3::Packet> packet) { listener (*packet); }));
}

} // namespace sim
