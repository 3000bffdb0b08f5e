/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver moves back to an earlier address, or to a third one, see gst/flow/sendpaths.h. */
#include "migrationtest.h"

/* The path to AWAY carries no data packets: those in the network are dropped. */
static void
drop_big (SessionTest *test)
{
  for (GList *l = test->network.head, *next; l; l = next) {
    InFlight *packet = l->data;

    next = l->next;
    if (!packet->to_src || number_of (&packet->address) != AWAY || packet->size < 1000)
      continue;
    g_free (packet);
    g_queue_delete_link (&test->network, l);
  }
}

/* The receiver moves and comes back, at any time after the first move. The rest of the first move
 * neither delays the second nor is the time between the moves taken for R. */
GST_START_TEST (a_receiver_that_comes_back_is_followed_as_fast_as_one_that_leaves)
{
  GstTfrcAddress away = host (AWAY), home = host (HOME);

  for (guint64 stay_ns = 10 * MS; stay_ns < 5 * S; stay_ns += stay_ns / 3) {
    guint64 migrations = gst_tfrc_send_paths_get_migrations (paths_of (t.sink)), left_ns;

    appear_at (&away);
    run (&t, stay_ns);
    vanish_to (&home);
    left_ns = await_feedback ();
    run (&t, left_ns + RTT + DELAY + MS - t.now_ns);
    fail_unless (peer_is (HOME));
    fail_unless_equals_uint64 (
        gst_tfrc_send_paths_get_migrations (paths_of (t.sink)), migrations + 2);
    fail_unless (sender_stats (&t).rtt_ns < 2 * RTT);
    run (&t, 5 * S);
    fail_unless (peer_is (HOME));
  }
  fail_unless_equals_uint64 (gst_tfrc_send_paths_get_failures (paths_of (t.sink)), 0);
}

GST_END_TEST;

/* HOME is near, all other hosts are far. */
static guint64
delay_by_host (const GstTfrcAddress *address)
{
  return number_of (address) == HOME ? DELAY : 5 * DELAY;
}

GST_START_TEST (a_receiver_that_comes_back_has_its_previous_round_trip_time)
{
  GstTfrcAddress away = host (AWAY), home = host (HOME);

  t.delay_of = delay_by_host;
  appear_at (&away);
  fail_unless_equals_int (sender_stats (&t).rtt_ns / MS, 5 * RTT / MS);
  run (&t, 2 * S);
  t.address = home;
  while (!peer_is (HOME))
    run (&t, MS / 10);
  fail_unless_equals_int (sender_stats (&t).rtt_ns / MS, RTT / MS);
  /* the same holds when the sender goes back because the new path does not work */
  run (&t, 5 * S);
  move (AWAY);
  while (!peer_is (AWAY))
    run (&t, MS / 10);
  while (peer_is (AWAY)) {
    drop_big (&t);
    run (&t, MS / 10);
  }
  fail_unless_equals_int (sender_stats (&t).rtt_ns / MS, RTT / MS);
}

GST_END_TEST;

/* There are 3 routers on each path. */
static guint8
behind_three_routers (SessionTest *test, const InFlight *packet)
{
  TfrcWireData header;

  if (tfrc_wire_classify (packet->data, packet->size) != TFRC_WIRE_KIND_DATA)
    return 1;
  fail_unless_equals_int (tfrc_wire_parse_data (packet->data, packet->size, &header), TFRC_WIRE_OK);
  return (guint8) (header.ttl - MIN (header.ttl, 3));
}

static void
check_ttl (guint ttl, guint hops)
{
  fail_unless_equals_int (gst_tfrc_adaptive_ttl_get (ttl_of (t.sink)), ttl);
  fail_unless_equals_int (gst_tfrc_adaptive_ttl_get_hops (ttl_of (t.sink)), hops);
}

/* A protector that changes nothing */
static gsize
keep (gpointer user, guint8 *datagram, gsize size)
{
  return size;
}

/* The new path may be longer than the old one. */
GST_START_TEST (an_adaptive_ttl_begins_afresh_on_each_path)
{
  const GstTfrcSendSessionConfig config = { .allow_migration = GST_TFRC_ALLOW_MIGRATION_ALWAYS,
    .media = { .adaptive_ttl = { TRUE, 1, 64, 0.5 },
        .ttl = 20,
        .streams[GST_TFRC_RTP_MEDIA].protector.protect = keep } };
  guint highest = 0;

  teardown ();
  setup_with_config (&config);
  t.arrival_ttl = behind_three_routers;
  run (&t, S);
  check_ttl (4, 4);
  move (AWAY);
  while (!peer_is (AWAY))
    run (&t, MS / 10);
  check_ttl (20, 0);
  while (peer_is (AWAY)) {
    drop_big (&t);
    highest = MAX (highest, gst_tfrc_adaptive_ttl_get (ttl_of (t.sink)));
    run (&t, MS / 10);
  }
  fail_unless_equals_int (highest, 64); /* because of the silence there */
  check_ttl (20, 0);
  run (&t, S);
  check_ttl (4, 4);
}

GST_END_TEST;

/* No more packets come from the receiver, not even those on their way. */
static void
silence (void)
{
  t.deaf = TRUE;
  for (GList *l = t.network.head, *next; l; l = next) {
    InFlight *packet = l->data;

    next = l->next;
    if (packet->to_src)
      continue;
    g_free (packet);
    g_queue_delete_link (&t.network, l);
  }
}

/* Feedback from before the move may arrive after feedback from the new address. */
GST_START_TEST (older_feedback_from_the_previous_address_causes_no_migration)
{
  guint8 response[TFRC_WIRE_MIN_PATH_BYTES];
  GstTfrcAddress away = host (AWAY);
  gsize size;

  await_feedback ();
  g_free (g_queue_pop_tail (&t.network));
  run (&t, RTT / 2);
  t.address = away;
  while (!peer_is (AWAY))
    run (&t, MS / 10);
  silence ();
  fail_unless_equals_int (forge_from (HOME, heard, heard_size), GST_TFRC_RTCP_USED);
  run (&t, DELAY + MS);
  size = tfrc_wire_write_path_response (response, OWN_SSRC, at[HOME].challenge);
  fail_unless_equals_int (forge_from (HOME, response, size), GST_TFRC_RTCP_USED);
  fail_unless (peer_is (AWAY));
}

GST_END_TEST;

GST_START_TEST (a_receiver_may_come_back_and_leave_again)
{
  for (guint i = 0; i < 10; i++) {
    move (i % 2 ? HOME : AWAY);
    run (&t, 500 * MS);
    fail_unless (peer_is (i % 2 ? HOME : AWAY));
    fail_unless_equals_uint64 (gst_tfrc_send_paths_get_migrations (paths_of (t.sink)), i + 1);
  }
  fail_unless_equals_uint64 (gst_tfrc_send_paths_get_failures (paths_of (t.sink)), 0);
  run (&t, 5 * S);
  fail_unless (peer_is (HOME));
}

GST_END_TEST;

/* A host that has left a link still has its address there for a while, and answers challenges. */
static void
answer_at_former_address (SessionTest *test, const InFlight *packet)
{
  guint8 response[TFRC_WIRE_MIN_PATH_BYTES];
  TfrcWireRtcp rtcp;

  if (tfrc_wire_classify (packet->data, packet->size) != TFRC_WIRE_KIND_RTCP
      || tfrc_wire_parse_rtcp (packet->data, packet->size, 0, &rtcp) != TFRC_WIRE_OK
      || !rtcp.has_challenge)
    return;
  forge_from (number_of (&packet->address), response,
      tfrc_wire_write_path_response (response, OWN_SSRC, rtcp.challenge));
}

/* From WiFi to a mobile network, to another WiFi, and so on. */
GST_START_TEST (a_receiver_may_go_round_its_links)
{
  t.elsewhere = answer_at_former_address;
  for (guint i = 1; i < 10; i++) {
    move (HOME + i % 3);
    run (&t, 500 * MS);
    fail_unless (peer_is (HOME + i % 3), "move %u", i);
    fail_unless_equals_uint64 (gst_tfrc_send_paths_get_migrations (paths_of (t.sink)), i);
  }
  fail_unless_equals_uint64 (gst_tfrc_send_paths_get_failures (paths_of (t.sink)), 0);
}

GST_END_TEST;

GST_START_TEST (a_lost_receiver_is_found_at_its_new_address)
{
  guint64 received;

  t.deaf = TRUE;
  run (&t, 30 * S);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_LOST);
  move (AWAY);
  t.deaf = FALSE;
  received = t.data_received;
  /* the low rate of a sender without feedback does not delay the data */
  run (&t, 2 * RTT + MS);
  fail_unless (t.data_received > received);
  run (&t, 10 * S);
  fail_unless (peer_is (AWAY));
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
}

GST_END_TEST;

GST_START_TEST (a_path_that_carries_no_data_is_left_again)
{
  guint64 end_ns;

  move (AWAY);
  end_ns = t.now_ns + RTT + S;
  while (!peer_is (AWAY)) {
    fail_unless (t.now_ns < end_ns);
    run (&t, MS / 10);
  }
  end_ns = t.now_ns + PATIENCE;
  while (t.now_ns < end_ns - MS) {
    drop_big (&t);
    run (&t, MS / 10);
    fail_unless (peer_is (AWAY));
  }
  run (&t, MS);
  fail_unless (peer_is (HOME));
  fail_unless_equals_uint64 (gst_tfrc_send_paths_get_failures (paths_of (t.sink)), 1);
}

GST_END_TEST;

static Suite *
sinkreturn_suite (void)
{
  Suite *s = suite_create ("sinkreturn");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, a_receiver_that_comes_back_is_followed_as_fast_as_one_that_leaves);
  tcase_add_test (tc, a_receiver_that_comes_back_has_its_previous_round_trip_time);
  tcase_add_test (tc, an_adaptive_ttl_begins_afresh_on_each_path);
  tcase_add_test (tc, older_feedback_from_the_previous_address_causes_no_migration);
  tcase_add_test (tc, a_receiver_may_come_back_and_leave_again);
  tcase_add_test (tc, a_receiver_may_go_round_its_links);
  tcase_add_test (tc, a_lost_receiver_is_found_at_its_new_address);
  tcase_add_test (tc, a_path_that_carries_no_data_is_left_again);
  return s;
}

GST_CHECK_MAIN (sinkreturn);
