/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Throughput, loss, delay and jitter of a flow, see path_meter.h.
#include "enhanced/path_meter.h"

#include <algorithm>
#include <cstdlib>

namespace sim
{

namespace
{

double
Ratio (double part, double whole)
{
  return whole > 0 ? part / whole : 0;
}

} // namespace

PathMeter::PathMeter (TfrcFlow *flow, const Window &window) : m_window (window)
{
  flow->OnSent ([this] (const Delivery &) { m_sent += m_window.Contains (NowNs ()); });
  flow->OnReceived ([this] (const Delivery &packet) { OnReceived (packet); });
}

void
PathMeter::OnQueueDrop ()
{
  m_queue_drops += m_window.Contains (NowNs ());
}

void
PathMeter::OnLinkError ()
{
  m_link_errors += m_window.Contains (NowNs ());
}

void
PathMeter::OnReceived (const Delivery &packet)
{
  int64_t network_ns = packet.arrived_ns - packet.sent_ns;

  if (!m_window.Contains (packet.sent_ns))
    return;
  if (m_delivered > 0)
    m_differences_ns += std::abs (network_ns - m_last_network_ns);
  m_last_network_ns = network_ns;
  m_network_ns += network_ns;
  m_total_ns += packet.arrived_ns - packet.due_ns;
  m_delivered++;
}

void
PathMeter::AddTo (Result *result, double generated, uint32_t wire_bytes) const
{
  auto sent = static_cast<double> (m_sent), delivered = static_cast<double> (m_delivered);
  auto queue_drops = static_cast<double> (m_queue_drops);
  auto link_errors = static_cast<double> (m_link_errors);

  result->Set ("throughput_bps", 8 * delivered * wire_bytes / m_window.LengthS ());
  result->Set ("loss_ratio", Ratio (queue_drops + link_errors, sent));
  result->Set ("queue_loss_ratio", Ratio (queue_drops, sent));
  result->Set ("delivery_ratio", Ratio (delivered, generated));
  result->Set ("delay_s", Ratio (static_cast<double> (m_network_ns), delivered) / kNsPerS);
  result->Set (
      "delay_from_source_s", Ratio (static_cast<double> (m_total_ns), delivered) / kNsPerS);
  result->Set ("jitter_s",
      Ratio (static_cast<double> (m_differences_ns), std::max (delivered - 1, 0.0)) / kNsPerS);
  result->Set ("generated", generated);
  result->Set ("sent", sent);
  result->Set ("delivered", delivered);
  result->Set ("queue_drops", queue_drops);
  result->Set ("link_errors", link_errors);
}

} // namespace sim
