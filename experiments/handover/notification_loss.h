/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Loses feedback with a handover notification (HOn) for a while. The mechanism has to survive this.
#ifndef HANDOVER_NOTIFICATION_LOSS_H
#define HANDOVER_NOTIFICATION_LOSS_H

#include <cstdint>

#include <ns3/error-model.h>

namespace sim
{

// Attach it to the device at which feedback arrives.
class NotificationLoss : public ns3::ErrorModel
{
public:
  static ns3::TypeId GetTypeId ();

  void
  LoseUntil (int64_t time_ns)
  {
    m_until_ns = time_ns;
  }
  uint64_t
  Lost () const
  {
    return m_lost;
  }

private:
  bool DoCorrupt (ns3::Ptr<ns3::Packet> packet) override;
  void
  DoReset () override
  {
    m_until_ns = 0;
  }

  int64_t m_until_ns = 0;
  uint64_t m_lost = 0;
};

} // namespace sim
#endif
