/* A receiver that moves to another address, and somebody who says that it does. */
#ifndef MIGRATIONTEST_H
#define MIGRATIONTEST_H

#include "sessiontest.h"

#define HOME 1 /* hosts: where the receiver is */
#define AWAY 2 /* ... and where it goes */
#define ATTACKER 66
#define PATIENCE (3 * 999 * MS) /* with a path */

static SessionTest t;

/* What has come to hosts where the receiver is not, or was before it left */
static struct
{
  guint packets, data;
  guint64 bytes;
  guint8 challenge[TFRC_WIRE_PATH_DATA_BYTES];
} at[256];

/* Sent in the name of these hosts */
static guint64 forged_bytes[256];
static guint forged_packets[256];

static inline GstTfrcAddress
host (guint number)
{
  struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons (5004) };
  GstTfrcAddress address;

  v4.sin_addr.s_addr = htonl (0xc0000200u + number);
  gst_tfrc_address_from_sockaddr (&address, (struct sockaddr *) &v4, sizeof v4);
  return address;
}

static inline guint
number_of (const GstTfrcAddress *address)
{
  return ntohl (address->u.v4.sin_addr.s_addr) & 0xff;
}

/* No host may be sent more bytes or packets than came in its name, unless it is
 * the receiver or was. */
static inline void
note_elsewhere (SessionTest *test, const InFlight *packet)
{
  guint i = number_of (&packet->address);
  TfrcWireRtcp rtcp;

  at[i].packets++;
  at[i].bytes += packet->size;
  if (tfrc_wire_classify (packet->data, packet->size) == TFRC_WIRE_KIND_DATA)
    at[i].data++;
  else if (tfrc_wire_parse_rtcp (packet->data, packet->size, 0, &rtcp) == TFRC_WIRE_OK
      && rtcp.has_challenge)
    memcpy (at[i].challenge, rtcp.challenge, sizeof at[i].challenge);
  if (i == HOME || i == AWAY)
    return;
  fail_unless (at[i].bytes <= forged_bytes[i]);
  fail_unless (at[i].packets <= forged_packets[i]);
}

static inline void
setup_with (GstTfrcAllowMigration allow)
{
  GstTfrcAddress home = host (HOME);

  memset (at, 0, sizeof at);
  memset (forged_bytes, 0, sizeof forged_bytes);
  memset (forged_packets, 0, sizeof forged_packets);
  session_test_init (&t);
  t.address = home;
  t.elsewhere = note_elsewhere;
  gst_tfrc_sink_paths_clear (&t.sink->paths);
  gst_tfrc_sink_paths_init (&t.sink->paths, &home, allow);
  session_test_connect (&t);
  t.backlog = 100000;
  run (&t, 2 * S);
}

static inline void
setup (void)
{
  setup_with (GST_TFRC_ALLOW_MIGRATION_ALWAYS);
}

static inline void
teardown (void)
{
  session_test_clear (&t);
}

/* The receiver hands over to another link, where it has another address. */
static inline void
move (guint to)
{
  t.address = host (to);
  gst_tfrc_src_session_start_handover (t.src, ++t.link, 0, FALSE, t.now_ns);
}

static inline gboolean
peer_is (guint number)
{
  GstTfrcAddress address = host (number);

  return gst_tfrc_address_equal (&t.sink->paths.peer, &address);
}

/* This packet comes to the sender before all that is on its way there. */
static inline GstTfrcRtcpResult
forge_from (guint number, const guint8 *data, gsize size)
{
  guint8 copy[TFRC_WIRE_MAX_RTCP_BYTES];
  GstTfrcAddress from = host (number);
  GstTfrcReceivedPacket packet = received_from (&t, &from, copy, size);

  memcpy (copy, data, size);
  forged_bytes[number] += size;
  forged_packets[number]++;
  return gst_tfrc_sink_session_on_rtcp (t.sink, &packet);
}

/* What the receiver last sent */
static guint8 heard[TFRC_WIRE_MAX_RTCP_BYTES];
static gsize heard_size;

static inline void
remember_feedback (SessionTest *test, const guint8 *data, gsize size)
{
  TfrcWireRtcp rtcp;

  if (tfrc_wire_parse_rtcp (data, size, 0, &rtcp) != TFRC_WIRE_OK || !rtcp.has_feedback)
    return;
  memcpy (heard, data, size);
  heard_size = size;
}

/* Runs until feedback has left, which the sender does not know yet. */
static inline void
overhear_feedback (void)
{
  t.overhear = remember_feedback;
  heard_size = 0;
  for (guint i = 0; heard_size == 0; i++) {
    fail_unless (i < 10000);
    run (&t, MS / 10);
  }
}

/* The same, and returns when it did. */
static inline guint64
await_feedback (void)
{
  overhear_feedback ();
  t.overhear = NULL;
  return t.now_ns;
}

/* Returns when the first feedback leaves over the new path. */
static inline guint64
leave_home (void)
{
  move (AWAY);
  return await_feedback ();
}

/* The receiver has another address without knowing; data has come that its next
 * feedback is for. */
static inline void
vanish_to (const GstTfrcAddress *address)
{
  await_feedback ();
  run (&t, RTT / 2);
  t.address = *address;
}

/* Until the sender follows a receiver that does not announce it */
static inline void
appear_at (const GstTfrcAddress *address)
{
  vanish_to (address);
  while (!gst_tfrc_address_equal (&t.sink->paths.peer, address))
    run (&t, MS / 10);
}

#endif
