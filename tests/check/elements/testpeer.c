/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A bare UDP socket, see testpeer.h. */
#include "testpeer.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static gint
open_socket (const gchar *address, gint port, gint *bound_port)
{
  GstTfrcSocketConfig config = GST_TFRC_SOCKET_CONFIG_INIT;
  GError *error = NULL;
  GstTfrcAddress local;
  gint fd;

  config.bind_address = address;
  config.bind_port = (guint16) port;
  fd = gst_tfrc_socket_open (&config, &local, &error);
  fail_unless (fd >= 0, "%s", error ? error->message : "");
  *bound_port = gst_tfrc_address_port (&local);
  return fd;
}

TestPeer *
test_peer_new_at (const gchar *address, gint port)
{
  TestPeer *peer = g_new0 (TestPeer, 1);

  peer->fd = open_socket (address, port, &peer->port);
  peer->ssrc = 0x11111111;
  peer->seq = 65000;
  peer->timestamp = 1000;
  peer->host = "127.0.0.1";
  return peer;
}

TestPeer *
test_peer_new (gint port)
{
  return test_peer_new_at ("127.0.0.1", port);
}

void
test_peer_free (TestPeer *peer)
{
  close (peer->fd);
  g_free (peer);
}

static gboolean
is_free (guint16 port)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = g_htons (port) };
  gint fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  gboolean is_bound = bind (fd, (struct sockaddr *) &address, sizeof address) == 0;

  close (fd);
  return is_bound;
}

/* Below the ports that the kernel gives to sockets of other tests, which run at the same time. */
gint
test_free_port (void)
{
  gint port;

  do
    port = g_random_int_range (10000, 32768);
  while (!is_free ((guint16) port));
  return port;
}

gint
test_free_pair (void)
{
  gint port;

  do
    port = 2 * (test_free_port () / 2);
  while (!is_free ((guint16) port) || !is_free ((guint16) (port + 1)));
  return port;
}

void
test_peer_send (TestPeer *peer, gint port, gconstpointer data, gsize size)
{
  GstTfrcSendItem item = { .data = data, .size = size };
  GstTfrcAddress to;
  gint error;

  fail_unless (gst_tfrc_address_resolve (&to, peer->host, (guint16) port, AF_INET, NULL));
  fail_unless_equals_int (gst_tfrc_socket_send (peer->fd, &to, NULL, &item, 1, &error), 1);
}

gsize
test_peer_poll (TestPeer *peer, guint8 *buffer, gsize size)
{
  struct sockaddr_in from;
  socklen_t len = sizeof from;
  gssize n = recvfrom (peer->fd, buffer, size, MSG_DONTWAIT, (struct sockaddr *) &from, &len);

  if (n <= 0)
    return 0;
  gst_tfrc_address_from_sockaddr (&peer->from, (struct sockaddr *) &from, len);
  return (gsize) n;
}

gsize
test_peer_receive (TestPeer *peer, guint8 *buffer, gsize size)
{
  gint64 end = g_get_monotonic_time () + TEST_PATIENCE;
  gsize n;

  while ((n = test_peer_poll (peer, buffer, size)) == 0) {
    struct pollfd ready = { .fd = peer->fd, .events = POLLIN };
    gint64 left = end - g_get_monotonic_time ();

    fail_unless (left > 0, "no packet has come");
    poll (&ready, 1, (gint) (left / 1000) + 1);
  }
  return n;
}

TfrcWireData
test_peer_receive_data (TestPeer *peer, GByteArray *payload)
{
  guint8 packet[2048];
  TfrcWireData data;
  gsize size;

  do {
    size = test_peer_receive (peer, packet, sizeof packet);
  } while (tfrc_wire_classify (packet, size) != TFRC_WIRE_KIND_DATA);
  fail_unless_equals_int (tfrc_wire_parse_data (packet, size, &data), TFRC_WIRE_OK);
  if (payload)
    g_byte_array_append (payload, packet + data.header_bytes, (guint) data.payload_bytes);
  return data;
}

TfrcWireRtcp
test_peer_receive_rtcp (TestPeer *peer, gboolean (*wanted) (const TfrcWireRtcp *rtcp))
{
  guint8 packet[2048];
  TfrcWireRtcp rtcp;
  gsize size;

  do {
    size = test_peer_receive (peer, packet, sizeof packet);
  } while (tfrc_wire_classify (packet, size) != TFRC_WIRE_KIND_RTCP
      || tfrc_wire_parse_rtcp (packet, size, peer->ssrc, &rtcp) != TFRC_WIRE_OK || !wanted (&rtcp));
  return rtcp;
}

void
test_peer_send_feedback (TestPeer *peer, gint port, const TfrcWireData *data, guint32 number)
{
  TfrcFeedback feedback = { 0 };
  TfrcWireState state = { 0 };
  guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];

  feedback.recv_data_us = data->send_time_us;
  feedback.x_recv_Bps = 100000000;
  state.highest_seq = data->seq;
  state.feedback_number = number;
  test_peer_send (peer, port, packet,
      tfrc_wire_write_feedback (packet, peer->ssrc, data->ssrc, &feedback, &state));
}

static gboolean
is_challenge (const TfrcWireRtcp *rtcp)
{
  return rtcp->has_challenge;
}

/* Answers the receiver's challenge. */
static void
prove (TestPeer *peer, gint port)
{
  guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireRtcp rtcp;

  if (peer->unresponsive || peer->validated_ssrc == peer->ssrc)
    return;
  rtcp = test_peer_receive_rtcp (peer, is_challenge);
  test_peer_send (
      peer, port, packet, tfrc_wire_write_path_response (packet, peer->ssrc, rtcp.challenge));
  peer->validated_ssrc = peer->ssrc;
}

void
test_peer_send_data_at (TestPeer *peer, gint port, guint16 seq, gconstpointer ts, gsize size)
{
  guint8 packet[TFRC_WIRE_MAX_HEADER_BYTES + 2048];
  TfrcWireData data = { 0 };
  gsize header;

  data.payload_type = TFRC_WIRE_PAYLOAD_TYPE;
  data.seq = seq;
  data.timestamp = peer->timestamp;
  data.ssrc = peer->ssrc;
  data.rtt_us = peer->rtt_us;
  data.has_flags = peer->flags != 0;
  data.flags = peer->flags;
  data.send_time_us = (guint32) g_get_monotonic_time ();
  header = tfrc_wire_write_data (packet, &data);
  memcpy (packet + header, ts, size);
  test_peer_send (peer, port, packet, header + size);
  prove (peer, port);
}

void
test_peer_send_data (TestPeer *peer, gint port, gconstpointer ts, gsize size)
{
  test_peer_send_data_at (peer, port, peer->seq++, ts, size);
}

void
test_peer_send_bye (TestPeer *peer, gint port)
{
  guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];

  test_peer_send (peer, port, packet, tfrc_wire_write_bye (packet, peer->ssrc, "test"));
}

static gboolean
is_bye (const TfrcWireRtcp *rtcp)
{
  return rtcp->has_bye;
}

void
test_peer_end_stream (TestPeer *peer, gint port)
{
  test_peer_send_bye (peer, port);
  test_peer_receive_rtcp (peer, is_bye);
}
