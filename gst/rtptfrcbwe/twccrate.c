/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rate from transport-wide feedback, see twccrate.h. */
#include "twccrate.h"

#include <tfrc/reports.h>

#include "../common/log.h"
#include "../flow/rateestimate.h"

/* What encoders put into a packet of 1500 bytes; the mean of what is sent takes its place. */
#define USUAL_PAYLOAD_BYTES 1200

/* Unused send times are kept for this long only, as a queue guard needs it, and as tfrcsink does. */
#define BURST_LIMIT_NS (10 * G_GUINT64_CONSTANT (1000000))

struct _GstTfrcTwccRate
{
  TfrcSender *sender;
  TfrcArrivals *arrivals;
  GstTfrcRateEstimate estimate;
  gdouble min_bitrate, max_bitrate;
  guint64 first_sent_ns, last_sent_ns; /* valid once a packet was sent */

  gboolean has_seq; /* the next field is valid */
  guint16 next_seq; /* of the packet that feedback is to be about next */
  guint64 unnoted;  /* packets sent since feedback was about a new one */
};

/* ---- life ---------------------------------------------------------------- */

static void
get_sender_config (const GstTfrcTwccRateConfig *config, TfrcSenderConfig *sender)
{
  tfrc_sender_config_init (sender);
  sender->segment_size_bytes = USUAL_PAYLOAD_BYTES;
  sender->initial_rtt_ns = GST_TFRC_TWCC_INITIAL_RTT_NS;
  sender->initial_rate_Bps = (gdouble) config->start_bitrate / 8;
  sender->queue_guard = config->queue_guard;
  sender->burst_limit_ns = BURST_LIMIT_NS;
}

GstTfrcTwccRate *
gst_tfrc_twcc_rate_new (const GstTfrcTwccRateConfig *config, guint64 now_ns)
{
  GstTfrcTwccRate *self = g_new0 (GstTfrcTwccRate, 1);
  TfrcSenderConfig sender;

  get_sender_config (config, &sender);
  if (tfrc_sender_new (&self->sender, &sender) != TFRC_OK
      || tfrc_arrivals_new (&self->arrivals) != TFRC_OK
      || !gst_tfrc_twcc_rate_set_limits (self, config->min_bitrate, config->max_bitrate, now_ns)) {
    gst_tfrc_twcc_rate_free (self);
    return NULL;
  }
  /* The application knows the first rate that it has asked for; another one is announced with the first packet. */
  if (gst_tfrc_rate_estimate_get (&self->estimate, now_ns) == config->start_bitrate)
    gst_tfrc_rate_estimate_announce (&self->estimate, now_ns);
  return self;
}

void
gst_tfrc_twcc_rate_free (GstTfrcTwccRate *self)
{
  if (self == NULL)
    return;
  tfrc_sender_free (self->sender);
  tfrc_arrivals_free (self->arrivals);
  g_free (self);
}

/* ---- the rate ------------------------------------------------------------ */

static void
update_estimate (GstTfrcTwccRate *self, guint64 now_ns)
{
  gdouble rate_Bps = MIN (
      tfrc_sender_get_rate_Bps (self->sender), tfrc_sender_get_inst_rate_Bps (self->sender));

  gst_tfrc_rate_estimate_set_rate (
      &self->estimate, CLAMP (8 * rate_Bps, self->min_bitrate, self->max_bitrate), now_ns);
}

gboolean
gst_tfrc_twcc_rate_set_limits (
    GstTfrcTwccRate *self, guint64 min_bitrate, guint64 max_bitrate, guint64 now_ns)
{
  gdouble least_Bps = (gdouble) USUAL_PAYLOAD_BYTES / 64; /* RFC 5348 section 4.3: s / t_mbi */

  if (min_bitrate > max_bitrate)
    return FALSE;
  tfrc_sender_set_rate_limits (
      self->sender, (gdouble) min_bitrate / 8, MAX ((gdouble) max_bitrate / 8, least_Bps));
  self->min_bitrate = (gdouble) min_bitrate;
  self->max_bitrate = (gdouble) max_bitrate;
  gst_tfrc_rate_estimate_limit (&self->estimate, min_bitrate, max_bitrate, now_ns);
  update_estimate (self, now_ns);
  return TRUE;
}

void
gst_tfrc_twcc_rate_on_sent (GstTfrcTwccRate *self, gsize size_bytes, guint64 now_ns)
{
  TfrcData data;

  gst_tfrc_twcc_rate_on_time (self, now_ns);
  if (tfrc_sender_on_sent (
          self->sender, (guint32) CLAMP (size_bytes, 1, G_MAXUINT16), now_ns, &data)
      != TFRC_OK)
    return;
  self->unnoted++;
  if (self->last_sent_ns == 0)
    self->first_sent_ns = now_ns;
  self->last_sent_ns = now_ns;
}

void
gst_tfrc_twcc_rate_on_time (GstTfrcTwccRate *self, guint64 now_ns)
{
  guint64 expirations = tfrc_sender_get_nofeedback_expirations (self->sender);

  if (now_ns < tfrc_sender_next_timeout_ns (self->sender))
    return;
  tfrc_sender_on_timeout (self->sender, now_ns);
  if (tfrc_sender_get_nofeedback_expirations (self->sender) == expirations)
    return;
  gst_tfrc_log (rate, DEBUG,
      "no feedback has come, for the %" G_GUINT64_FORMAT ". time: X = %.0f byte/s", expirations + 1,
      tfrc_sender_get_rate_Bps (self->sender));
  update_estimate (self, now_ns);
}

guint64
gst_tfrc_twcc_rate_next_ns (const GstTfrcTwccRate *self)
{
  return tfrc_sender_next_timeout_ns (self->sender);
}

guint64
gst_tfrc_twcc_rate_next_send_ns (const GstTfrcTwccRate *self)
{
  return tfrc_sender_next_send_ns (self->sender);
}

guint64
gst_tfrc_twcc_rate_get_estimate (GstTfrcTwccRate *self, guint64 now_ns)
{
  return gst_tfrc_rate_estimate_get (&self->estimate, now_ns);
}

guint64
gst_tfrc_twcc_rate_announce (GstTfrcTwccRate *self, guint64 now_ns)
{
  return gst_tfrc_rate_estimate_announce (&self->estimate, now_ns);
}

guint64
gst_tfrc_twcc_rate_announce_ns (const GstTfrcTwccRate *self)
{
  return gst_tfrc_rate_estimate_next_ns (&self->estimate);
}

/* ---- feedback ------------------------------------------------------------ */

/* A number that seems to lie back may be one of those that have been used in a long silence of the receiver, if there
 * were as many; some more were under way when the silence began. */
static gboolean
has_come_round (const GstTfrcTwccRate *self, guint16 seq)
{
  guint16 ahead = (guint16) (seq - self->next_seq);

  return ahead > G_MAXINT16 && ahead <= self->unnoted + TFRC_ARRIVALS_PACKETS;
}

/* A packet is noted when feedback is about it for the first time, and with it those between, which no
 * feedback was about. rtpsession stamps a packet some time after this object has been told of it, and
 * the sender refuses feedback about a time at which it had sent nothing. */
static void
note_packet (GstTfrcTwccRate *self, const GstTfrcTwccPacket *packet)
{
  guint64 sent_ns = CLAMP (packet->sent_ns, self->first_sent_ns, self->last_sent_ns);
  TfrcData data = { 0 };
  gint16 ahead = (gint16) (packet->seq - self->next_seq);

  /* Numbers that jump begin anew. */
  if (!self->has_seq || ahead > TFRC_ARRIVALS_PACKETS || has_come_round (self, packet->seq)) {
    self->has_seq = TRUE;
    self->next_seq = packet->seq;
  } else if (ahead < 0) {
    return;
  }
  self->unnoted = 0;
  data.size_bytes = packet->size_bytes;
  data.send_time_us = tfrc_sender_wire_time_us (self->sender, sent_ns);
  data.rtt_us = (guint32) (tfrc_sender_get_rtt_ns (self->sender) / 1000);
  do {
    data.seq = self->next_seq;
    tfrc_arrivals_on_packet (self->arrivals, &data);
  } while (self->next_seq++ != packet->seq);
}

static void
log_rate (const GstTfrcTwccRate *self, gsize n)
{
  TfrcSenderStats stats;

  if (!gst_tfrc_log_is_wanted (rate, LOG))
    return;
  tfrc_sender_get_stats (self->sender, &stats);
  gst_tfrc_log (rate, LOG,
      "feedback about %" G_GSIZE_FORMAT " packets: X = %.0f byte/s, X_inst = %.0f, R = %.3f ms, "
      "p = %g, X_recv = %.0f byte/s",
      n, stats.x_Bps, stats.x_inst_Bps, stats.rtt_ns / 1e6, stats.p, stats.x_recv_Bps);
}

gboolean
gst_tfrc_twcc_rate_on_packets (
    GstTfrcTwccRate *self, const GstTfrcTwccPacket *packets, gsize n, guint64 now_ns)
{
  TfrcReportedPacket *list;
  TfrcResult result;

  gst_tfrc_twcc_rate_on_time (self, now_ns);
  if (n == 0 || self->last_sent_ns == 0)
    return FALSE;
  list = g_new0 (TfrcReportedPacket, n);
  for (gsize i = 0; i < n; i++) {
    note_packet (self, &packets[i]);
    list[i] = (TfrcReportedPacket){
      .seq = packets[i].seq, .arrived = packets[i].arrived, .arrival_ns = packets[i].arrival_ns
    };
  }
  result = tfrc_arrivals_on_list (self->arrivals, self->sender, list, n, 0, now_ns);
  g_free (list);
  if (result != TFRC_OK) {
    gst_tfrc_log (rate, DEBUG, "feedback about %" G_GSIZE_FORMAT " packets is refused: %s", n,
        tfrc_result_to_string (result));
    return FALSE;
  }
  log_rate (self, n);
  update_estimate (self, now_ns);
  return TRUE;
}
