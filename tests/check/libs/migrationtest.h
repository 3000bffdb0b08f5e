/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver that moves to another address, and an attacker who says that the receiver has
 * moved. */
#ifndef MIGRATIONTEST_H
#define MIGRATIONTEST_H

#include "sessiontest.h"

#define HOME 1 /* the host of the receiver */
#define AWAY 2 /* the host to which the receiver moves */
#define ATTACKER 66
#define PATIENCE (3 * 999 * MS) /* the timeout of the validation of a path */

static SessionTest t;

/* The packets that have come to hosts other than the receiver's, now or earlier */
static struct
{
  guint packets, data;
  guint64 bytes;
  guint8 challenge[TFRC_WIRE_PATH_DATA_BYTES];
} at[256];

/* The bytes and packets that were sent in the name of each host */
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

/* No host may be sent more bytes or packets than came in its name. Only hosts where the receiver is
 * or was may be sent more. */
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

/* @config: all but the receiver's address */
static inline void
setup_with_config (const GstTfrcSendSessionConfig *config)
{
  GstTfrcSendSessionConfig all = *config;
  GstTfrcAddress home = host (HOME);

  memset (at, 0, sizeof at);
  memset (forged_bytes, 0, sizeof forged_bytes);
  memset (forged_packets, 0, sizeof forged_packets);
  session_test_init (&t);
  t.address = home;
  t.elsewhere = note_elsewhere;
  all.peer = home;
  session_test_restart_sink (&t, &all);
  set_rate_limits_Bps (t.sink, 0, MAX_RATE_BPS);
  session_test_connect (&t);
  t.backlog = 100000;
  run (&t, 2 * S);
}

static inline void
setup_with (GstTfrcAllowMigration allow)
{
  setup_with_config (&(GstTfrcSendSessionConfig){ .allow_migration = allow });
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

/* The receiver hands over to another link, on which the receiver has another address. */
static inline void
move (guint to)
{
  t.address = host (to);
  gst_tfrc_reception_start_handover (t.src, ++t.link, 0, FALSE, t.now_ns);
}

static inline gboolean
peer_is (guint number)
{
  GstTfrcAddress address = host (number);

  return gst_tfrc_address_equal (peer_of (t.sink), &address);
}

/* This packet comes to the sender before all packets that are on the way to the sender. */
static inline GstTfrcRtcpResult
forge_from (guint number, const guint8 *data, gsize size)
{
  guint8 copy[TFRC_WIRE_MAX_RTCP_BYTES];
  GstTfrcAddress from = host (number);
  GstTfrcReceivedPacket packet = received_from (&t, &from, copy, size);

  memcpy (copy, data, size);
  forged_bytes[number] += size;
  forged_packets[number]++;
  return gst_tfrc_send_session_on_rtcp (t.sink, &packet);
}

/* The last packet of the receiver */
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

/* Runs until feedback has left that the sender does not know yet. */
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

/* As overhear_feedback(). Returns the time at which the feedback left. */
static inline guint64
await_feedback (void)
{
  overhear_feedback ();
  t.overhear = NULL;
  return t.now_ns;
}

/* The receiver moves. Returns the time at which the first feedback leaves over the new path. */
static inline guint64
leave_home (void)
{
  move (AWAY);
  return await_feedback ();
}

/* The address of the receiver changes, and the receiver does not know. Data has come that the next
 * feedback will report. */
static inline void
vanish_to (const GstTfrcAddress *address)
{
  await_feedback ();
  run (&t, RTT / 2);
  t.address = *address;
}

/* Runs until the sender follows a receiver that does not announce its move. */
static inline void
appear_at (const GstTfrcAddress *address)
{
  vanish_to (address);
  while (!gst_tfrc_address_equal (peer_of (t.sink), address))
    run (&t, MS / 10);
}

#endif
