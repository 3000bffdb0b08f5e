/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The record of the stream, see recorder.h.
#include "handover/recorder.h"

#include <utility>

#include "common/packet_size.h"

namespace sim
{

namespace
{

// Windows after a handover: the paper's 1 s, and 5 s for the recovery. Another window lasts until
// the end.
const std::pair<const char *, double> kLengths[] = { { "1s", 1 }, { "5s", 5 } };

double
WireBps (double payload_Bps, const TfrcSenderStats &stats)
{
  return 8 * payload_Bps * (1 + kTfrcIpBytes / stats.segment_size_bytes);
}

double
Seconds (uint64_t time_ns)
{
  return static_cast<double> (time_ns) / kNsPerS;
}

} // namespace

Recorder::Recorder (TfrcFlow &flow, const RecorderOptions &options)
    : m_options (options), m_sender (flow.Sender ()), m_receiver (flow.Receiver ()),
      m_series ({ "time_s", "x_bps", "x_inst_bps", "x_recv_bps", "received_bps", "rtt_s",
          "rtt_sample_s", "p", "dropped", "phase" })
{
  for (const auto &[name, length_s] : kLengths)
    m_counts.push_back (
        { name, Window::Seconds (options.handover_s, options.handover_s + length_s) });
  m_counts.push_back ({ "rest", Window::Seconds (options.handover_s, options.end_s) });
  m_counts.push_back ({ "", Window::Seconds (0, options.end_s) });
  flow.OnSent ([this] (const Delivery &) { m_sent++; }); // the sender's own count restarts with it
  flow.OnReceived ([this] (const Delivery &delivery) { OnReceived (delivery); });
  flow.Sender ()->TraceConnectWithoutContext (
      "Feedback", ns3::MakeCallback (&Recorder::OnFeedback, this));
  ns3::Simulator::Schedule (
      ToTime (options.handover_s) - ns3::NanoSeconds (1), &Recorder::Remember, this);
  if (options.sample_s > 0)
    ns3::Simulator::Schedule (ToTime (options.sample_s), &Recorder::Sample, this);
}

void
Recorder::Watch (QueueMeter &queue)
{
  queue.OnDrop ([this] (int flow) {
    if (flow == 0)
      OnDropped ();
  });
}

void
Recorder::OnReceived (const Delivery &delivery)
{
  bool overtaken = delivery.index < m_next_index;

  if (m_first_delay_s < 0)
    m_first_delay_s = delivery.DelayS ();
  if (!overtaken)
    m_next_index = delivery.index + 1;
  for (Counts &counts : m_counts) {
    if (!counts.window.Contains (delivery.arrived_ns))
      continue;
    counts.arrived++;
    counts.bytes += delivery.payload_bytes + kTfrcIpBytes;
    counts.overtaken += overtaken;
    counts.late += delivery.DelayS () > m_first_delay_s + m_options.playout_s;
  }
}

void
Recorder::OnFeedback (const TfrcFeedback &feedback)
{
  if (feedback.handover)
    m_held_until_ns = NowNs ();
}

void
Recorder::OnDropped ()
{
  for (Counts &counts : m_counts)
    counts.dropped += counts.window.Contains (NowNs ());
}

void
Recorder::Remember ()
{
  m_before = m_sender->Stats ();
}

void
Recorder::Sample ()
{
  TfrcSenderStats stats = m_sender->Stats ();
  const Counts &all = m_counts.back ();

  m_series.Add ({ static_cast<double> (NowNs ()) / kNsPerS, WireBps (stats.x_Bps, stats),
      WireBps (stats.x_inst_Bps, stats), WireBps (stats.x_recv_Bps, stats),
      8 * static_cast<double> (all.bytes - m_sampled_bytes) / m_options.sample_s,
      Seconds (stats.rtt_ns), Seconds (stats.rtt_sample_ns), stats.p,
      static_cast<double> (all.dropped - m_sampled_drops),
      static_cast<double> (m_receiver->Stats ().handover_phase) });
  m_sampled_bytes = all.bytes;
  m_sampled_drops = all.dropped;
  ns3::Simulator::Schedule (ToTime (m_options.sample_s), &Recorder::Sample, this);
}

void
Recorder::Write (Result *result, const std::string &directory) const
{
  TfrcReceiverStats receiver = m_receiver->Stats ();
  double held_until_s = static_cast<double> (m_held_until_ns) / kNsPerS;

  for (const Counts &counts : m_counts) {
    std::string suffix = counts.name.empty () ? "" : "_" + counts.name;

    result->Set ("received" + suffix + "_bps",
        8 * static_cast<double> (counts.bytes) / counts.window.LengthS ());
    result->Set ("arrived" + suffix, static_cast<double> (counts.arrived));
    result->Set ("dropped" + suffix, static_cast<double> (counts.dropped));
    result->Set ("overtaken" + suffix, static_cast<double> (counts.overtaken));
    result->Set ("late" + suffix, static_cast<double> (counts.late));
  }
  result->Set ("sent", static_cast<double> (m_sent));
  result->Set ("x_before_bps", WireBps (m_before.x_Bps, m_before));
  result->Set ("rtt_before_s", Seconds (m_before.rtt_ns));
  result->Set ("p_before", m_before.p);
  result->Set ("held_s", m_held_until_ns > 0 ? held_until_s - m_options.handover_s : 0);
  result->Set ("handovers_completed", static_cast<double> (receiver.handovers_completed));
  result->Set ("handovers_abandoned", static_cast<double> (receiver.handovers_abandoned));
  if (m_options.sample_s > 0)
    m_series.Write (directory, "series");
}

} // namespace sim
