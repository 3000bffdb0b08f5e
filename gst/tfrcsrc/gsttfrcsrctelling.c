/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tfrcsrc tells the application, see gsttfrcsrctelling.h.  The I/O loop's thread must not wait, so
 * the notifier's thread posts the messages. */
#include "gsttfrcsrctelling.h"

#include <net/if.h>

#include "../common/clock.h"
#include "../common/enums.h"
#include "../common/log.h"
#include "../common/messages.h"
#include "../keys/securityelement.h"
#include "../stream/handoversignals.h"
#include "gsttfrcsrccallers.h"
#include "gsttfrcsrclinks.h"

#define GST_CAT_DEFAULT gst_tfrc_src_debug

/* ---- statistics: docs/statistics.md has names, types and units --------------- */

/* The delays of the network, and the IPTD, which contains them, would be wrong if the clocks of
 * both ends do not agree.  Then the structure does not have these fields. */
static void
add_delays (GstStructure *s, const GstTfrcDelays *delays)
{
  gboolean agree = gst_tfrc_delays_clocks_agree (delays);

  gst_structure_set (s, "clock-synchronised", G_TYPE_BOOLEAN, agree, NULL);
  gst_tfrc_stats_add_delay (s, "sender-delay", &delays->sender);
  if (agree) {
    gst_tfrc_stats_add_delay (s, "network-delay", &delays->network);
    gst_tfrc_stats_add_delay (s, "iptd", &delays->iptd);
  }
}

static void
add_loss_intervals (GstStructure *s, const TfrcLossStatistics *loss)
{
  gst_structure_set (s, "loss-intervals", G_TYPE_UINT64, loss->intervals, "loss-interval-mean",
      G_TYPE_DOUBLE, loss->mean_interval, "loss-interval-variance", G_TYPE_DOUBLE,
      loss->var_interval, "loss-interval-throughput", G_TYPE_DOUBLE, loss->f_mean_interval,
      "predictor-mean", G_TYPE_DOUBLE, loss->mean_predictor, "predictor-variance", G_TYPE_DOUBLE,
      loss->var_predictor, "predictor-covariance", G_TYPE_DOUBLE, loss->covariance,
      "predictor-inverse-mean", G_TYPE_DOUBLE, loss->mean_inverse_predictor, "predictor-gap",
      G_TYPE_DOUBLE, loss->predicted_gap, "predictor-throughput", G_TYPE_DOUBLE,
      loss->f_mean_inverse_predictor, NULL);
}

static void
add_handovers (GstStructure *s, const GstTfrcSrcStreamStats *stats)
{
  const TfrcReceiverStats *receiver = &stats->flow.reception.receiver;
  gchar name[IF_NAMESIZE] = "";

  if (stats->flow.reception.interface != 0)
    if_indextoname (stats->flow.reception.interface, name);
  gst_structure_set (s, "interface", G_TYPE_STRING, name, "handover-phase", G_TYPE_STRING,
      gst_tfrc_enum_get_nick (GST_TYPE_TFRC_HANDOVER_PHASE, receiver->handover_phase), "handovers",
      G_TYPE_UINT64, receiver->handovers, "handovers-completed", G_TYPE_UINT64,
      receiver->handovers_completed, "handovers-abandoned", G_TYPE_UINT64,
      receiver->handovers_abandoned, NULL);
}

/* The statistics of enhanced TFRC */
static void
add_choices (GstStructure *s, const GstTfrcSrcStreamStats *stats)
{
  const TfrcReceiverStats *receiver = &stats->flow.reception.receiver;

  gst_structure_set (s, "loss-interval-method", G_TYPE_STRING,
      gst_tfrc_enum_get_nick (
          GST_TYPE_TFRC_LOSS_INTERVAL_METHOD, stats->flow.receiver.loss_interval_method),
      "loss-classifier", G_TYPE_STRING,
      gst_tfrc_enum_get_nick (GST_TYPE_TFRC_LOSS_CLASSIFIER, stats->flow.receiver.loss_classifier),
      "link-errors", G_TYPE_UINT64, receiver->link_errors, "congestion-loss-event-rate",
      G_TYPE_DOUBLE, receiver->congestion_p, NULL);
}

static void
add_repairs (GstStructure *s, const GstTfrcRepairRequestsStats *repairs)
{
  gst_structure_set (s, "packets-requested", G_TYPE_UINT64, repairs->requested, "repair-requests",
      G_TYPE_UINT64, repairs->requests, "packets-repaired", G_TYPE_UINT64, repairs->repaired,
      "repairs-late", G_TYPE_UINT64, repairs->late, "repairs-duplicate", G_TYPE_UINT64,
      repairs->duplicate, NULL);
}

static const gchar *
get_sender_state (const GstTfrcSrcStreamStats *stats)
{
  if (!stats->flow.has_sender)
    return "waiting";
  if (stats->flow.sender_has_ended)
    return "gone";
  return stats->flow.sender_is_lost ? "lost" : "connected";
}

GstStructure *
gst_tfrc_src_stats_new (const GstTfrcSrcStreamStats *stats)
{
  const TfrcReceiverStats *receiver;
  GstStructure *s;
  gchar *sender;

  receiver = &stats->flow.reception.receiver;
  sender = gst_tfrc_address_to_string (&stats->flow.reception.sender);
  s = gst_structure_new (GST_TFRC_STATS_NAME, "tfrc", G_TYPE_BOOLEAN, stats->flow.reception.tfrc,
      "sender", G_TYPE_STRING, stats->flow.has_sender ? sender : "", "sender-state", G_TYPE_STRING,
      get_sender_state (stats), "ssrc", G_TYPE_UINT, stats->flow.reception.ssrc, "local-port",
      G_TYPE_INT, (gint) stats->local_port, "packets-received", G_TYPE_UINT64,
      receiver->packets_received, "bytes-received", G_TYPE_UINT64, receiver->bytes_received,
      "packets-lost", G_TYPE_UINT64, receiver->packets_lost, "loss-ratio", G_TYPE_DOUBLE,
      receiver->packets_expected ? (gdouble) receiver->packets_lost / receiver->packets_expected
                                 : 0.0,
      "reorder-window", G_TYPE_UINT64, receiver->reorder_window_ns, "packets-late", G_TYPE_UINT64,
      receiver->packets_late, "packets-duplicate", G_TYPE_UINT64, receiver->packets_duplicate,
      "packets-suspect", G_TYPE_UINT64, receiver->packets_suspect, "packets-missing", G_TYPE_UINT64,
      stats->flow.queue.missing, "packets-too-late", G_TYPE_UINT64, stats->flow.queue.too_late,
      "ce-marks", G_TYPE_UINT64, receiver->packets_ce, "ce-marks-ignored", G_TYPE_UINT64,
      stats->flow.reception.ce_ignored, "ecn-ect0-received", G_TYPE_UINT64, receiver->packets_ect0,
      "ecn-ect1-received", G_TYPE_UINT64, receiver->packets_ect1, "ecn-not-ect-received",
      G_TYPE_UINT64, receiver->packets_not_ect, "loss-events", G_TYPE_UINT64, receiver->loss_events,
      "loss-event-rate", G_TYPE_DOUBLE, receiver->p, "receive-rate", G_TYPE_DOUBLE,
      receiver->x_recv_Bps * 8, "rtt", G_TYPE_UINT64, receiver->rtt_ns, "ttl", G_TYPE_UINT,
      stats->flow.reception.ttl, "hops", G_TYPE_UINT, stats->flow.reception.hops, "jitter",
      G_TYPE_UINT64, (guint64) stats->flow.reception.jitter_ns, "feedback-sent", G_TYPE_UINT64,
      receiver->feedbacks_sent, "queue-packets", G_TYPE_UINT, stats->flow.queue.packets,
      "queue-too-early", G_TYPE_UINT64, stats->flow.queue.too_early, "queue-flushed", G_TYPE_UINT64,
      stats->flow.queue.flushed, "queue-dropped", G_TYPE_UINT64, stats->flow.queue.overflowed,
      "foreign-packets", G_TYPE_UINT64, stats->flow.foreign_packets, "malformed-packets",
      G_TYPE_UINT64, stats->flow.malformed_packets, "byes-refused", G_TYPE_UINT64,
      stats->flow.byes_refused, "messages-dropped", G_TYPE_UINT64, stats->flow.messages_dropped,
      NULL);
  add_handovers (s, stats);
  add_repairs (s, &stats->flow.repairs);
  gst_structure_set (s, "fec-packets", G_TYPE_UINT64, stats->flow.fec.received, "packets-recovered",
      G_TYPE_UINT64, stats->flow.fec.recovered, "fec-packets-refused", G_TYPE_UINT64,
      stats->flow.fec.refused, NULL);
  add_choices (s, stats);
  gst_tfrc_security_add_stats (s, &stats->flow.security);
  add_loss_intervals (s, &stats->flow.reception.loss);
  add_delays (s, &stats->flow.reception.delays);
  gst_structure_set (s, "packets-past-latency", G_TYPE_UINT64,
      gst_tfrc_histogram_get_count (&stats->flow.queue.lateness), NULL);
  gst_tfrc_stats_add_delay (s, "past-latency", &stats->flow.queue.lateness);
  gst_tfrc_playout_add_stats (&stats->flow.reception.playout, s);
  g_free (sender);
  return s;
}

/* ---- on the notifier's thread -------------------------------------------- */

static void
post_sender (gpointer user, gint unused)
{
  GstElement *element = gst_tfrc_running_get_element (user);
  const gchar *sender, *state;
  GstStructure *stats;

  g_object_get (element, "stats", &stats, NULL);
  sender = gst_structure_get_string (stats, "sender");
  state = gst_structure_get_string (stats, "sender-state");
  GST_INFO_OBJECT (element, "sender %s is %s", sender, state);
  gst_tfrc_message_post (element,
      gst_structure_new (
          "tfrc-sender", "sender", G_TYPE_STRING, sender, "state", G_TYPE_STRING, state, NULL));
  gst_structure_free (stats);
  gst_tfrc_src_links_follow_route (user);
}

static void
warn_of_marks (gpointer user, gint unused)
{
  GST_ELEMENT_WARNING (gst_tfrc_running_get_element (user), RESOURCE, READ,
      ("The path marks packets with CE that left without ECT."),
      ("such packets with CE do not make the stream slower; ce-marks-ignored counts them"));
}

static gchar *
dup_uri (GstElement *element)
{
  gchar *uri;

  g_object_get (element, "uri", &uri, NULL);
  return uri;
}

static void
post_refusal (GstTfrcRunning *self)
{
  GstElement *element = gst_tfrc_running_get_element (self);
  GstTfrcSrcStream *stream = gst_tfrc_running_enter (self);
  gchar *reason, *uri;

  if (stream == NULL)
    return;
  reason = gst_tfrc_src_stream_dup_refusal (stream);
  gst_tfrc_running_leave (self);
  uri = dup_uri (element);
  GST_ELEMENT_ERROR (element, RESOURCE, NOT_AUTHORIZED, ("The sender refuses the call: %s", reason),
      ("called %s", uri));
  g_free (uri);
  g_free (reason);
}

static void
warn_of_no_answer (GstElement *element)
{
  gchar *uri = dup_uri (element);

  GST_ELEMENT_WARNING (element, RESOURCE, READ, ("Nobody answers the call to %s.", uri),
      ("a sender with mode=listener there answers at once, unless a firewall drops UDP; the calls go "
       "on"));
  g_free (uri);
}

static void
warn_of_other_packets (GstTfrcRunning *self)
{
  GstTfrcSrcStream *stream = gst_tfrc_running_enter (self);
  GstTfrcSrcStreamStats stats;
  gchar *from;

  if (stream == NULL)
    return;
  gst_tfrc_src_stream_get_stats (stream, &stats);
  gst_tfrc_running_leave (self);
  from = gst_tfrc_address_to_string (&stats.flow.other.from);
  GST_ELEMENT_WARNING (gst_tfrc_running_get_element (self), STREAM, WRONG_TYPE,
      ("Packets from %s are no transport stream in RTP.", from),
      ("%s",
          stats.flow.other.is_ts
              ? "they are a plain transport stream over UDP, which accept-udp-ts=true plays without keys"
              : "they have another form or another payload type than 33 (MP2T), and are not played"));
  g_free (from);
}

static void
report_security (GstTfrcRunning *self, const GstTfrcEvent *event)
{
  GstElement *element = gst_tfrc_running_get_element (self);
  GstTfrcSrcStream *stream;
  GstTfrcSrcStreamStats stats;
  gboolean keep_listening;

  g_object_get (element, "keep-listening", &keep_listening, NULL);
  if ((stream = gst_tfrc_running_enter (self)) == NULL)
    return;
  gst_tfrc_src_stream_get_stats (stream, &stats);
  gst_tfrc_running_leave (self);
  gst_tfrc_security_report (element, event, &stats.flow.security, keep_listening);
}

static gboolean
take_event (gpointer stream, GstTfrcEvent *event)
{
  return gst_tfrc_src_stream_take_event (stream, event);
}

static void
call_limited (GstTfrcRunning *self, GstTfrcNotifyFunc func)
{
  gst_tfrc_notifier_call_limited (
      gst_tfrc_running_get_notifier (self), func, 0, gst_tfrc_clock_now_ns ());
}

/* What a sender can cause as often as it likes is limited. */
static void
tell (GstTfrcRunning *self, const GstTfrcEvent *event)
{
  GstElement *element = gst_tfrc_running_get_element (self);

  switch (event->kind) {
    case GST_TFRC_EVENT_SENDER:
      call_limited (self, post_sender);
      break;
    case GST_TFRC_EVENT_CE_IGNORED:
      call_limited (self, warn_of_marks);
      break;
    case GST_TFRC_EVENT_HANDOVER:
      gst_tfrc_handover_report (element, &event->of.handover);
      break;
    case GST_TFRC_EVENT_OLD_SOCKET:
      gst_tfrc_src_links_close_old_socket (self);
      break;
    case GST_TFRC_EVENT_CALL_REFUSED:
      post_refusal (self);
      break;
    case GST_TFRC_EVENT_CALL_UNANSWERED:
      warn_of_no_answer (element);
      break;
    case GST_TFRC_EVENT_OTHER_PACKETS:
      warn_of_other_packets (self);
      break;
    case GST_TFRC_EVENT_CALLERS:
      gst_tfrc_src_callers_tell (self);
      break;
    case GST_TFRC_EVENT_STATISTICS:
      gst_tfrc_stats_post (element);
      break;
    default:
      report_security (self, event);
      break;
  }
}

const GstTfrcTelling gst_tfrc_src_telling = { take_event, tell };

void
gst_tfrc_src_telling_on_events (gpointer running)
{
  gst_tfrc_running_tell (running);
}
