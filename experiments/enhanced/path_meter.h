/* SPDX-License-Identifier: LGPL-2.1-or-later */
// What the network does to the packets of one TFRC flow, in a window of the simulation: the
// measures of the enhanced-TFRC paper.
#ifndef SIM_ENHANCED_PATH_METER_H
#define SIM_ENHANCED_PATH_METER_H

#include <cstdint>

#include "common/clock.h"
#include "common/result.h"
#include "common/tfrc_app.h"

namespace sim
{

// Packets count if they leave the sender within the window. Meters have to outlive the simulation.
class PathMeter
{
public:
  PathMeter (TfrcFlow *flow, const Window &window);
  PathMeter (const PathMeter &) = delete;
  PathMeter &operator= (const PathMeter &) = delete;

  void OnQueueDrop (); // a queue refuses a packet of the flow now
  void OnLinkError ();

  // generated: packets of the source within the window. wire_bytes: of a packet, with headers
  void AddTo (Result *result, double generated, uint32_t wire_bytes) const;

private:
  void OnReceived (const Delivery &packet);

  Window m_window;
  uint64_t m_sent = 0, m_delivered = 0;
  uint64_t m_queue_drops = 0, m_link_errors = 0;
  int64_t m_network_ns = 0, m_total_ns = 0, m_differences_ns = 0;
  int64_t m_last_network_ns = 0;
};

} // namespace sim
#endif
