/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libtfrc alone, without GStreamer: sends RTP packets over UDP at the rate that TFRC allows.
 *
 *   udp-stream receive PORT               until the sender says BYE; PORT 0: any free port
 *   udp-stream send ADDRESS PORT PACKETS  an IPv4 address
 *
 * The library is asked when the next packet or feedback is due, and told what came; sockets and the
 * clock belong to the program. */
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <tfrc/tfrc.h>
#include <tfrc/wire.h>

#define SENDER_SSRC UINT32_C (0x73656e64)
#define RECEIVER_SSRC UINT32_C (0x72656376)
#define PAYLOAD_BYTES 1316                /* seven packets of a transport stream, here all zero */
#define SILENCE_NS UINT64_C (10000000000) /* the peer is gone: ten seconds without a packet */
#define MS_NS 1000000

static uint64_t
now_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

static uint64_t
earlier (uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

/* Waits for a packet until @until_ns, or a millisecond longer.  Returns whether one has come. */
static bool
wait_for_packet (int socket, uint64_t until_ns)
{
  struct pollfd readable = { .fd = socket, .events = POLLIN };
  uint64_t now = now_ns ();

  return poll (&readable, 1, until_ns > now ? (int) ((until_ns - now) / MS_NS + 1) : 0) == 1;
}

static int
fail (const char *what)
{
  perror (what);
  return 1;
}

/* ---- the sender ---------------------------------------------------------- */

static void
send_packet (TfrcSender *sender, int socket)
{
  uint8_t packet[TFRC_WIRE_MAX_HEADER_BYTES + PAYLOAD_BYTES] = { 0 };
  TfrcWireData wire = { .payload_type = TFRC_WIRE_PAYLOAD_TYPE, .ssrc = SENDER_SSRC };
  uint64_t now = now_ns ();
  TfrcData data;
  size_t bytes;

  if (tfrc_sender_prepare (sender, PAYLOAD_BYTES, now, &data) != TFRC_OK)
    return;
  tfrc_wire_set_data (&wire, &data);
  wire.timestamp = (uint32_t) (now / 100000 * 9); /* 90 kHz */
  bytes = tfrc_wire_write_data (packet, &wire) + PAYLOAD_BYTES;
  if (send (socket, packet, bytes, 0) < 0)
    tfrc_sender_cancel (sender, PAYLOAD_BYTES);
}

/* Returns whether a packet of the receiver has come. */
static bool
take_feedback (TfrcSender *sender, int socket)
{
  uint8_t packet[2048];
  ssize_t bytes = recv (socket, packet, sizeof packet, 0);
  TfrcWireRtcp rtcp;

  if (bytes < 0 || tfrc_wire_parse_rtcp (packet, (size_t) bytes, SENDER_SSRC, &rtcp) != TFRC_WIRE_OK
      || !rtcp.has_feedback)
    return false;
  tfrc_sender_on_feedback (sender, &rtcp.feedback, now_ns ());
  return true;
}

static int
run_sender (const char *address, const char *port, uint64_t packets)
{
  struct sockaddr_in peer = { .sin_family = AF_INET, .sin_port = htons ((uint16_t) atoi (port)) };
  int sock = socket (AF_INET, SOCK_DGRAM, 0);
  uint64_t end = now_ns () + SILENCE_NS;
  uint8_t bye[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcSender *sender;
  TfrcSenderStats stats;

  if (inet_pton (AF_INET, address, &peer.sin_addr) != 1) {
    fprintf (stderr, "%s is no IPv4 address\n", address);
    return 2;
  }
  if (sock < 0 || connect (sock, (struct sockaddr *) &peer, sizeof peer) != 0)
    return fail ("connect");
  if (tfrc_sender_new (&sender, NULL) != TFRC_OK)
    return fail ("tfrc_sender_new");
  while (tfrc_sender_get_packets_sent (sender) < packets && now_ns () < end) {
    uint64_t next = tfrc_sender_next_send_ns (sender);

    if (next <= now_ns ())
      send_packet (sender, sock);
    tfrc_sender_on_timeout (sender, now_ns ());
    next = earlier (tfrc_sender_next_send_ns (sender), tfrc_sender_next_timeout_ns (sender));
    if (wait_for_packet (sock, earlier (next, end)) && take_feedback (sender, sock))
      end = now_ns () + SILENCE_NS;
  }
  (void) !send (sock, bye, tfrc_wire_write_bye (bye, SENDER_SSRC, "udp-stream"), 0);
  tfrc_sender_get_stats (sender, &stats);
  printf ("%llu packets sent, RTT %.1f ms, loss event rate %.4f\n",
      (unsigned long long) stats.packets_sent, (double) tfrc_sender_get_rtt_ns (sender) / MS_NS,
      tfrc_sender_get_loss_event_rate (sender));
  tfrc_sender_free (sender);
  close (sock);
  return stats.packets_sent == packets && stats.feedbacks_received > 0 ? 0 : 3;
}

/* ---- the receiver -------------------------------------------------------- */

typedef struct
{
  TfrcReceiver *receiver;
  int socket;
  struct sockaddr_in sender; /* of the newest packet, and its SSRC */
  uint32_t ssrc;
  uint64_t end_ns; /* without further packets */
  bool ended;      /* by BYE */
} Receiving;

static void
take_packet (Receiving *r)
{
  uint8_t packet[2048];
  struct sockaddr_in from;
  socklen_t size = sizeof from;
  ssize_t bytes = recvfrom (r->socket, packet, sizeof packet, 0, (struct sockaddr *) &from, &size);
  TfrcWireData wire;
  TfrcWireRtcp rtcp;
  TfrcData data = { 0 };

  if (bytes < 0)
    return;
  if (tfrc_wire_classify (packet, (size_t) bytes) == TFRC_WIRE_KIND_RTCP) {
    if (tfrc_wire_parse_rtcp (packet, (size_t) bytes, RECEIVER_SSRC, &rtcp) == TFRC_WIRE_OK)
      r->ended = rtcp.has_bye;
  } else if (tfrc_wire_parse_data (packet, (size_t) bytes, &wire) == TFRC_WIRE_OK) {
    r->sender = from;
    r->ssrc = wire.ssrc;
    r->end_ns = now_ns () + SILENCE_NS;
    tfrc_wire_get_data (&wire, &data);
    data.size_bytes = (uint32_t) wire.payload_bytes;
    tfrc_receiver_on_data (r->receiver, &data, now_ns (), NULL);
  }
}

static void
send_feedback (Receiving *r)
{
  uint8_t packet[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireState state = { 0 };
  TfrcReceiverStats stats;
  TfrcFeedback feedback;

  if (!tfrc_receiver_make_feedback (r->receiver, now_ns (), &feedback))
    return;
  tfrc_receiver_get_stats (r->receiver, &stats);
  state.highest_seq = (uint32_t) stats.highest_seq;
  state.packets_lost = (uint32_t) stats.packets_lost;
  state.loss_events = feedback.loss_events;
  state.feedback_number = feedback.number;
  /* A packet that cannot be sent is lost, as in the network. */
  (void) !sendto (r->socket, packet,
      tfrc_wire_write_feedback (packet, RECEIVER_SSRC, r->ssrc, &feedback, &state), 0,
      (const struct sockaddr *) &r->sender, sizeof r->sender);
}

static int
run_receiver (const char *port)
{
  struct sockaddr_in own = { .sin_family = AF_INET, .sin_port = htons ((uint16_t) atoi (port)) };
  socklen_t size = sizeof own;
  Receiving r = { .socket = socket (AF_INET, SOCK_DGRAM, 0), .end_ns = now_ns () + SILENCE_NS };
  TfrcReceiverStats stats;

  if (r.socket < 0 || bind (r.socket, (struct sockaddr *) &own, size) != 0
      || getsockname (r.socket, (struct sockaddr *) &own, &size) != 0)
    return fail ("bind");
  if (tfrc_receiver_new (&r.receiver, NULL) != TFRC_OK)
    return fail ("tfrc_receiver_new");
  printf ("receiving on port %u\n", (unsigned) ntohs (own.sin_port));
  fflush (stdout);
  while (!r.ended && now_ns () < r.end_ns) {
    uint64_t due = tfrc_receiver_next_feedback_ns (r.receiver);

    if (wait_for_packet (r.socket, earlier (r.end_ns, due)))
      take_packet (&r);
    if (tfrc_receiver_next_feedback_ns (r.receiver) <= now_ns ())
      send_feedback (&r);
  }
  tfrc_receiver_get_stats (r.receiver, &stats);
  printf ("%llu packets received, %llu lost\n", (unsigned long long) stats.packets_received,
      (unsigned long long) stats.packets_lost);
  tfrc_receiver_free (r.receiver);
  close (r.socket);
  return r.ended ? 0 : 3;
}

int
main (int argc, char **argv)
{
  if (argc == 3 && strcmp (argv[1], "receive") == 0)
    return run_receiver (argv[2]);
  if (argc == 5 && strcmp (argv[1], "send") == 0)
    return run_sender (argv[2], argv[3], strtoull (argv[4], NULL, 10));
  fprintf (stderr, "usage: %s receive PORT | send ADDRESS PORT PACKETS\n", argv[0]);
  return 2;
}
