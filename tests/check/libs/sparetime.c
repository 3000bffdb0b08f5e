/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A live movie whose key pictures are too large for X and the player's delay: sending time that was unused before makes up
 * for it. Both flows, in virtual time. */
#include "flowpair.h"

#define MS GST_MSECOND
#define DELAY (50 * MS) /* one way */
#define RTT (2 * DELAY)
#define LATENCY (200 * MS)
#define X_BPS 2000000 /* at all times */
#define PACKETS_IN(time) ((guint) ((time) / (PAYLOAD * 8 * 1e9 / X_BPS)))
#define PICTURE (40 * MS)
#define PICTURES 100
#define KEY_PICTURE 50
#define FIRST_OF_KEY (2 * KEY_PICTURE) /* each picture before has two packets */
#define MOST_PACKETS 1000

static guint n_key, n_pushed, n_left_of_key;
static guint64 left_at[MOST_PACKETS]; /* 0: has not */
static guint64 key_due_ns;

/* key: packets of the key picture */
static void
setup (guint key)
{
  static const guint8 secret[GST_TFRC_SECRET_BYTES] = { 1 };
  GstTfrcSendFlowConfig config = { .session.media.rate.burst_limit_ns = 10 * MS };
  GstTfrcReceiveFlowConfig receiver = {
    .ssrc = 0xfeedbac4, .cname = "test", .secret = secret, .wall_ns = wall_ns
  };

  begin_time ();
  config.session.peer = src_address;
  config.limits = (GstTfrcSinkLimits){
    .min_bitrate = X_BPS, .max_bitrate = X_BPS, .max_queue_packets = MOST_PACKETS, .deadline = TRUE
  };
  sink = gst_tfrc_send_flow_new (&config, now);
  tfrc_receiver_config_init (&receiver.receiver);
  receiver.limits = (GstTfrcReceiveFlowLimits){
    .window_ns = LATENCY, .max_time_ns = GST_SECOND, .tells_window = TRUE
  };
  src = gst_tfrc_receive_flow_new (&receiver, now);
  pool = gst_tfrc_packet_pool_new ();
  n_key = key;
  n_pushed = n_left_of_key = 0;
  memset (left_at, 0, sizeof left_at);
}

static void
transmit (const GstTfrcDatagram *datagram, gboolean to_src)
{
  InFlight *packet = new_in_flight (datagram, to_src);

  if (datagram->payload) {
    guint number = number_of (datagram->payload);

    left_at[number] = now;
    n_left_of_key += number >= FIRST_OF_KEY && number < FIRST_OF_KEY + n_key;
  }
  packet->arrival_ns = now + DELAY;
  g_queue_push_tail (&network, packet);
}

static void
push_picture (guint picture)
{
  guint n = picture == KEY_PICTURE ? n_key : 2;
  const GstTfrcImportance importance = { picture == KEY_PICTURE ? GST_TFRC_CLASS_RANDOM_ACCESS
                                                                : GST_TFRC_CLASS_REFERENCE,
    picture + 1, picture < KEY_PICTURE ? 1 : 2 };

  if (picture == KEY_PICTURE)
    key_due_ns = now;
  while (n-- > 0) {
    GstTfrcPacket *packet = new_packet (n_pushed++);
    GstTfrcOutbox *outbox = gst_tfrc_send_flow_get_outbox (sink);

    gst_tfrc_packet_set_importance (packet, &importance);
    fail_unless_equals_int (gst_tfrc_outbox_admit (outbox, now, now), GST_TFRC_ADMIT);
    gst_tfrc_outbox_push (outbox, packet, GST_TFRC_RTP_MEDIA, now, now);
  }
}

static void
play (void)
{
  GstTfrcReorderItem item;

  for (guint picture = 0; picture < PICTURES; now += STEP) {
    deliver_due ();
    if (now >= start + (picture + 1) * PICTURE)
      push_picture (picture++);
    pump (gst_tfrc_send_flow_get_base (sink), TRUE);
    pump (gst_tfrc_receive_flow_base (src), FALSE);
    while (gst_tfrc_intake_pop (gst_tfrc_receive_flow_get_intake (src), now, &item, 1) > 0)
      gst_buffer_unref (item.data);
  }
}

/* In any time no more leaves than X gives, and one R's worth more. */
static void
assert_no_more_than_credit (void)
{
  for (guint i = FIRST_OF_KEY; i < n_pushed; i++) {
    for (guint k = i, n = 0; k < n_pushed && left_at[i] > 0; k++) {
      if (left_at[k] == 0)
        continue;
      n++;
      fail_unless (
          n <= PACKETS_IN (left_at[k] - left_at[i] + RTT) + 1, "%u packets from %u on", n, i);
    }
  }
}

GST_START_TEST (a_key_picture_that_x_makes_late_is_in_time)
{
  setup (PACKETS_IN (LATENCY) * 5 / 4);
  play ();
  fail_unless_equals_int (n_left_of_key, n_key);
  for (guint i = FIRST_OF_KEY; i < FIRST_OF_KEY + n_key; i++)
    fail_unless (left_at[i] <= key_due_ns + LATENCY, "packet %u is late", i);
  assert_no_more_than_credit ();
  free_pair ();
}

GST_END_TEST;

/* Nothing leaves at twice X that is in time at X. */
GST_START_TEST (a_key_picture_that_is_in_time_at_x_leaves_at_x)
{
  guint64 expected_ns;

  setup (PACKETS_IN (LATENCY) * 3 / 4);
  play ();
  fail_unless_equals_int (n_left_of_key, n_key);
  expected_ns = (guint64) ((n_key - 1) * (PAYLOAD * 8 * 1e9 / X_BPS)) - 10 * MS;
  fail_unless (left_at[FIRST_OF_KEY + n_key - 1] >= key_due_ns + expected_ns);
  free_pair ();
}

GST_END_TEST;

/* The credit is for one R, so a picture for which it is too short is dropped, and nothing of it leaves in vain. */
GST_START_TEST (a_key_picture_beyond_the_credit_is_dropped)
{
  setup (PACKETS_IN (LATENCY + RTT) + 5);
  play ();
  fail_unless (n_left_of_key < n_key / 8, "%u have left", n_left_of_key);
  assert_no_more_than_credit ();
  free_pair ();
}

GST_END_TEST;

static Suite *
sparetime_suite (void)
{
  Suite *suite = suite_create ("sparetime");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, a_key_picture_that_x_makes_late_is_in_time);
  tcase_add_test (tcase, a_key_picture_that_is_in_time_at_x_leaves_at_x);
  tcase_add_test (tcase, a_key_picture_beyond_the_credit_is_dropped);
  return suite;
}

GST_CHECK_MAIN (sparetime);
