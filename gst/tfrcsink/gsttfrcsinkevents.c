/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events of the stream of tfrcsink.  The I/O loop's thread must not wait, so the notifier's
 * thread posts the messages. */
#include "gsttfrcsinkevents.h"

#include <errno.h>

#include <gst/video/video.h>

#include "../common/clock.h"
#include "../common/messages.h"
#include "../common/uri.h"
#include "../keys/securityelement.h"
#include "../stream/handoversignals.h"
#include "gsttfrcsinkobject.h"
#include "gsttfrcsinkstats.h"

#define GST_CAT_DEFAULT gst_tfrc_sink_debug

/* ---- on the notifier's thread -------------------------------------------- */

static void
post_peer_state (GstElement *element, gint state)
{
  GstTfrcSink *self = GST_TFRC_SINK (element);
  gchar *uri;

  GST_OBJECT_LOCK (self);
  uri = gst_tfrc_uri_format (self->settings.host, self->settings.port);
  GST_OBJECT_UNLOCK (self);
  GST_INFO_OBJECT (self, "receiver %s is %s", uri, gst_tfrc_peer_state_get_name (state));
  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT (self),
          gst_structure_new ("tfrc-peer-state", "state", G_TYPE_STRING,
              gst_tfrc_peer_state_get_name (state), "uri", G_TYPE_STRING, uri, NULL)));
  if (state == GST_TFRC_PEER_LOST)
    GST_ELEMENT_WARNING (self, RESOURCE, WRITE, ("The receiver does not answer any more."),
        ("no feedback comes from %s; the stream goes on when the receiver is back", uri));
  g_free (uri);
}

static void
post_bitrate (GstElement *element, gint unused)
{
  g_object_notify (G_OBJECT (element), "estimated-bitrate");
}

static void
post_send_error (GstElement *element, gint error)
{
  GST_ELEMENT_WARNING (element, RESOURCE, WRITE, ("The system refuses to send packets."),
      ("%s; packets wait until the system sends again", g_strerror (error)));
}

static void
post_stats (GstElement *element, gint unused)
{
  gst_tfrc_stats_post (element, gst_tfrc_sink_get_stats (GST_TFRC_SINK (element)));
}

/* A decoder that has missed packets goes on from the next key unit only. */
static void
maybe_ask_for_key_unit (GstTfrcSink *self)
{
  gboolean wanted;

  GST_OBJECT_LOCK (self);
  wanted = self->settings.force_key_unit;
  GST_OBJECT_UNLOCK (self);
  if (wanted)
    gst_pad_push_event (GST_BASE_SINK_PAD (self),
        gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, TRUE, 0));
}

static GstTfrcHandoverEvent *
take_event (GstTfrcSink *self)
{
  GstTfrcHandoverEvent *event;

  if (!gst_tfrc_gate_enter (&self->gate))
    return NULL;
  event = gst_tfrc_sink_stream_take_handover_event (self->stream);
  gst_tfrc_gate_leave (&self->gate);
  return event;
}

static void
post_handover_events (GstElement *element, gint unused)
{
  GstTfrcSink *self = GST_TFRC_SINK (element);
  GstTfrcHandoverEvent *event;

  while ((event = take_event (self)) != NULL) {
    gst_tfrc_handover_report (element, event);
    if (event->kind == GST_TFRC_HANDOVER_EVENT_COMPLETED)
      maybe_ask_for_key_unit (self);
    g_free (event);
  }
}

static void
post_migration (GstElement *element, gint unused)
{
  GstTfrcSink *self = GST_TFRC_SINK (element);
  GstStructure *stats = gst_tfrc_sink_get_stats (self);
  const gchar *address = gst_structure_get_string (stats, "peer-address");

  GST_INFO_OBJECT (self, "the receiver is at %s now", address);
  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT (self),
          gst_structure_new ("tfrc-migration", "peer-address", G_TYPE_STRING, address, NULL)));
  gst_structure_free (stats);
  maybe_ask_for_key_unit (self);
}

static void
post_ttl_not_raised (GstElement *element, gint ttl)
{
  GST_ELEMENT_WARNING (element, RESOURCE, WRITE,
      ("Packets do not get a larger TTL, because the stream is not protected."),
      ("adaptive-ttl asks for more than %d, with which the stream began; a packet with a larger TTL "
       "may reach a network that it was not meant for, and this packet could be read there",
          ttl));
}

/* @value: of ecn_value() */
static void
post_ecn (GstElement *element, gint value)
{
  const gchar *state = tfrc_ecn_state_to_string ((TfrcEcnState) (value & 0xff));
  const gchar *problem = tfrc_ecn_problem_to_string ((TfrcEcnProblem) (value >> 8));

  GST_INFO_OBJECT (element, "ECN is %s; problem: %s", state, problem);
  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT (element),
          gst_structure_new (
              "tfrc-ecn", "state", G_TYPE_STRING, state, "problem", G_TYPE_STRING, problem, NULL)));
}

static void
post_no_answer (GstElement *element, gint error)
{
  GstTfrcSink *self = GST_TFRC_SINK (element);
  gchar *uri, *reason;

  GST_OBJECT_LOCK (self);
  uri = gst_tfrc_uri_format (self->settings.host, self->settings.port);
  GST_OBJECT_UNLOCK (self);
  if (error == ECONNREFUSED)
    reason = g_strdup ("no program listens there (ICMP port unreachable)");
  else if (error != 0)
    reason = g_strdup_printf ("the network does not deliver (ICMP: %s)", g_strerror (error));
  else
    reason = g_strdup ("no feedback came and no ICMP error; a firewall may be in between, or the "
                       "receiver is not a tfrcsrc, or has other keys");
  GST_ELEMENT_WARNING (self, RESOURCE, WRITE, ("Nobody answers at %s.", uri),
      ("%s; without feedback only min-bitrate keeps the rate above a few packets a second, and "
       "nothing controls that rate",
          reason));
  g_free (reason);
  g_free (uri);
}

static void
post_break (GstElement *element, gint unused)
{
  GST_ELEMENT_ERROR (element, RESOURCE, WRITE,
      ("The network is too congested for this stream, which ends here."),
      ("min-bitrate made the stream send more than ten times what TCP would, for three report "
       "intervals (RFC 8083)"));
}

static void
post_security_events (GstElement *element, gint unused)
{
  GstTfrcSink *self = GST_TFRC_SINK (element);
  GstTfrcSinkStreamStats stats;
  GstTfrcSecurityEvent event;
  gboolean has_event;

  do {
    if (!gst_tfrc_gate_enter (&self->gate))
      return;
    has_event = gst_tfrc_sink_stream_take_security_event (self->stream, &event);
    gst_tfrc_sink_stream_get_stats (self->stream, &stats);
    gst_tfrc_gate_leave (&self->gate);
    if (has_event)
      gst_tfrc_security_report (element, &event, &stats.security, FALSE);
  } while (has_event);
}

/* ---- on the I/O loop's thread -------------------------------------------- */

static gint
ecn_value (TfrcEcnState state, TfrcEcnProblem problem)
{
  return (gint) state | (gint) problem << 8;
}

/* What a receiver can cause as often as it likes is limited. */
static void
notify (GstTfrcSink *self, const GstTfrcSendEvent *event)
{
  GstTfrcNotifier *notifier = &self->notifier;
  guint64 now_ns = gst_tfrc_clock_now_ns ();

  switch (event->kind) {
    case GST_TFRC_SEND_EVENT_PEER_STATE:
      gst_tfrc_notifier_notify_limited (notifier, post_peer_state, event->of.peer_state, now_ns);
      break;
    case GST_TFRC_SEND_EVENT_BITRATE:
      gst_tfrc_notifier_notify (notifier, post_bitrate, 0);
      break;
    case GST_TFRC_SEND_EVENT_SEND_ERROR:
      gst_tfrc_notifier_notify_limited (notifier, post_send_error, event->of.error, now_ns);
      break;
    case GST_TFRC_SEND_EVENT_HANDOVER:
      gst_tfrc_notifier_notify (notifier, post_handover_events, 0);
      break;
    case GST_TFRC_SEND_EVENT_MIGRATED:
      gst_tfrc_notifier_notify_limited (notifier, post_migration, 0, now_ns);
      break;
    case GST_TFRC_SEND_EVENT_TTL_NOT_RAISED:
      gst_tfrc_notifier_notify (notifier, post_ttl_not_raised, (gint) event->of.ttl);
      break;
    case GST_TFRC_SEND_EVENT_ECN:
      gst_tfrc_notifier_notify_limited (
          notifier, post_ecn, ecn_value (event->of.ecn.state, event->of.ecn.problem), now_ns);
      break;
    case GST_TFRC_SEND_EVENT_SECURITY:
      gst_tfrc_notifier_notify (notifier, post_security_events, 0);
      break;
    case GST_TFRC_SEND_EVENT_BROKEN:
      gst_tfrc_notifier_notify (notifier, post_break, 0);
      break;
    case GST_TFRC_SEND_EVENT_NO_ANSWER:
      gst_tfrc_notifier_notify (notifier, post_no_answer, event->of.error);
      break;
    case GST_TFRC_SEND_EVENT_STATISTICS:
      gst_tfrc_notifier_notify (notifier, post_stats, 0);
      break;
  }
}

void
gst_tfrc_sink_on_events (gpointer user, GstTfrcSinkStream *stream)
{
  GstTfrcSendEvent event;

  while (gst_tfrc_sink_stream_take_event (stream, &event))
    notify (GST_TFRC_SINK (user), &event);
}
