/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples of what a flow sends, see sendtrace.h. */
#include "sendtrace.h"

void
gst_tfrc_send_trace_sample (GstTfrcQueueTrace *trace, const GstTfrcOutbox *outbox,
    const GstTfrcRateControl *control, guint64 now_ns)
{
  GstTfrcOutboxStats waiting;
  TfrcSenderStats sender;
  GstTfrcQueueSample sample;

  if (!gst_tfrc_queue_trace_is_due (trace, now_ns))
    return;
  gst_tfrc_outbox_get_stats (outbox, now_ns, &waiting);
  gst_tfrc_rate_control_get_stats (control, &sender);
  sample.wait_ns = waiting.queue_time_ns;
  sample.packets = waiting.queue_packets;
  sample.bytes = waiting.queue_bytes;
  sample.packets_sent = sender.packets_sent;
  sample.bytes_sent = sender.bytes_sent;
  sample.packets_dropped = waiting.packets_dropped;
  sample.packets_past_deadline = waiting.deadline.dropped;
  gst_tfrc_queue_trace_add (trace, now_ns, &sample);
}
