/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The loss of handover notifications, see notification_loss.h.
#include "handover/notification_loss.h"

#include "common/clock.h"
#include "common/packet_size.h"
#include "common/wire_packet.h"

namespace sim
{

namespace
{

constexpr uint32_t kPppBytes = 2;

} // namespace

ns3::TypeId
NotificationLoss::GetTypeId ()
{
  static ns3::TypeId id = ns3::TypeId ("sim::NotificationLoss")
                              .SetParent<ns3::ErrorModel> ()
                              .AddConstructor<NotificationLoss> ();

  return id;
}

bool
NotificationLoss::DoCorrupt (ns3::Ptr<ns3::Packet> packet)
{
  ns3::Ptr<ns3::Packet> inner = packet->Copy ();
  TfrcWireRtcp rtcp;

  if (NowNs () >= m_until_ns)
    return false;
  inner->RemoveAtStart (kPppBytes + kUdpIpBytes);
  if (ParseRtcp (*inner, 0, &rtcp) != TFRC_WIRE_OK || !rtcp.has_feedback || !rtcp.feedback.handover)
    return false;
  m_lost++;
  return true;
}

} // namespace sim
