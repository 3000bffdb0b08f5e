/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tfrcsink tells the application, see gsttfrcsinktelling.h.  The I/O loop's thread must not wait, so
 * the notifier's thread posts the messages. */
#include "gsttfrcsinktelling.h"

#include <errno.h>

#include <gst/base/gstbasesink.h>
#include <gst/video/video.h>

#include "../common/clock.h"
#include "../common/enums.h"
#include "../common/log.h"
#include "../common/messages.h"
#include "../keys/securityelement.h"
#include "../stream/handoversignals.h"
#include "gsttfrcsinkcallers.h"
#include "gsttfrcsinkenums.h"
#include "gsttfrcsinkstats.h"

#define GST_CAT_DEFAULT gst_tfrc_sink_debug

/* ---- on the notifier's thread -------------------------------------------- */

/* The receiver, for messages */
static gchar *
dup_uri (GstElement *element)
{
  gchar *uri;

  g_object_get (element, "uri", &uri, NULL);
  return uri;
}

static void
post_peer_state (gpointer user, gint state)
{
  GstElement *element = gst_tfrc_running_get_element (user);
  gchar *uri = dup_uri (element);

  GST_INFO_OBJECT (element, "receiver %s is %s", uri, gst_tfrc_peer_state_get_name (state));
  gst_tfrc_message_post (element,
      gst_structure_new ("tfrc-peer-state", "state", G_TYPE_STRING,
          gst_tfrc_peer_state_get_name (state), "uri", G_TYPE_STRING, uri, NULL));
  if (state == GST_TFRC_PEER_GONE)
    GST_ELEMENT_WARNING (element, RESOURCE, WRITE, ("The receiver has left."),
        ("%s has said BYE; the stream goes on if a receiver comes there", uri));
  if (state == GST_TFRC_PEER_LOST)
    GST_ELEMENT_WARNING (element, RESOURCE, WRITE, ("The receiver does not answer any more."),
        ("no feedback comes from %s; the stream goes on when the receiver is back", uri));
  g_free (uri);
}

static void
post_send_error (gpointer user, gint error)
{
  GstElement *element = gst_tfrc_running_get_element (user);

  GST_ELEMENT_WARNING (element, RESOURCE, WRITE, ("The system refuses to send packets."),
      ("%s; packets wait until the system sends again", g_strerror (error)));
}

static void
ask_for_key_unit (GstElement *element)
{
  GST_DEBUG_OBJECT (element, "asks upstream for a key unit");
  gst_pad_push_event (GST_BASE_SINK_PAD (element),
      gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, TRUE, 0));
}

/* A decoder that has missed packets goes on from the next key unit only. */
static void
maybe_ask_for_key_unit (GstElement *element)
{
  gboolean wanted;

  g_object_get (element, "force-key-unit", &wanted, NULL);
  if (wanted)
    ask_for_key_unit (element);
}

static void
on_caller_moved (gpointer user, gint unused)
{
  maybe_ask_for_key_unit (gst_tfrc_running_get_element (user));
}

static void
report_handover (GstElement *element, const GstTfrcHandoverEvent *event)
{
  gst_tfrc_handover_report (element, event);
  if (event->kind == GST_TFRC_HANDOVER_EVENT_COMPLETED)
    maybe_ask_for_key_unit (element);
}

static void
post_migration (gpointer user, gint unused)
{
  GstElement *element = gst_tfrc_running_get_element (user);
  const gchar *address;
  GstStructure *stats;

  g_object_get (element, "stats", &stats, NULL);
  address = gst_structure_get_string (stats, "peer-address");
  GST_INFO_OBJECT (element, "the receiver is at %s now", address);
  gst_tfrc_message_post (
      element, gst_structure_new ("tfrc-migration", "peer-address", G_TYPE_STRING, address, NULL));
  gst_structure_free (stats);
  maybe_ask_for_key_unit (element);
}

static void
warn_of_ttl (GstElement *element, guint ttl)
{
  GST_ELEMENT_WARNING (element, RESOURCE, WRITE,
      ("Packets do not get a larger TTL, because the stream is not protected."),
      ("adaptive-ttl asks for more than %u, with which the stream began; a packet with a larger TTL "
       "may reach a network that it was not meant for, and this packet could be read there",
          ttl));
}

/* @value: of ecn_value() */
static void
post_ecn (gpointer user, gint value)
{
  GstElement *element = gst_tfrc_running_get_element (user);
  const gchar *state = tfrc_ecn_state_to_string ((TfrcEcnState) (value & 0xff));
  const gchar *problem = tfrc_ecn_problem_to_string ((TfrcEcnProblem) (value >> 8));

  GST_INFO_OBJECT (element, "ECN is %s; problem: %s", state, problem);
  gst_tfrc_message_post (element,
      gst_structure_new (
          "tfrc-ecn", "state", G_TYPE_STRING, state, "problem", G_TYPE_STRING, problem, NULL));
}

static void
warn_of_no_answer (GstElement *element, gint error)
{
  gchar *uri = dup_uri (element), *reason;

  if (error == ECONNREFUSED)
    reason = g_strdup (
        "no program listens there (ICMP port unreachable), or it is a NAT that knows no way to the "
        "receiver behind it");
  else if (error != 0)
    reason = g_strdup_printf ("the network does not deliver (ICMP: %s)", g_strerror (error));
  else
    reason = g_strdup ("no feedback came and no ICMP error; a firewall may be in between, or the "
                       "receiver is not a tfrcsrc, or has other keys");
  GST_ELEMENT_WARNING (element, RESOURCE, WRITE, ("Nobody answers at %s.", uri),
      ("%s; without feedback no more than a packet a second leaves. If the receiver never answers, "
       "unresponsive-receiver=true keeps the rate at min-bitrate, and nothing controls that rate",
          reason));
  g_free (reason);
  g_free (uri);
}

static void
post_refusal (GstElement *element, const gchar *reason)
{
  gchar *uri = dup_uri (element);

  GST_ELEMENT_ERROR (element, RESOURCE, NOT_AUTHORIZED,
      ("The receiver refuses the stream: %s", reason), ("called %s", uri));
  g_free (uri);
}

static void
warn_of_unanswered_call (GstElement *element)
{
  gchar *uri = dup_uri (element);

  GST_ELEMENT_WARNING (element, RESOURCE, WRITE, ("Nobody answers the call to %s.", uri),
      ("a tfrcsrc with mode=listener and a streamid there answers at once, unless a firewall drops UDP; "
       "the calls go on"));
  g_free (uri);
}

static void
post_break (GstElement *element)
{
  GST_ELEMENT_ERROR (element, RESOURCE, WRITE,
      ("The network is too congested for this stream, which ends here."),
      ("min-bitrate made the stream send more than ten times what TCP would, for three report "
       "intervals (RFC 8083)"));
}

static gboolean
is_broken (GstTfrcSinkStream *stream)
{
  GstTfrcSendFlow *flow = gst_tfrc_sink_stream_get_flow (stream);
  gboolean is_broken;

  gst_tfrc_port_lock (gst_tfrc_sink_stream_get_port (stream));
  is_broken = flow && gst_tfrc_send_flow_is_broken (flow);
  gst_tfrc_port_unlock (gst_tfrc_sink_stream_get_port (stream));
  return is_broken;
}

/* Posts why the stream has failed, unless the other thread has. Only after the message it counts as told: then the
 * streaming thread never returns an error before it, and two that post at the same time may post twice. */
static void
tell_failure (GstTfrcRunning *self)
{
  GstElement *element = gst_tfrc_running_get_element (self);
  GstTfrcSinkStream *stream;
  gboolean has_broken;
  gchar *refusal;

  if (gst_tfrc_running_is_failure_told (self) || (stream = gst_tfrc_running_enter (self)) == NULL)
    return;
  refusal = gst_tfrc_sink_stream_dup_refusal (stream);
  has_broken = is_broken (stream);
  gst_tfrc_running_leave (self);
  if (refusal)
    post_refusal (element, refusal);
  else if (has_broken)
    post_break (element);
  if (refusal || has_broken)
    gst_tfrc_running_set_failure_told (self);
  g_free (refusal);
}

static void
report_security (GstTfrcRunning *self, const GstTfrcEvent *event)
{
  GstTfrcSinkStream *stream = gst_tfrc_running_enter (self);
  GstTfrcSinkStreamStats stats;

  if (stream == NULL)
    return;
  gst_tfrc_sink_stream_get_stats (stream, &stats);
  gst_tfrc_running_leave (self);
  gst_tfrc_security_report (gst_tfrc_running_get_element (self), event, &stats.security, FALSE);
}

static void
report_past_deadline (GstTfrcRunning *self)
{
  GstTfrcSinkStream *stream = gst_tfrc_running_enter (self);
  GstStructure *message = gst_structure_new_empty ("tfrc-past-deadline");
  GstTfrcSinkStreamStats stats = { 0 };

  if (stream) {
    gst_tfrc_sink_stream_get_stats (stream, &stats);
    gst_tfrc_running_leave (self);
  }
  gst_tfrc_sink_stats_add_deadline (message, &stats.outbox.deadline);
  gst_tfrc_message_post (gst_tfrc_running_get_element (self), message);
}

static void
tell_bitrate (GstTfrcRunning *self)
{
  GstElement *element = gst_tfrc_running_get_element (self);
  gboolean is_heard = gst_tfrc_notify_is_heard (element, "estimated-bitrate");
  GstTfrcSinkStream *stream = gst_tfrc_running_enter (self);

  if (stream) {
    gst_tfrc_sink_stream_set_bitrate_heard (stream, is_heard);
    gst_tfrc_running_leave (self);
  }
  g_object_notify (G_OBJECT (element), "estimated-bitrate");
}

static gint
ecn_value (TfrcEcnState state, TfrcEcnProblem problem)
{
  return (gint) state | (gint) problem << 8;
}

static gboolean
take_event (gpointer stream, GstTfrcEvent *event)
{
  if (gst_tfrc_sink_stream_get_listening (stream))
    return gst_tfrc_sink_callers_take_event (stream, event);
  return gst_tfrc_sink_stream_take_event (stream, event);
}

static void
call_limited (GstTfrcRunning *self, GstTfrcNotifyFunc func, gint value)
{
  gst_tfrc_notifier_call_limited (
      gst_tfrc_running_get_notifier (self), func, value, gst_tfrc_clock_now_ns ());
}

/* What a receiver can cause as often as it likes is limited. */
static void
tell (GstTfrcRunning *self, const GstTfrcEvent *event)
{
  GstElement *element = gst_tfrc_running_get_element (self);

  switch (event->kind) {
    case GST_TFRC_EVENT_PEER_STATE:
      call_limited (self, post_peer_state, event->of.peer_state);
      break;
    case GST_TFRC_EVENT_SEND_ERROR:
      call_limited (self, post_send_error, event->of.error);
      break;
    case GST_TFRC_EVENT_MIGRATED:
      call_limited (self, post_migration, 0);
      break;
    case GST_TFRC_EVENT_ECN:
      call_limited (self, post_ecn, ecn_value (event->of.ecn.state, event->of.ecn.problem));
      break;
    case GST_TFRC_EVENT_HANDOVER:
      report_handover (element, &event->of.handover);
      break;
    case GST_TFRC_EVENT_TTL_NOT_RAISED:
      warn_of_ttl (element, event->of.ttl);
      break;
    case GST_TFRC_EVENT_NO_ANSWER:
      warn_of_no_answer (element, event->of.error);
      break;
    case GST_TFRC_EVENT_BROKEN:
    case GST_TFRC_EVENT_CALL_REFUSED:
      tell_failure (self);
      break;
    case GST_TFRC_EVENT_BITRATE:
      tell_bitrate (self);
      break;
    case GST_TFRC_EVENT_PAST_DEADLINE:
      report_past_deadline (self);
      break;
    case GST_TFRC_EVENT_CALL_UNANSWERED:
      warn_of_unanswered_call (element);
      break;
    case GST_TFRC_EVENT_CALLERS:
      gst_tfrc_sink_callers_tell (self);
      break;
    case GST_TFRC_EVENT_CALLER_MOVED:
      call_limited (self, on_caller_moved, 0);
      break;
    case GST_TFRC_EVENT_KEY_UNIT:
      ask_for_key_unit (element);
      break;
    case GST_TFRC_EVENT_STATISTICS:
      gst_tfrc_stats_post (element);
      break;
    default:
      report_security (self, event);
      break;
  }
}

const GstTfrcTelling gst_tfrc_sink_telling = { take_event, tell };

/* ---- on the I/O loop's thread -------------------------------------------- */

void
gst_tfrc_sink_telling_on_events (gpointer running, GstTfrcSinkStream *stream)
{
  gst_tfrc_running_tell (running);
}

/* ---- on the streaming thread ---------------------------------------------- */

/* @return what becomes of the pipeline */
static GstFlowReturn
tell_that_nobody_answered (GstElement *element, guint64 dropped)
{
  gchar *uri = dup_uri (element);
  gchar *details = g_strdup_printf (
      "%" G_GUINT64_FORMAT
      " packets waited in vain and were dropped; no-receiver says whether that is "
      "an error",
      dropped);
  gint no_receiver;

  g_object_get (element, "no-receiver", &no_receiver, NULL);
  if (no_receiver == GST_TFRC_NO_RECEIVER_ERROR)
    GST_ELEMENT_ERROR (
        element, RESOURCE, WRITE, ("Nobody has answered at %s.", uri), ("%s", details));
  else
    GST_ELEMENT_WARNING (
        element, RESOURCE, WRITE, ("Nobody has answered at %s.", uri), ("%s", details));
  g_free (details);
  g_free (uri);
  return no_receiver == GST_TFRC_NO_RECEIVER_ERROR ? GST_FLOW_ERROR : GST_FLOW_OK;
}

GstFlowReturn
gst_tfrc_sink_telling_flow (GstTfrcRunning *self, GstFlowReturn flow)
{
  if (flow == GST_FLOW_ERROR)
    tell_failure (self);
  return flow;
}

GstFlowReturn
gst_tfrc_sink_telling_end (GstTfrcRunning *self)
{
  GstElement *element = gst_tfrc_running_get_element (self);
  GstTfrcSinkStream *stream;
  GstTfrcSinkStreamStats stats;
  gboolean is_listening;

  gst_tfrc_stats_post_last (element);
  if ((stream = gst_tfrc_running_enter (self)) == NULL)
    return GST_FLOW_OK;
  is_listening = gst_tfrc_sink_stream_get_listening (stream) != NULL;
  gst_tfrc_sink_stream_get_stats (stream, &stats);
  gst_tfrc_running_leave (self);
  if (is_listening || stats.session.peer_state != GST_TFRC_PEER_WAITING
      || stats.outbox.packets_dropped == 0)
    return GST_FLOW_OK;
  return tell_that_nobody_answered (element, stats.outbox.packets_dropped);
}
