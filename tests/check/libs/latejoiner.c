/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who joins a live movie gets the packets since the last random access point (gst/queue/joincache.h): an audience with
 * one flow, its receiver, and a path between them, in virtual time. The player has a delay of 200 ms, which the sender is
 * told, and a round trip takes as long. */
#include "flowpair.h"
#include "gst/stream/audience.h"
#include "quietport.h"

#define MS GST_MSECOND
#define S GST_SECOND
#define LATENCY (200 * MS)
#define DELAY (100 * MS) /* one way */
#define RTT (2 * DELAY)
#define INTERVAL (10 * MS) /* of the movie's packets: 1.05 Mbit/s */
#define KEY_PACKETS 13     /* of a picture at which decoding can begin */
#define PICTURE_PACKETS 4  /* of any other */
#define MAX_PACKETS 2000

static GstTfrcPort *port;
static GstTfrcTenant tenant;
static GstTfrcAudience audience;
static GstTfrcIntake *intake;
static guint group_packets; /* of the movie's groups */
static guint64 serialisation_ns, path_free_ns;
static guint32 n_pushed;
static guint32 picture;
static guint64 pushed_at[MAX_PACKETS];
static guint64 played_at[MAX_PACKETS]; /* 0: has not been */
static guint32 highest_played;

static void
setup (void)
{
  static const guint8 secret[GST_TFRC_SECRET_BYTES] = { 1 };
  GstTfrcSocketConfig socket = GST_TFRC_SOCKET_CONFIG_INIT;
  GstTfrcReceiveFlowConfig receiver = {
    .ssrc = 0xfeedbac4, .cname = "test", .secret = secret, .wall_ns = wall_ns
  };
  const GstTfrcSinkLimits limits = { .max_queue_packets = 4096, .deadline = TRUE };
  GError *error = NULL;

  begin_time ();
  socket.bind_address = "127.0.0.1";
  gst_tfrc_tenant_init (&tenant, &quiet_owner, NULL);
  port = gst_tfrc_port_new (&socket, &tenant, &error);
  g_assert_no_error (error);
  gst_tfrc_audience_init (&audience, port, &tenant, &limits, TRUE);
  tfrc_receiver_config_init (&receiver.receiver);
  receiver.limits = (GstTfrcReceiveFlowLimits){
    .window_ns = LATENCY, .max_time_ns = 5 * S, .tells_window = TRUE
  };
  src = gst_tfrc_receive_flow_new (&receiver, now);
  intake = gst_tfrc_receive_flow_get_intake (src);
  pool = gst_tfrc_packet_pool_new ();
  sink = NULL;
  group_packets = 400;
  serialisation_ns = path_free_ns = 0;
  n_pushed = picture = highest_played = 0;
  memset (pushed_at, 0, sizeof pushed_at);
  memset (played_at, 0, sizeof played_at);
}

static void
teardown (void)
{
  gst_tfrc_port_leave (port, &tenant);
  gst_tfrc_audience_clear (&audience);
  gst_tfrc_port_unref (port);
  gst_tfrc_receive_flow_free (src);
  gst_tfrc_packet_pool_free (pool);
  g_queue_clear_full (&network, g_free);
}

static void
transmit (const GstTfrcDatagram *datagram, gboolean to_src)
{
  InFlight *packet = new_in_flight (datagram, to_src);
  guint64 begin_ns = to_src ? MAX (path_free_ns, now) : now;

  packet->arrival_ns = begin_ns + DELAY;
  if (to_src) {
    path_free_ns = begin_ns + serialisation_ns;
    packet->arrival_ns = path_free_ns + DELAY;
  }
  g_queue_push_tail (&network, packet);
}

/* ---- the movie --------------------------------------------------------------------- */

static void
set_worth (GstTfrcPacket *packet, guint32 number)
{
  guint in_group = number % group_packets;
  gboolean is_key = in_group < KEY_PACKETS;
  GstTfrcImportance worth = { is_key ? GST_TFRC_CLASS_RANDOM_ACCESS : GST_TFRC_CLASS_REFERENCE, 0,
    number / group_packets + 1 };

  if (in_group == 0 || (!is_key && (in_group - KEY_PACKETS) % PICTURE_PACKETS == 0))
    picture++;
  worth.picture = picture;
  gst_tfrc_packet_set_importance (packet, &worth);
}

static void
push (void) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcPacket *packet = new_packet (n_pushed);

  set_worth (packet, n_pushed);
  pushed_at[n_pushed++] = now;
  gst_tfrc_audience_push (&audience, packet, now, now);
}

static void
play (void)
{
  GstTfrcReorderItem item;
  guint32 number;

  while (gst_tfrc_intake_pop (intake, now, &item, 1) > 0) {
    GstBuffer *buffer = item.data;

    gst_buffer_extract (buffer, GST_BUFFER_OFFSET (buffer) + NUMBER_AT, &number, sizeof number);
    played_at[number] = now;
    highest_played = MAX (highest_played, number);
    gst_buffer_unref (buffer);
  }
}

static void
run_until (guint64 end_ns) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  for (; now < end_ns; now += STEP) {
    if ((now - start) % INTERVAL == 0)
      push ();
    deliver_due ();
    if (sink)
      pump (gst_tfrc_send_flow_get_base (sink), TRUE);
    pump (gst_tfrc_receive_flow_base (src), FALSE);
    play ();
  }
}

/* The call of the receiver has measured R. */
static void
join (void) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcSendFlowConfig config = { .session.media.rate.initial_window = 10,
    .session.media.rate.handshake_rtt_ns = RTT,
    .session.media.rate.burst_limit_ns = 10 * MS };

  config.session.peer = src_address;
  config.limits = gst_tfrc_audience_get_limits (&audience);
  sink = gst_tfrc_send_flow_new (&config, now);
  gst_tfrc_audience_add (&audience, sink, now);
}

static guint
n_missing (guint32 first, guint32 end)
{
  guint n = 0;

  for (guint32 i = first; i < end; i++)
    n += played_at[i] == 0;
  return n;
}

/* The receiver joins 1 s after the beginning of a group, when 100 of its packets have gone. Its decoder needs each of
 * them, and a tenth of them leaves in the first round trip. */
START_TEST (who_joins_gets_the_whole_group_though_it_is_late)
{
  GstTfrcSinkStreamStats stats;

  gst_tfrc_port_lock (port);
  run_until (start + 1 * S);
  join ();
  run_until (start + 3 * S);
  fail_unless (highest_played > 270, "%u", highest_played);
  fail_unless_equals_int (n_missing (0, highest_played), 0);
  gst_tfrc_send_flow_get_stats (sink, now, &stats);
  fail_unless_equals_uint64 (stats.outbox.deadline.dropped, 0);
  gst_tfrc_port_unlock (port);
}
END_TEST

/* Returns how long it took from the sender's pipeline to the player's. */
static guint64
took_ns (guint32 number)
{
  return played_at[number] - pushed_at[number];
}

/* The sender may send nine tenths of what the movie needs. A decoder can begin with the next group as well. */
START_TEST (who_cannot_catch_up_gets_the_next_group_in_time)
{
  GstTfrcSinkLimits limits = audience.limits;

  limits.max_bitrate = 950000;
  gst_tfrc_port_lock (port);
  gst_tfrc_audience_set_limits (&audience, &limits, now);
  group_packets = 200;
  run_until (start + 1 * S);
  join ();
  run_until (start + 3 * S);
  fail_unless_equals_int (n_missing (200, 200 + KEY_PACKETS), 0);
  for (guint32 i = 200; i < 200 + KEY_PACKETS; i++)
    fail_unless (took_ns (i) <= DELAY + LATENCY, "%u: %" G_GUINT64_FORMAT, i, took_ns (i));
  gst_tfrc_port_unlock (port);
}
END_TEST

/* ... and groups may last for minutes. */
START_TEST (who_cannot_catch_up_is_in_time_after_two_seconds)
{
  GstTfrcSinkLimits limits = audience.limits;
  guint n = 0;

  limits.max_bitrate = 950000;
  gst_tfrc_port_lock (port);
  gst_tfrc_audience_set_limits (&audience, &limits, now);
  group_packets = MAX_PACKETS;
  run_until (start + 1 * S);
  join ();
  run_until (start + 5 * S);
  for (guint32 i = 300; i < 450; i++) {
    n += played_at[i] > 0;
    fail_unless (played_at[i] == 0 || took_ns (i) <= DELAY + LATENCY, "%u: %" G_GUINT64_FORMAT, i,
        took_ns (i));
  }
  fail_unless (n > 80, "%u", n);
  gst_tfrc_port_unlock (port);
}
END_TEST

static Suite *
latejoiner_suite (void)
{
  Suite *suite = suite_create ("latejoiner");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, who_joins_gets_the_whole_group_though_it_is_late);
  tcase_add_test (tcase, who_cannot_catch_up_gets_the_next_group_in_time);
  tcase_add_test (tcase, who_cannot_catch_up_is_in_time_after_two_seconds);
  return suite;
}

GST_CHECK_MAIN (latejoiner);
