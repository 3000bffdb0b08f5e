/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stream with an adaptive TTL, and routers that let packets die, in virtual time */
#ifndef SINKTTLTEST_H
#define SINKTTLTEST_H

#include "sessiontest.h"

#define START 8 /* the TTL of the socket */
#define TTL_MAX 64

static SessionTest t;
static guint routers;          /* on the way to the receiver */
static gboolean tells_by_icmp; /* the routers send "time exceeded" */
static guint died;             /* packets of data, on the way */
static guint8 last_ttl;        /* with which the last packet of data left */
static gint lie;               /* the routers take this much less from the TTL than they should */

/* A protection without effect: the rule about raised TTLs asks only whether there is one. */
static inline gsize
keep (gpointer user, guint8 *datagram, gsize size)
{
  return size;
}

/* Feedback about a packet has to tell the TTL in the header of that packet. */
static inline guint8
arrival_ttl (SessionTest *test, const InFlight *packet)
{
  TfrcWireData header;

  if (tfrc_wire_classify (packet->data, packet->size) != TFRC_WIRE_KIND_DATA)
    return 1;
  fail_unless_equals_int (tfrc_wire_parse_data (packet->data, packet->size, &header), TFRC_WIRE_OK);
  last_ttl = test->config.media.adaptive_ttl.enabled ? header.ttl : START;
  fail_unless (last_ttl > 0);
  if (last_ttl > routers)
    return (guint8) (last_ttl - routers + (guint) lie);
  died++;
  if (tells_by_icmp)
    gst_tfrc_send_session_on_time_exceeded (test->sink, peer_of (test->sink));
  return 0;
}

static inline GstTfrcSendSessionConfig
config_of (gboolean is_protected)
{
  return (GstTfrcSendSessionConfig){ .media.ttl = START,
    .media.adaptive_ttl = { TRUE, 1, TTL_MAX, 0.5 },
    .media.streams[GST_TFRC_RTP_MEDIA].protector = { .protect = is_protected ? keep : NULL } };
}

static inline void
begin (const GstTfrcSendSessionConfig *config)
{
  session_test_restart_sink (&t, config);
  set_rate_limits_Bps (t.sink, 0, MAX_RATE_BPS);
  t.backlog = 100000;
  run (&t, 2 * S);
  fail_unless_equals_int (died, 0);
}

static inline void
begin_protected (void)
{
  GstTfrcSendSessionConfig config = config_of (TRUE);

  begin (&config);
}

static inline void
begin_unprotected (void)
{
  GstTfrcSendSessionConfig config = config_of (FALSE);

  begin (&config);
}

static inline GstTfrcSendSessionStats
stats (void)
{
  GstTfrcSendSessionStats result;

  gst_tfrc_send_session_get_stats (t.sink, &result);
  return result;
}

static inline void
check_ttl (guint ttl, guint hops)
{
  fail_unless_equals_int (stats ().ttl, ttl);
  fail_unless_equals_int (stats ().hops, hops);
}

static inline void
setup (void)
{
  session_test_init (&t);
  t.arrival_ttl = arrival_ttl;
  routers = 3;
  tells_by_icmp = TRUE;
  died = last_ttl = 0;
  lie = 0;
}

static inline void
teardown (void)
{
  session_test_clear (&t);
}

#endif
