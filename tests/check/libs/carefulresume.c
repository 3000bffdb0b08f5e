/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Careful resume (RFC 9959): a rate that an earlier stream over the same path has proven */
#include <tfrc/careful_resume.h>
#include <tfrc/sender_reports.h>
#include <tfrc/sender_state.h>

#include "sendertest.h"

#define RTT (100 * MS)
#define REMEMBERED 1000000.0

/* The phases alone */
static TfrcCarefulResume resume;

/* Feedback 100 ms after the last one, about a packet that left an R before */
static TfrcResumeFeedback
feedback_at (guint64 now_ns)
{
  TfrcResumeFeedback feedback = { 0 };

  feedback.x_Bps = 100000;
  feedback.x_recv_Bps = 100000;
  feedback.sample_ns = RTT;
  feedback.begun_ns = SECOND;
  feedback.now_ns = now_ns;
  feedback.t_new_ns = now_ns - RTT;
  return feedback;
}

static void
assert_step (TfrcResumeFeedback feedback, TfrcResumeAction action, TfrcResumePhase phase)
{
  fail_unless_equals_int (tfrc_careful_resume_on_feedback (&resume, &feedback), action);
  fail_unless_equals_int (resume.phase, phase);
  fail_unless (
      tfrc_careful_resume_check (&resume) == NULL, "%s", tfrc_careful_resume_check (&resume));
}

static void
begin (void)
{
  tfrc_careful_resume_init (&resume, REMEMBERED, RTT);
  fail_unless_equals_int (resume.phase, TFRC_RESUME_RECONNAISSANCE);
}

static void
jump (void)
{
  begin ();
  assert_step (feedback_at (SECOND), TFRC_RESUME_JUMP, TFRC_RESUME_UNVALIDATED);
}

GST_START_TEST (test_a_proven_jump_passes_all_phases)
{
  jump ();
  fail_unless (tfrc_careful_resume_jump_Bps (&resume) == REMEMBERED / 2);
  /* about a packet before the jump, one after it, one before all of them are proven, and the first
   * that left after those */
  assert_step (feedback_at (SECOND + RTT - MS), TFRC_RESUME_STEP4, TFRC_RESUME_UNVALIDATED);
  assert_step (feedback_at (SECOND + RTT), TFRC_RESUME_STEP4, TFRC_RESUME_VALIDATING);
  assert_step (feedback_at (SECOND + 2 * RTT - MS), TFRC_RESUME_STEP4, TFRC_RESUME_VALIDATING);
  assert_step (feedback_at (SECOND + 2 * RTT), TFRC_RESUME_STEP4, TFRC_RESUME_OFF);
}

GST_END_TEST;

GST_START_TEST (test_a_path_that_does_not_fit_is_not_resumed)
{
  static const struct
  {
    guint64 sample_ns;
    double jump;
  } cases[] = { { RTT / 2 - 1, 0 }, { RTT / 2, REMEMBERED / 2 }, { 2 * RTT, REMEMBERED / 4 },
    { 4 * RTT, REMEMBERED / 8 }, { 10 * RTT + 1, 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    TfrcResumeFeedback feedback = feedback_at (SECOND);

    begin ();
    feedback.sample_ns = cases[i].sample_ns;
    feedback.x_Bps = 10000;
    if (cases[i].jump == 0) {
      assert_step (feedback, TFRC_RESUME_STEP4, TFRC_RESUME_OFF);
    } else {
      /* the same window in a longer R */
      assert_step (feedback, TFRC_RESUME_JUMP, TFRC_RESUME_UNVALIDATED);
      assert_close (tfrc_careful_resume_jump_Bps (&resume), cases[i].jump);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_there_is_no_jump_after_a_loss_or_where_slow_start_does_as_much)
{
  TfrcResumeFeedback feedback = feedback_at (SECOND);

  begin ();
  feedback.lost = TRUE;
  assert_step (feedback, TFRC_RESUME_STEP4, TFRC_RESUME_OFF);
  begin ();
  feedback.lost = FALSE;
  feedback.x_Bps = REMEMBERED / 4;
  assert_step (feedback, TFRC_RESUME_STEP4, TFRC_RESUME_OFF);
  /* nothing is remembered */
  tfrc_careful_resume_init (&resume, 0, 0);
  assert_step (feedback_at (SECOND), TFRC_RESUME_STEP4, TFRC_RESUME_OFF);
}

GST_END_TEST;

/* Without data to send, the jump would not be used and not be proven. */
GST_START_TEST (test_a_sender_without_data_jumps_later)
{
  TfrcResumeFeedback feedback = feedback_at (SECOND);

  begin ();
  feedback.data_limited = TRUE;
  assert_step (feedback, TFRC_RESUME_STEP4, TFRC_RESUME_RECONNAISSANCE);
  assert_step (feedback_at (SECOND + RTT), TFRC_RESUME_JUMP, TFRC_RESUME_UNVALIDATED);
}

GST_END_TEST;

/* RFC 7661 keeps a window that is not used for as long. */
GST_START_TEST (test_a_memory_that_is_not_used_ends_after_five_minutes)
{
  static const struct
  {
    guint64 age_ns;
    TfrcResumeAction action;
    TfrcResumePhase phase;
  } cases[] = { { 300 * SECOND - 1, TFRC_RESUME_JUMP, TFRC_RESUME_UNVALIDATED },
    { 300 * SECOND, TFRC_RESUME_STEP4, TFRC_RESUME_OFF } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    TfrcResumeFeedback feedback = feedback_at (2 * SECOND);

    begin ();
    feedback.data_limited = TRUE;
    assert_step (feedback, TFRC_RESUME_STEP4, TFRC_RESUME_RECONNAISSANCE);
    assert_step (feedback_at (SECOND + cases[i].age_ns), cases[i].action, cases[i].phase);
  }
}

GST_END_TEST;

GST_START_TEST (test_an_idle_sender_drops_a_memory_that_it_has_not_used)
{
  begin ();
  tfrc_careful_resume_on_idle (&resume);
  fail_unless_equals_int (resume.phase, TFRC_RESUME_OFF);
  /* a jump that has been made is still judged */
  jump ();
  tfrc_careful_resume_on_idle (&resume);
  fail_unless_equals_int (resume.phase, TFRC_RESUME_UNVALIDATED);
}

GST_END_TEST;

/* A data-limited interval keeps the largest X_recv of before (section 4.3), and so would keep the jump. */
GST_START_TEST (test_a_jump_without_data_counts_as_what_has_arrived)
{
  for (guint limited = 0; limited < 2; limited++) {
    TfrcResumeFeedback feedback = feedback_at (SECOND + RTT / 2);

    jump ();
    feedback.x_recv_Bps = 1000;
    assert_step (feedback, TFRC_RESUME_STEP4, TFRC_RESUME_UNVALIDATED);
    feedback = feedback_at (SECOND + RTT);
    feedback.x_recv_Bps = 3000;
    assert_step (feedback, TFRC_RESUME_STEP4, TFRC_RESUME_VALIDATING);
    feedback = feedback_at (SECOND + 2 * RTT);
    feedback.x_recv_Bps = __i__ ? 4000 : 2000;
    feedback.data_limited = limited;
    assert_step (feedback, limited ? TFRC_RESUME_PROVEN : TFRC_RESUME_STEP4, TFRC_RESUME_OFF);
    fail_unless (tfrc_careful_resume_proven_Bps (&resume) == (__i__ ? 4000 : 3000));
  }
}

GST_END_TEST;

/* Half of X_recv, and never above the jump, until feedback is about a packet after the retreat */
GST_START_TEST (test_a_loss_leads_to_a_retreat)
{
  for (guint validating = 0; validating < 2; validating++) {
    TfrcResumeFeedback feedback;
    guint64 now = SECOND + RTT;

    jump ();
    if (validating) {
      assert_step (feedback_at (now), TFRC_RESUME_STEP4, TFRC_RESUME_VALIDATING);
      now += RTT / 2;
    }
    feedback = feedback_at (now);
    feedback.lost = TRUE;
    feedback.x_recv_Bps = 300000;
    assert_step (feedback, TFRC_RESUME_RETREAT, TFRC_RESUME_SAFE_RETREAT);
    fail_unless (tfrc_careful_resume_retreat_Bps (&resume) == 150000);
    fail_unless (tfrc_careful_resume_is_unproven (&resume));
    feedback = feedback_at (now + RTT - MS);
    feedback.lost = TRUE;
    assert_step (feedback, TFRC_RESUME_RETREAT, TFRC_RESUME_SAFE_RETREAT);
    fail_unless (tfrc_careful_resume_retreat_Bps (&resume) == 150000);
    feedback = feedback_at (now + RTT);
    assert_step (feedback, TFRC_RESUME_STEP4, TFRC_RESUME_OFF);
  }
}

GST_END_TEST;

/* X_recv of a burst, or of a receiver that lies, would be above what was tried. */
GST_START_TEST (test_a_retreat_is_not_above_the_jump)
{
  TfrcResumeFeedback feedback = feedback_at (SECOND + RTT);

  jump ();
  feedback.lost = TRUE;
  feedback.x_recv_Bps = 3 * REMEMBERED;
  assert_step (feedback, TFRC_RESUME_RETREAT, TFRC_RESUME_SAFE_RETREAT);
  fail_unless (tfrc_careful_resume_retreat_Bps (&resume) == REMEMBERED / 2);
}

GST_END_TEST;

GST_START_TEST (test_a_new_path_ends_the_memory)
{
  jump ();
  tfrc_careful_resume_cancel (&resume, TRUE);
  fail_unless_equals_int (resume.phase, TFRC_RESUME_OFF);
  fail_unless_equals_uint64 (tfrc_careful_resume_least_rtt_ns (&resume), 0);
}

GST_END_TEST;

/* ---- in a sender -------------------------------------------------------- */

static SenderTest t;

static void
create_sender (void)
{
  TfrcSenderConfig config = default_config ();

  config.remembered_rate_Bps = REMEMBERED;
  config.remembered_rtt_ns = config.initial_rtt_ns = RTT;
  sender_test_init (&t, &config);
}

/* The sender has data for one packet alone before the jump. */
static void
jump_after_one_packet (void)
{
  create_sender ();
  send_one (&t);
  t.now += RTT;
  give_feedback (&t, RTT, 0);
  assert_close (rate_of (&t), REMEMBERED / 2);
}

static void
begin_stream (void)
{
  create_sender ();
  run_rtts (&t, 1, RTT, 0);
}

/* The sender has a packet in each round-trip time, of the three or more that it may send. */
static void
run_data_limited (guint64 duration_ns, gdouble x_recv)
{
  for (guint64 end_ns = t.now + duration_ns; t.now < end_ns;) {
    send_one (&t);
    t.now += RTT;
    give_feedback (&t, RTT, x_recv);
    fail_unless (stats_of (&t).data_limited);
  }
}

/* The feedback about the first packet is lost. */
static void
begin_data_limited (guint64 duration_ns)
{
  create_sender ();
  send_one (&t);
  t.now += RTT;
  run_data_limited (duration_ns - RTT, S / 0.1);
}

static void
teardown (void)
{
  if (t.sender)
    sender_test_clear (&t);
  t.sender = NULL;
}

GST_START_TEST (test_the_first_feedback_jumps_to_half_of_the_remembered_rate)
{
  begin_stream ();
  assert_close (rate_of (&t), REMEMBERED / 2);
  /* nothing is proven yet */
  run_rtts (&t, 1, RTT, W_INIT / 0.1);
  assert_close (rate_of (&t), REMEMBERED / 2);
  run_rtts (&t, 1, RTT, REMEMBERED / 2);
  run_rtts (&t, 1, RTT, REMEMBERED / 2);
  assert_close (rate_of (&t), REMEMBERED);
}

GST_END_TEST;

GST_START_TEST (test_a_loss_after_the_jump_halves_what_was_proven)
{
  guint64 rtt_ns;

  begin_stream ();
  lose (&t, 0.0001);
  run_rtts (&t, 1, RTT, 200000);
  assert_close (rate_of (&t), 100000);
  fail_unless (tfrc_sender_get_proven_rate_Bps (t.sender, &rtt_ns) == 0);
  /* The packets of the jump still arrive.  Their X_recv would allow 400000. */
  send_for (&t, RTT / 2);
  give_feedback (&t, RTT, 200000);
  assert_close (rate_of (&t), 100000);
  run_rtts (&t, 2, RTT, 100000);
  assert_close (rate_of (&t), 200000);
  fail_unless (tfrc_sender_get_proven_rate_Bps (t.sender, &rtt_ns) > 0);
}

GST_END_TEST;

/* The rate that the next stream is told, and the least R */
GST_START_TEST (test_a_stream_proves_the_rate_that_arrived)
{
  guint64 rtt_ns;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  fail_unless (tfrc_sender_get_proven_rate_Bps (t.sender, &rtt_ns) == 0);
  run_rtts (&t, 4, RTT, 70000);
  assert_close (tfrc_sender_get_proven_rate_Bps (t.sender, &rtt_ns), 70000);
  fail_unless_equals_uint64 (rtt_ns, RTT);
  send_for (&t, RTT);
  give_feedback (&t, RTT / 2, 70000);
  tfrc_sender_get_proven_rate_Bps (t.sender, &rtt_ns);
  fail_unless_equals_uint64 (rtt_ns, RTT / 2);
  /* after a loss the equation's rate, if that is lower */
  lose (&t, 0.1);
  run_rtts (&t, 1, RTT, 70000);
  assert_close (tfrc_sender_get_proven_rate_Bps (t.sender, &rtt_ns), rate_of (&t));
  fail_unless (rate_of (&t) < 70000);
}

GST_END_TEST;

GST_START_TEST (test_silence_ends_the_memory)
{
  begin_stream ();
  t.now = tfrc_sender_next_timeout_ns (t.sender);
  tfrc_sender_on_timeout (t.sender, t.now);
  fail_unless_equals_int (t.sender->resume.phase, TFRC_RESUME_OFF);
}

GST_END_TEST;

/* What a stream of long ago has proven says nothing about the path of now. */
GST_START_TEST (test_a_sender_that_had_no_data_for_two_hours_does_not_jump)
{
  begin_data_limited (2 * 3600 * SECOND);
  assert_close (rate_of (&t), W_INIT / 0.1);
  run_rtts (&t, 1, RTT, W_INIT / 0.1);
  fail_if (stats_of (&t).data_limited);
  assert_close (rate_of (&t), 2 * W_INIT / 0.1);
}

GST_END_TEST;

GST_START_TEST (test_a_sender_that_had_no_data_for_a_minute_jumps)
{
  begin_data_limited (60 * SECOND);
  run_rtts (&t, 1, RTT, W_INIT / 0.1);
  assert_close (rate_of (&t), REMEMBERED / 2);
}

GST_END_TEST;

/* The first feedback says nothing of how much data the sender has.  This one has a packet in each
 * round-trip time, and two have once arrived together. */
GST_START_TEST (test_a_jump_that_was_not_used_is_not_kept)
{
  guint64 rtt_ns;

  jump_after_one_packet ();
  run_data_limited (RTT, 30000);
  assert_close (rate_of (&t), REMEMBERED / 2);
  fail_unless (tfrc_sender_get_proven_rate_Bps (t.sender, &rtt_ns) == 0);
  /* feedback about packets of the jump alone: twice what has arrived */
  run_data_limited (RTT, S / 0.1);
  assert_close (rate_of (&t), 2 * 30000);
  assert_close (tfrc_sender_get_proven_rate_Bps (t.sender, &rtt_ns), 30000);
  run_data_limited (60 * SECOND, S / 0.1);
  assert_close (rate_of (&t), 2 * 30000);
}

GST_END_TEST;

/* Section 4.4: X is below 2 W_init/R, so that the idle sender keeps X.  The memory ends as with a
 * sender whose X is cut. */
GST_START_TEST (test_an_idle_sender_that_is_spared_does_not_jump)
{
  begin_data_limited (SECOND);
  fail_unless_equals_int (t.sender->resume.phase, TFRC_RESUME_RECONNAISSANCE);
  t.now = tfrc_sender_next_timeout_ns (t.sender);
  tfrc_sender_on_timeout (t.sender, t.now);
  fail_unless_equals_uint64 (tfrc_sender_next_timeout_ns (t.sender), TFRC_TIME_NEVER);
  fail_unless_equals_uint64 (stats_of (&t).nofeedback_expirations, 0);
  assert_close (rate_of (&t), W_INIT / 0.1);
  t.now += SECOND;
  run_rtts (&t, 2, RTT, W_INIT / 0.1);
  assert_close (rate_of (&t), 2 * W_INIT / 0.1);
}

GST_END_TEST;

/* A movie that could send more takes X over to another link, and X_recv_set has half of it. The new link
 * has carried a packet in R. */
GST_START_TEST (test_a_link_has_not_carried_what_another_link_has)
{
  TfrcFeedback notification;
  guint64 rtt_ns;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  run_rtts (&t, 8, RTT, 500000);
  assert_close (tfrc_sender_get_proven_rate_Bps (t.sender, &rtt_ns), 500000);
  send_for (&t, RTT);
  notification = feedback_after (&t, RTT, 500000);
  notification.handover = notification.new_link = TRUE;
  fail_unless_equals_int (deliver (&t, &notification), TFRC_OK);
  t.next.number++;
  t.now += RTT;
  for (guint i = 0; i < 20; i++) {
    send_one (&t);
    t.now += RTT;
    give_feedback (&t, RTT, S / 0.1);
  }
  fail_unless (stats_of (&t).data_limited);
  fail_unless (rate_of (&t) >= 1e6, "%g", rate_of (&t));
  assert_within (tfrc_sender_get_proven_rate_Bps (t.sender, &rtt_ns), S / 0.1, 1e-3);
  fail_unless_equals_uint64 (rtt_ns, RTT);
}

GST_END_TEST;

/* So does the first rate on a path that the receiver has moved to without a word. */
GST_START_TEST (test_a_first_rate_that_was_not_used_is_not_proven)
{
  TfrcSenderConfig config = default_config ();
  guint64 rtt_ns;

  config.initial_rate_Bps = 1e6;
  sender_test_init (&t, &config);
  start (&t, RTT);
  run_rtts (&t, 4, RTT, 500000);
  tfrc_sender_on_new_path (t.sender, RTT, t.now);
  t.now += RTT;
  for (guint i = 0; i < 20; i++) {
    send_one (&t);
    t.now += RTT;
    give_feedback (&t, RTT, S / 0.1);
  }
  fail_unless (stats_of (&t).data_limited);
  assert_within (tfrc_sender_get_proven_rate_Bps (t.sender, &rtt_ns), S / 0.1, 1e-3);
}

GST_END_TEST;

/* The stream moves before its first feedback: R is not known yet, and the rate is of another path. */
GST_START_TEST (test_a_move_before_r_is_known_ends_the_memory)
{
  TfrcSenderConfig config = default_config ();

  config.remembered_rate_Bps = REMEMBERED;
  config.remembered_rtt_ns = RTT;
  sender_test_init (&t, &config);
  send_one (&t);
  tfrc_sender_on_new_path (t.sender, 0, t.now);
  t.now += SECOND;
  send_one (&t);
  t.now += RTT;
  give_feedback (&t, RTT, 0);
  run_rtts (&t, 1, RTT, W_INIT / 0.1);
  assert_close (rate_of (&t), 2 * W_INIT / 0.1);
}

GST_END_TEST;

/* The jump of a sender without data is not proven when the receiver moves: the hold keeps what has arrived. */
GST_START_TEST (test_a_jump_that_is_not_proven_stays_on_its_link)
{
  TfrcFeedback notification;

  jump_after_one_packet ();
  run_data_limited (RTT, S / 0.1);
  assert_close (rate_of (&t), REMEMBERED / 2);
  send_one (&t);
  t.now += RTT / 2;
  notification = feedback_after (&t, RTT, S / 0.1);
  notification.handover = TRUE;
  fail_unless_equals_int (deliver (&t, &notification), TFRC_OK);
  assert_within (rate_of (&t), 2 * S / 0.1, 1e-3);
}

GST_END_TEST;

/* RFC 9959 allows no jump after congestion, and the first feedback may have reported it: the second one has
 * no new loss, and the same p. */
GST_START_TEST (test_losses_that_the_first_feedback_reports_forbid_the_jump)
{
  double without_memory = 0;

  for (guint remembers = 0; remembers < 2; remembers++) {
    TfrcSenderConfig config = default_config ();

    config.remembered_rate_Bps = remembers ? REMEMBERED : 0;
    config.remembered_rtt_ns = remembers ? RTT : 0;
    sender_test_init (&t, &config);
    lose (&t, 0.01);
    start (&t, RTT);
    run_rtts (&t, 1, RTT, W_INIT / 0.1);
    if (remembers)
      assert_close (rate_of (&t), without_memory);
    without_memory = rate_of (&t);
    teardown ();
  }
}

GST_END_TEST;

/* Half of X_recv would be 100000 byte/s. */
GST_START_TEST (test_a_retreat_is_not_above_the_equation)
{
  begin_stream ();
  lose (&t, 0.1);
  run_rtts (&t, 1, RTT, 200000);
  fail_unless (equation_rate (&t, 0.1) < 30000);
  assert_close (rate_of (&t), equation_rate (&t, 0.1));
}

GST_END_TEST;

/* The next report is seconds away: too late to judge a jump. */
GST_START_TEST (test_a_sender_that_follows_reports_does_not_jump)
{
  create_sender ();
  tfrc_sender_follow_reports (t.sender, 4 * SECOND, FALSE);
  run_rtts (&t, 1, RTT, W_INIT / 0.1);
  assert_close (rate_of (&t), 2 * W_INIT / 0.1);
  fail_unless_equals_int (t.sender->resume.phase, TFRC_RESUME_OFF);
}

GST_END_TEST;

/* Reports of seconds do not show what each round-trip time carries. */
GST_START_TEST (test_a_sender_that_follows_reports_proves_no_rate)
{
  guint64 rtt_ns;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  run_rtts (&t, 4, RTT, 70000);
  assert_close (tfrc_sender_get_proven_rate_Bps (t.sender, &rtt_ns), 70000);
  tfrc_sender_follow_reports (t.sender, 4 * SECOND, FALSE);
  fail_unless (tfrc_sender_get_proven_rate_Bps (t.sender, &rtt_ns) == 0);
}

GST_END_TEST;

static Suite *
carefulresume_suite (void)
{
  Suite *s = suite_create ("carefulresume");
  TCase *phases = tcase_create ("phases"), *sender = tcase_create ("sender");

  suite_add_tcase (s, phases);
  tcase_add_test (phases, test_a_proven_jump_passes_all_phases);
  tcase_add_test (phases, test_a_path_that_does_not_fit_is_not_resumed);
  tcase_add_test (phases, test_there_is_no_jump_after_a_loss_or_where_slow_start_does_as_much);
  tcase_add_test (phases, test_a_sender_without_data_jumps_later);
  tcase_add_test (phases, test_a_memory_that_is_not_used_ends_after_five_minutes);
  tcase_add_test (phases, test_an_idle_sender_drops_a_memory_that_it_has_not_used);
  tcase_add_loop_test (phases, test_a_jump_without_data_counts_as_what_has_arrived, 0, 2);
  tcase_add_test (phases, test_a_loss_leads_to_a_retreat);
  tcase_add_test (phases, test_a_retreat_is_not_above_the_jump);
  tcase_add_test (phases, test_a_new_path_ends_the_memory);
  suite_add_tcase (s, sender);
  tcase_add_checked_fixture (sender, NULL, teardown);
  tcase_add_test (sender, test_the_first_feedback_jumps_to_half_of_the_remembered_rate);
  tcase_add_test (sender, test_a_loss_after_the_jump_halves_what_was_proven);
  tcase_add_test (sender, test_a_stream_proves_the_rate_that_arrived);
  tcase_add_test (sender, test_silence_ends_the_memory);
  tcase_add_test (sender, test_a_sender_that_had_no_data_for_two_hours_does_not_jump);
  tcase_add_test (sender, test_a_sender_that_had_no_data_for_a_minute_jumps);
  tcase_add_test (sender, test_a_jump_that_was_not_used_is_not_kept);
  tcase_add_test (sender, test_an_idle_sender_that_is_spared_does_not_jump);
  tcase_add_test (sender, test_a_link_has_not_carried_what_another_link_has);
  tcase_add_test (sender, test_a_first_rate_that_was_not_used_is_not_proven);
  tcase_add_test (sender, test_a_move_before_r_is_known_ends_the_memory);
  tcase_add_test (sender, test_a_jump_that_is_not_proven_stays_on_its_link);
  tcase_add_test (sender, test_losses_that_the_first_feedback_reports_forbid_the_jump);
  tcase_add_test (sender, test_a_retreat_is_not_above_the_equation);
  tcase_add_test (sender, test_a_sender_that_follows_reports_does_not_jump);
  tcase_add_test (sender, test_a_sender_that_follows_reports_proves_no_rate);
  return s;
}

GST_CHECK_MAIN (carefulresume);
