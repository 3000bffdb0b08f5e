/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A bare UDP socket as the peer of an element. */
#ifndef TEST_PEER_H
#define TEST_PEER_H

#include <gst/check/gstcheck.h>
#include <tfrc/wire.h>

#include "gst/io/socket.h"
#include "testlog.h"

typedef struct
{
  gint fd;
  gint port;
  guint32 ssrc; /* of the packets it sends */
  guint16 seq;  /* of the next packet */
  guint32 timestamp;
  guint32 rtt_us;         /* in the packets it sends */
  guint8 flags;           /* in the packets it sends; 0: none */
  gboolean unresponsive;  /* does not answer challenges */
  guint32 validated_ssrc; /* last SSRC that it answered a challenge with; 0: none yet */
  const gchar *host;      /* that it sends to: 127.0.0.1 unless a test says
                                 * otherwise */
  GstTfrcAddress from;    /* of the last packet received */
} TestPeer;

/* @port: port of 127.0.0.1, or 0 for any free port */
TestPeer *test_peer_new (gint port);
TestPeer *test_peer_new_at (const gchar *address, gint port);
void test_peer_free (TestPeer *peer);
void test_peer_send (TestPeer *peer, gint port, gconstpointer data, gsize size);

/* Waits for a packet; returns its size. */
gsize test_peer_receive (TestPeer *peer, guint8 *buffer, gsize size);

/* Takes a packet if there is one; 0: none. */
gsize test_peer_poll (TestPeer *peer, guint8 *buffer, gsize size);

/* Waits for a data packet, skipping RTCP. @payload: NULL, or the array that gets the payload
 * appended */
TfrcWireData test_peer_receive_data (TestPeer *peer, GByteArray *payload);

/* Waits for an RTCP compound for which @wanted is true, skipping others. */
TfrcWireRtcp test_peer_receive_rtcp (TestPeer *peer, gboolean (*wanted) (const TfrcWireRtcp *rtcp));

/* Sends feedback without loss, which lets the sender of @data go on. */
void test_peer_send_feedback (TestPeer *peer, gint port, const TfrcWireData *data, guint32 number);

/* Sends one packet of a TFRC stream with the next sequence number, or with @seq.  After the
 * first packet of a stream it waits for the receiver's challenge and answers it, unless the peer
 * is unresponsive.  @ts: the payload */
void test_peer_send_data (TestPeer *peer, gint port, gconstpointer ts, gsize size);
void test_peer_send_data_at (TestPeer *peer, gint port, guint16 seq, gconstpointer ts, gsize size);
void test_peer_send_bye (TestPeer *peer, gint port);

/* Sends a BYE and waits until the receiver has accepted it. */
void test_peer_end_stream (TestPeer *peer, gint port);

/* Returns a port that no socket is bound to. */
gint test_free_port (void);

/* The same of an even port, for RTP, and the next one, for RTCP */
gint test_free_pair (void);

#endif
