/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The TTL of a session's packets, see sinksession.h and adaptivettl.h. */
#include "sinksession-private.h"

void
gst_tfrc_sink_session_set_ttl (GstTfrcSinkSession *session, guint ttl)
{
  if (ttl != session->ttl.start)
    gst_tfrc_adaptive_ttl_restart (&session->ttl, ttl);
}

guint8
gst_tfrc_sink_session_get_rtcp_ttl (const GstTfrcSinkSession *session, const GstTfrcAddress *to)
{
  return session->ttl.config.enabled && gst_tfrc_address_equal (to, &session->paths.peer)
      ? (guint8) session->ttl.in_use
      : 0;
}

/* The kernel tells a socket without a peer of each packet that has left from its port, wherever the
 * packet went. */
void
gst_tfrc_sink_session_on_time_exceeded (
    GstTfrcSinkSession *session, const GstTfrcAddress *destination)
{
  if (session->ttl.has_sent && gst_tfrc_address_equal (destination, &session->paths.peer))
    gst_tfrc_adaptive_ttl_on_signal (&session->ttl);
}

void
gst_tfrc_sink_session_on_silence (GstTfrcSinkSession *session)
{
  if (session->ttl.has_sent)
    gst_tfrc_adaptive_ttl_on_signal (&session->ttl);
}

gboolean
gst_tfrc_sink_session_has_raised_ttl (const GstTfrcSinkSession *session)
{
  return session->ttl.config.enabled && session->ttl.in_use > session->ttl.start;
}

gboolean
gst_tfrc_sink_session_take_ttl_warning (GstTfrcSinkSession *session)
{
  gboolean is_first = session->ttl.was_capped && !session->warned_of_ttl;

  session->warned_of_ttl |= session->ttl.was_capped;
  return is_first;
}
