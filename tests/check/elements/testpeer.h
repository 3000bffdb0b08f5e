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
  guint32 ssrc; /* of what it sends */
  guint16 seq;  /* of the next packet */
  guint32 timestamp;
  guint32 rtt_us;         /* that it claims */
  guint8 flags;           /* that its packets carry; 0: none */
  gboolean unresponsive;  /* it answers no challenge */
  guint32 validated_ssrc; /* that it has answered one with; 0: none yet */
  const gchar *host;      /* that it sends to: 127.0.0.1 unless a test says
                                 * otherwise */
  GstTfrcAddress from;    /* of the last packet that it took */
} TestPeer;

/* On any free port of 127.0.0.1 if @port is 0 */
TestPeer *test_peer_new (gint port);
TestPeer *test_peer_new_at (const gchar *address, gint port);
void test_peer_free (TestPeer *peer);
void test_peer_send (TestPeer *peer, gint port, gconstpointer data, gsize size);

/* Waits for a packet; returns its size. */
gsize test_peer_receive (TestPeer *peer, guint8 *buffer, gsize size);

/* Takes a packet if there is one; 0: none. */
gsize test_peer_poll (TestPeer *peer, guint8 *buffer, gsize size);

/* Waits for a data packet, skipping RTCP.
 * @payload: NULL or where to append it */
TfrcWireData test_peer_receive_data (TestPeer *peer, GByteArray *payload);

/* Waits for an RTCP compound for which @wanted is true, skipping others. */
TfrcWireRtcp test_peer_receive_rtcp (TestPeer *peer, gboolean (*wanted) (const TfrcWireRtcp *rtcp));

/* Feedback that lets the sender of @data go on, without loss. */
void test_peer_send_feedback (TestPeer *peer, gint port, const TfrcWireData *data, guint32 number);

/* Sends one packet of a TFRC stream with the next sequence number, or with
 * @seq.  With the first of a stream it waits for the challenge of the receiver and
 * answers it, unless it is unresponsive.  @ts: its payload */
void test_peer_send_data (TestPeer *peer, gint port, gconstpointer ts, gsize size);
void test_peer_send_data_at (TestPeer *peer, gint port, guint16 seq, gconstpointer ts, gsize size);
void test_peer_send_bye (TestPeer *peer, gint port);

/* Says BYE and waits until the receiver has believed it. */
void test_peer_end_stream (TestPeer *peer, gint port);

/* A port that nobody has open */
gint test_free_port (void);

#endif
