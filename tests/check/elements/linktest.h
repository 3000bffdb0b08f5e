/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tfrcsrc that changes links, and a bare socket as its sender.  Addresses of the loopback
 * interface stand for the links. */
#ifndef LINKTEST_H
#define LINKTEST_H

#include "tfrctest.h"

#define OLD_LINK "127.0.0.1"
#define NEW_LINK "127.0.0.2"
#define THIRD_LINK "127.0.0.3"
#define RTT_US 50000

static TestReceiver *receiver;
static TestPeer *peer;
static GBytes *movie;
static guint sent;

static inline void
start (const gchar *properties)
{
  receiver = test_receiver_new (properties);
  peer = test_peer_new (0);
  peer->rtt_us = RTT_US;
  movie = test_movie (7 * 1000, 9);
  sent = 0;
}

static inline void
finish (void)
{
  test_receiver_free (receiver);
  test_peer_free (peer);
  g_bytes_unref (movie);
}

/* Sends one packet to this address, and waits until the pipeline has it. */
static inline void
send_over (const gchar *host)
{
  const guint8 *ts = g_bytes_get_data (movie, NULL);

  peer->host = host;
  test_peer_send_data (peer, receiver->port, ts + sent * PAYLOAD_BYTES, PAYLOAD_BYTES);
  sent++;
  test_receiver_wait_bytes (receiver, sent * PAYLOAD_BYTES);
}

static inline gboolean
is_feedback (const TfrcWireRtcp *rtcp)
{
  return rtcp->has_feedback;
}

static inline gboolean
is_notification (const TfrcWireRtcp *rtcp)
{
  return rtcp->has_feedback && rtcp->feedback.handover;
}

static inline gboolean
is_other_feedback (const TfrcWireRtcp *rtcp)
{
  return rtcp->has_feedback && !rtcp->feedback.handover;
}

static inline void
check_from (const gchar *host)
{
  gchar *expected = g_strdup_printf ("%s:%d", host, receiver->port);
  gchar *from = gst_tfrc_address_to_string (&peer->from);

  fail_unless_equals_string (from, expected);
  g_free (expected);
  g_free (from);
}

/* Begins a stream over the old link, and waits for feedback that has a receive rate.  The first
 * feedback has none. */
static inline void
begin_stream (void)
{
  for (guint i = 0; i < 3; i++) {
    send_over (OLD_LINK);
    test_peer_receive_rtcp (peer, is_feedback);
    check_from (OLD_LINK);
  }
}

static inline gboolean
hand_over (const gchar *options)
{
  GstStructure *structure = options ? gst_structure_from_string (options, NULL) : NULL;
  gboolean done = FALSE;

  fail_unless (options == NULL || structure != NULL);
  g_signal_emit_by_name (receiver->src, "handover", structure, &done);
  if (structure)
    gst_structure_free (structure);
  return done;
}

static inline GstStructure *
wait_for (const gchar *name)
{
  GstMessage *message = test_log_wait (receiver->log, 1, GST_MESSAGE_ELEMENT, name, NULL);
  GstStructure *structure = gst_structure_copy (gst_message_get_structure (message));

  gst_message_unref (message);
  return structure;
}

/* Statistics come every 20 ms. */
static inline void
wait_for_more_stats (void)
{
  guint seen = test_log_count (receiver->log, GST_MESSAGE_ELEMENT, "tfrc-stats", NULL);

  gst_message_unref (
      test_log_wait (receiver->log, seen + 1, GST_MESSAGE_ELEMENT, "tfrc-stats", NULL));
}

static inline void
check_stat (const gchar *field, const gchar *value)
{
  gchar *is = test_stat_string (receiver->src, field);

  fail_unless_equals_string (is, value);
  g_free (is);
}

#endif
