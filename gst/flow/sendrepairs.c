/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The repair of what has left last, see sendrepairs.h. */
#include "sendrepairs.h"

#include "../common/log.h"

static gboolean
find_tail (GstTfrcSendSession *session, const GstTfrcOutbox *outbox, GstTfrcRepairTail *tail)
{
  GstTfrcSendMedia *media = gst_tfrc_send_session_get_media (session);

  return gst_tfrc_outbox_get_tail (outbox, tail)
      && gst_tfrc_receiver_view_get_says (gst_tfrc_send_session_get_receiver (session))
      && !gst_tfrc_send_session_is_peer_absent (session)
      && !gst_tfrc_rtp_stream_has_ended (gst_tfrc_send_media_get_rtp (media, GST_TFRC_RTP_MEDIA))
      && !gst_tfrc_receiver_view_has_newest (gst_tfrc_send_session_get_receiver (session),
          gst_tfrc_rate_control_get_packets_sent (gst_tfrc_send_media_get_control (media)));
}

guint64
gst_tfrc_send_repairs_probe_ns (GstTfrcSendSession *session, const GstTfrcOutbox *outbox)
{
  guint64 rtt_ns = gst_tfrc_rate_control_get_rtt_ns (
      gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (session)));
  GstTfrcRepairTail tail;
  guint64 probe_ns;

  if (!find_tail (session, outbox, &tail))
    return G_MAXUINT64;
  probe_ns = tail.last_ns
      + MAX (GST_TFRC_SEND_REPAIRS_TAIL_RTTS * rtt_ns, GST_TFRC_SEND_REPAIRS_LEAST_TAIL_NS);
  return probe_ns < tail.end_ns ? probe_ns : G_MAXUINT64;
}

void
gst_tfrc_send_repairs_on_time (GstTfrcSendSession *session, GstTfrcOutbox *outbox, guint64 now_ns)
{
  if (now_ns >= gst_tfrc_send_repairs_probe_ns (session, outbox)
      && gst_tfrc_outbox_repair_newest (outbox, now_ns))
    gst_tfrc_log (flow, LOG, "no feedback has told of the newest packet: it is sent again");
}

guint64
gst_tfrc_send_repairs_tail_end_ns (GstTfrcSendSession *session, const GstTfrcOutbox *outbox)
{
  GstTfrcRepairTail tail;

  return find_tail (session, outbox, &tail) ? tail.end_ns : 0;
}
