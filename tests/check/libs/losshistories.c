/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two loss histories: of all losses, and without link errors */
#include "losstest.h"

static TfrcLossHistory congestion;

/* ---- verdicts ------------------------------------------------------------ */

static GRand *verdicts; /* NULL: the verdict is always the same */
static gboolean verdict;
static guint asked, last_count;

static bool
is_link_error (void *user, uint32_t count)
{
  fail_unless (user == &detection);
  asked++;
  last_count = count;
  return verdicts != NULL ? g_rand_boolean (verdicts) : verdict;
}

/* The stream starts with FIRST. All losses get this verdict. */
static void
start_with (gboolean link_error)
{
  verdict = link_error;
  asked = 0;
  start (0);
  tfrc_loss_detection_classify (&detection, &congestion, is_link_error, &detection);
}

static void
assert_same_intervals (const TfrcLossIntervals *a, const TfrcLossIntervals *b)
{
  fail_unless_equals_uint64 (a->events, b->events);
  fail_unless_equals_int (a->closed, b->closed);
  fail_unless_equals_uint64 (a->start_seq, b->start_seq);
  fail_unless_equals_uint64 (a->start_ns, b->start_ns);
  for (guint i = 1; i <= a->closed; i++) {
    fail_unless (a->length[i] == b->length[i]);
    fail_unless (a->discount[i] == b->discount[i]);
  }
  fail_unless (memcmp (&a->moments, &b->moments, sizeof a->moments) == 0);
}

/* ---- one gap ------------------------------------------------------------- */

GST_START_TEST (test_link_error_starts_no_event_of_congestion)
{
  guint64 ms;

  start_with (TRUE);
  arrive_in_order (FIRST, 1009, 0);
  assert_arrives (1013, 130, TFRC_LOSS_NOTHING);
  /* the verdict is made at the first packet after the gap */
  fail_unless_equals_int (asked, 1);
  fail_unless_equals_int (last_count, 3);
  fail_unless (detection.gaps[0].link_error);
  fail_unless_equals_uint64 (detection.link_errors, 0);
  assert_arrives (1014, 140, TFRC_LOSS_NOTHING);
  assert_arrives (1015, 150, TFRC_LOSS_NEW_EVENT);
  assert_state (1, 3, 1010, 100 * MS);
  fail_unless_equals_uint64 (detection.link_errors, 3);
  fail_unless_equals_uint64 (congestion.current.events, 0);
  fail_unless (tfrc_loss_intervals_mean (&congestion.current, 1015) == 0);

  verdict = FALSE;
  ms = arrive_in_order (1016, 1099, 160);
  assert_arrives (1101, ms + 10, TFRC_LOSS_NOTHING);
  assert_arrives (1102, ms + 20, TFRC_LOSS_NOTHING);
  assert_arrives (1103, ms + 30, TFRC_LOSS_NEW_EVENT);
  /* the first event of congestion has a first interval of its own */
  fail_unless_equals_int (first_intervals, 2);
  fail_unless_equals_uint64 (congestion.current.events, 1);
  fail_unless_equals_uint64 (congestion.current.start_seq, 1100);
  fail_unless (congestion.current.length[1] == SEED);
  fail_unless (detection.all.current.length[1] == 90);
  fail_unless_equals_uint64 (detection.link_errors, 3);
  fail_unless_equals_uint64 (detection.lost, 4);
}

GST_END_TEST;

/* The interval goes on as if the packets had arrived. */
GST_START_TEST (test_interval_goes_on_over_a_link_error)
{
  start_with (FALSE);
  arrive_in_order (FIRST, 1009, 0);
  assert_arrives_marked (1010, 100, TFRC_LOSS_NEW_EVENT);
  arrive_in_order (1011, 1049, 300);
  verdict = TRUE;
  assert_arrives (1051, 710, TFRC_LOSS_NOTHING);
  assert_arrives (1052, 720, TFRC_LOSS_NOTHING);
  assert_arrives (1053, 730, TFRC_LOSS_NEW_EVENT);
  arrive_in_order (1054, 1099, 740);
  assert_arrives_marked (1100, 1210, TFRC_LOSS_NEW_EVENT);
  fail_unless (detection.all.current.length[2] == 40);
  fail_unless (detection.all.current.length[1] == 50);
  fail_unless (congestion.current.length[1] == 90);
  fail_unless (congestion.current.length[2] == SEED);
}

GST_END_TEST;

GST_START_TEST (test_mark_is_always_congestion)
{
  start_with (TRUE);
  arrive_in_order (FIRST, 1009, 0);
  assert_arrives_marked (1010, 100, TFRC_LOSS_NEW_EVENT);
  fail_unless_equals_int (asked, 0);
  fail_unless_equals_uint64 (congestion.current.events, 1);
  /* the gap before a mark has its own verdict */
  assert_arrives_marked (1012, 320, TFRC_LOSS_NEW_EVENT);
  fail_unless_equals_uint64 (detection.all.current.events, 3);
  fail_unless_equals_uint64 (congestion.current.events, 2);
  fail_unless_equals_uint64 (detection.link_errors, 1);
}

GST_END_TEST;

/* Of an outage: at least 15 lost packets, and no arrival within four round-trip times */
GST_START_TEST (test_outage_is_always_congestion)
{
  static const struct
  {
    guint lost, ms;
    gboolean outage;
  } cases[] = { { 15, 400, TRUE }, { 15, 399, FALSE }, { 14, 400, FALSE }, { 1000, 4000, TRUE } };

  for (guint one_event = 0; one_event < 2; one_event++) {
    for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
      guint64 seq = 1010 + cases[i].lost, ms = 90 + cases[i].ms;

      start_with (TRUE);
      detection.rules.outage_is_one_event = one_event;
      arrive_in_order (FIRST, 1009, 0);
      for (guint k = 0; k < 3; k++)
        arrive_at_ns (seq + k, FALSE, (ms + k) * MS);
      fail_unless_equals_uint64 (detection.lost, cases[i].lost);
      fail_unless_equals_uint64 (detection.link_errors, cases[i].outage ? 0 : cases[i].lost);
      fail_unless_equals_int (congestion.current.events > 0, cases[i].outage);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_late_packet_is_no_link_error_any_more)
{
  start_with (TRUE);
  arrive_in_order (FIRST, 1009, 0);
  assert_arrives (1015, 150, TFRC_LOSS_NOTHING);
  assert_arrives (1016, 160, TFRC_LOSS_NOTHING);
  assert_arrives (1017, 170, TFRC_LOSS_NEW_EVENT);
  fail_unless_equals_uint64 (detection.link_errors, 5);
  /* the gap becomes two gaps: both keep the verdict */
  assert_arrives (1012, 180, TFRC_LOSS_NOTHING);
  fail_unless_equals_uint64 (detection.link_errors, 4);
  fail_unless_equals_int (detection.n_gaps, 2);
  fail_unless (detection.gaps[0].link_error && detection.gaps[1].link_error);
  fail_unless_equals_int (asked, 1);
  for (guint64 seq = 1010; seq <= 1014; seq++)
    arrive_at_ns (seq, FALSE, 190 * MS);
  fail_unless_equals_uint64 (detection.link_errors, 0);
  fail_unless_equals_uint64 (detection.lost, 0);
  fail_unless_equals_uint64 (detection.all.current.events, 0);
}

GST_END_TEST;

/* ---- another path, and other numbers ------------------------------------- */

/* An event of congestion at 1010, and a link error at 1050 */
static void
have_both (void)
{
  start_with (FALSE);
  arrive_in_order (FIRST, 1009, 0);
  assert_arrives_marked (1010, 100, TFRC_LOSS_NEW_EVENT);
  arrive_in_order (1011, 1049, 300);
  verdict = TRUE;
  assert_arrives (1051, 710, TFRC_LOSS_NOTHING);
  assert_arrives (1052, 720, TFRC_LOSS_NOTHING);
  assert_arrives (1053, 730, TFRC_LOSS_NEW_EVENT);
}

GST_START_TEST (test_both_histories_go_on_over_a_restart)
{
  have_both ();
  tfrc_loss_detection_restart (&detection, 5000, RTT_US, 740 * MS);
  arrive_in_order (5001, 5010, 750);
  /* the packets 1054 .. 4999 do not count as lost */
  fail_unless (
      tfrc_loss_intervals_mean (&detection.all.current, 5010) == MAX ((40 + SEED) / 2, 15));
  fail_unless_equals_uint64 (detection.all.current.start_seq, 1050 + 5000 - 1054);
  fail_unless_equals_uint64 (congestion.current.start_seq, 1010 + 5000 - 1054);
  fail_unless_equals_uint64 (detection.link_errors, 1);
}

GST_END_TEST;

GST_START_TEST (test_both_histories_are_rebuilt_for_another_path)
{
  have_both ();
  arrive_in_order (1054, 1060, 740);
  tfrc_loss_detection_new_path (&detection);
  tfrc_loss_detection_rebuild (&detection, 77);
  for (guint i = 1; i <= 8; i++) {
    fail_unless (detection.all.current.length[i] == 77);
    fail_unless (congestion.current.length[i] == 77);
  }
  fail_unless_equals_uint64 (detection.all.current.start_seq, 1060);
  fail_unless_equals_uint64 (congestion.current.start_seq, 1060);
  /* events of the old path stay counted */
  fail_unless_equals_uint64 (detection.all.current.events, 2);
  fail_unless_equals_uint64 (congestion.current.events, 1);
}

GST_END_TEST;

/* ---- random arrivals ----------------------------------------------------- */

#define STREAMS 300
#define PACKETS 600

/* One packet of a random stream arrives, if it is not lost. Some come late. */
static void
arrive_randomly (GRand *rand, guint64 *seq, guint64 *now_ns)
{
  gint what = g_rand_int_range (rand, 0, 100);

  *now_ns += g_rand_int_range (rand, 0, 20) * MS;
  if (what < 12) {
    *seq += g_rand_int_range (rand, 1, 30);
  } else if (what < 20 && *seq > FIRST + 40) {
    arrive_at_ns (*seq - g_rand_int_range (rand, 1, 40), what % 4 == 0, *now_ns);
    return;
  }
  arrive_at_ns ((*seq)++, what >= 97, *now_ns);
}

/* Runs a random stream with losses, marks, late packets, restarts and other paths. The moments begin anew once. */
static void
run_stream (GRand *rand)
{
  guint64 seq = FIRST, now_ns = 0;

  for (guint i = 0; i < PACKETS; i++) {
    arrive_randomly (rand, &seq, &now_ns);
    if (i % 200 == 150) {
      seq += g_rand_int_range (rand, 0, 1000);
      tfrc_loss_detection_restart (&detection, seq++, RTT_US, now_ns);
    } else if (i % 200 == 99) {
      tfrc_loss_detection_new_path (&detection);
    } else if (i % 200 == 110) {
      tfrc_loss_detection_rebuild (&detection, 25);
    } else if (i == 220) {
      tfrc_loss_detection_reset_moments (&detection);
    }
  }
}

GST_START_TEST (test_without_link_errors_both_histories_are_the_same)
{
  GRand *rand = g_rand_new_with_seed (1);

  for (guint i = 0; i < STREAMS; i++) {
    start_with (FALSE);
    run_stream (rand);
    fail_unless (detection.all.current.events > 0);
    assert_same_intervals (&detection.all.current, &congestion.current);
    assert_same_intervals (&detection.all.base, &congestion.base);
    fail_unless_equals_uint64 (detection.link_errors, 0);
  }
  g_rand_free (rand);
}

GST_END_TEST;

/* The history of all losses does not depend on the verdicts. */
GST_START_TEST (test_verdicts_leave_the_history_of_all_losses_as_it_is)
{
  for (guint i = 0; i < STREAMS; i++) {
    GRand *rand = g_rand_new_with_seed (i);
    TfrcLossIntervals without;
    guint64 lost;

    start (0);
    run_stream (rand);
    without = detection.all.current;
    lost = detection.lost;

    g_rand_set_seed (rand, i);
    verdicts = g_rand_new_with_seed (i);
    start_with (FALSE);
    run_stream (rand);
    assert_same_intervals (&detection.all.current, &without);
    fail_unless_equals_uint64 (detection.lost, lost);
    fail_unless (detection.link_errors > 0 && detection.link_errors < lost);
    g_clear_pointer (&verdicts, g_rand_free);
    g_rand_free (rand);
  }
}

GST_END_TEST;

/* Of a stream without marks, restarts and late packets */
static void
run_losses (GRand *losses, gboolean link_errors_arrive)
{
  guint64 seq = FIRST, now_ns = 0;

  for (guint i = 0; i < PACKETS; i++) {
    guint lost = g_rand_int_range (losses, 0, 20) == 0 ? g_rand_int_range (losses, 1, 10) : 0;

    verdict = g_rand_boolean (losses);
    now_ns += 10 * MS;
    for (; lost > 0; lost--, seq++) {
      if (verdict && link_errors_arrive)
        arrive_at_ns (seq, FALSE, now_ns);
    }
    arrive_at_ns (seq++, FALSE, now_ns);
  }
  for (guint i = 0; i < 3; i++)
    arrive_at_ns (seq++, FALSE, now_ns);
}

GST_START_TEST (test_link_errors_count_as_packets_that_have_arrived)
{
  for (guint i = 0; i < STREAMS; i++) {
    GRand *rand = g_rand_new_with_seed (i);
    guint64 link_errors;

    start_with (FALSE);
    run_losses (rand, FALSE);
    link_errors = detection.link_errors;
    fail_unless (link_errors > 0);
    fail_unless (congestion.current.events < detection.all.current.events);

    g_rand_set_seed (rand, i);
    start (0);
    run_losses (rand, TRUE);
    assert_same_intervals (&congestion.current, &detection.all.current);
    fail_unless (detection.lost > 0);
    g_rand_free (rand);
  }
}

GST_END_TEST;

GST_START_TEST (test_link_errors_alone_are_no_loss_events)
{
  GRand *rand = g_rand_new_with_seed (1);
  guint64 seq = FIRST, now_ns = 0;

  start_with (TRUE);
  for (guint i = 0; i < PACKETS; i++, now_ns += 10 * MS) {
    seq += g_rand_int_range (rand, 1, 5);
    arrive_at_ns (seq, FALSE, now_ns);
  }
  fail_unless (detection.all.current.events > 10);
  fail_unless (detection.lost == detection.link_errors);
  fail_unless_equals_uint64 (congestion.current.events, 0);
  fail_unless (tfrc_loss_intervals_mean (&congestion.current, seq) == 0);
  g_rand_free (rand);
}

GST_END_TEST;

static Suite *
losshistories_suite (void)
{
  Suite *s = suite_create ("losshistories");
  TCase *tc = tcase_create ("gaps");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_link_error_starts_no_event_of_congestion);
  tcase_add_test (tc, test_interval_goes_on_over_a_link_error);
  tcase_add_test (tc, test_mark_is_always_congestion);
  tcase_add_test (tc, test_outage_is_always_congestion);
  tcase_add_test (tc, test_late_packet_is_no_link_error_any_more);
  tcase_add_test (tc, test_both_histories_go_on_over_a_restart);
  tcase_add_test (tc, test_both_histories_are_rebuilt_for_another_path);
  tc = tcase_create ("random");
  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_without_link_errors_both_histories_are_the_same);
  tcase_add_test (tc, test_verdicts_leave_the_history_of_all_losses_as_it_is);
  tcase_add_test (tc, test_link_errors_count_as_packets_that_have_arrived);
  tcase_add_test (tc, test_link_errors_alone_are_no_loss_events);
  return s;
}

GST_CHECK_MAIN (losshistories);
