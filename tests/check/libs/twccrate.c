/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rate from transport-wide feedback that an RTP stack has read, in virtual time */
#include <gst/check/gstcheck.h>

#include <tfrc/equation.h>

#include "gst/rtptfrcbwe/twccrate.h"

#include "closeto.h"

#define MS G_GUINT64_CONSTANT (1000000)
#define SECOND (1000 * MS)
#define SIZE 1200
#define START 300000
#define R (40 * MS)

/* The receiver's clock is ahead by this. */
#define AHEAD (12345 * SECOND)

static GstTfrcTwccRate *rate;
static guint64 now;
static guint64 sent;    /* packets */
static guint every;     /* each so-manieth packet is lost; 0: none */
static GArray *unheard; /* GstTfrcTwccPacket that no feedback has been about */

static void
begin (guint64 max_bitrate)
{
  const GstTfrcTwccRateConfig config = {
    .start_bitrate = START, .min_bitrate = 1000, .max_bitrate = max_bitrate, .queue_guard = FALSE
  };

  now = SECOND;
  sent = every = 0;
  rate = gst_tfrc_twcc_rate_new (&config, now);
  fail_unless (rate != NULL);
  unheard = g_array_new (FALSE, FALSE, sizeof (GstTfrcTwccPacket));
}

static void
setup (void)
{
  begin (8192000);
}

static void
teardown (void)
{
  gst_tfrc_twcc_rate_free (rate);
  g_array_unref (unheard);
}

static guint64
estimate (void)
{
  return gst_tfrc_twcc_rate_get_estimate (rate, now);
}

/* rtpsession stamps a packet a little later than the rate is told of it. */
static void
send_packet (void)
{
  GstTfrcTwccPacket packet = { (guint16) (65000 + sent), SIZE, TRUE, now + 20000, 0 };

  gst_tfrc_twcc_rate_on_sent (rate, SIZE, now);
  packet.arrival_ns = now + R / 2 + AHEAD;
  packet.arrived = every == 0 || sent % every != every - 1;
  g_array_append_val (unheard, packet);
  sent++;
}

static gboolean
deliver (void)
{
  gboolean used = gst_tfrc_twcc_rate_on_packets (
      rate, (const GstTfrcTwccPacket *) unheard->data, unheard->len, now);

  g_array_set_size (unheard, 0);
  return used;
}

/* Sends what the rate allows for this time. Feedback about what leaves in an R comes at the end of the
 * next R, so that R is measured as R and a packet more at most. */
static void
run_for (guint64 time)
{
  guint64 end = now + time, next, turn_end;
  guint reported;

  while (now < end) {
    turn_end = now + R;
    reported = unheard->len;
    while ((next = MAX (now, gst_tfrc_twcc_rate_next_send_ns (rate))) < turn_end) {
      now = next;
      send_packet ();
    }
    now = turn_end;
    if (reported > 0)
      fail_unless (gst_tfrc_twcc_rate_on_packets (
          rate, (const GstTfrcTwccPacket *) unheard->data, reported, now));
    g_array_remove_range (unheard, 0, reported);
  }
}

GST_START_TEST (the_first_rate_is_what_was_asked_for)
{
  fail_unless_equals_uint64 (estimate (), START);
  fail_unless_equals_uint64 (gst_tfrc_twcc_rate_announce (rate, now), 0);
  send_packet ();
  fail_unless_equals_uint64 (
      gst_tfrc_twcc_rate_next_ns (rate), now + 4 * GST_TFRC_TWCC_INITIAL_RTT_NS);
}

GST_END_TEST;

/* The application knows what it has asked for, and has given that to its encoder. */
GST_START_TEST (a_first_rate_that_a_limit_has_changed_is_announced)
{
  teardown ();
  begin (START - 100000);
  fail_unless_equals_uint64 (estimate (), START - 100000);
  send_packet ();
  fail_unless_equals_uint64 (gst_tfrc_twcc_rate_announce (rate, now), START - 100000);
  fail_unless_equals_uint64 (gst_tfrc_twcc_rate_announce (rate, now + SECOND), 0);
}

GST_END_TEST;

/* X doubles in each R, and the estimate for an encoder rises by 1.95 in a second. */
GST_START_TEST (without_losses_the_estimate_grows_to_the_maximum)
{
  run_for (2 * SECOND);
  fail_unless (estimate () > 1.8 * START && estimate () <= 1.95 * 1.95 * START,
      "%" G_GUINT64_FORMAT, estimate ());
  fail_unless (gst_tfrc_twcc_rate_announce (rate, now) > 0);
  run_for (5 * SECOND);
  assert_within ((gdouble) estimate (), 8192000, 0.05); /* X_inst is less while R grows */
}

GST_END_TEST;

/* Losses far enough apart are loss events of their own: p is one in a hundred. */
GST_START_TEST (with_losses_the_estimate_is_that_of_the_equation)
{
  gdouble expected = 8 * tfrc_equation_rate_Bps (SIZE, R / 1e9, 4 * R / 1e9, 0.01);

  run_for (SECOND);
  every = 100;
  run_for (60 * SECOND);
  assert_within ((gdouble) estimate (), expected, 0.12);
}

GST_END_TEST;

GST_START_TEST (more_losses_give_less)
{
  guint64 before;

  every = 100;
  run_for (60 * SECOND);
  before = estimate ();
  every = 20;
  run_for (60 * SECOND);
  fail_unless (estimate () < before / 2 && estimate () > before / 8,
      "%" G_GUINT64_FORMAT " after %" G_GUINT64_FORMAT, estimate (), before);
}

GST_END_TEST;

/* RFC 5348 section 4.4: X halves whenever the nofeedback timer expires, down to the minimum. */
GST_START_TEST (silence_halves_the_rate_again_and_again)
{
  send_packet ();
  now = gst_tfrc_twcc_rate_next_ns (rate) - 1;
  gst_tfrc_twcc_rate_on_time (rate, now);
  fail_unless_equals_uint64 (estimate (), START);
  gst_tfrc_twcc_rate_on_time (rate, ++now);
  now += SECOND;
  fail_unless_equals_uint64 (estimate (), START / 2);
  for (guint i = 0; i < 20; i++) {
    send_packet ();
    now = MAX (now, gst_tfrc_twcc_rate_next_ns (rate));
    gst_tfrc_twcc_rate_on_time (rate, now);
  }
  now += SECOND;
  fail_unless_equals_uint64 (estimate (), 1000);
}

GST_END_TEST;

/* A program that sends without a pause serves the timer whenever it sends. */
GST_START_TEST (a_sender_that_serves_no_timer_hears_silence_too)
{
  for (guint i = 0; i < 100; i++) {
    send_packet ();
    now += 30 * MS;
  }
  fail_unless (estimate () <= START / 2);
}

GST_END_TEST;

GST_START_TEST (a_change_of_the_limits_holds_at_once)
{
  fail_if (gst_tfrc_twcc_rate_set_limits (rate, 200000, 100000, now));
  fail_unless_equals_uint64 (estimate (), START);
  fail_unless (gst_tfrc_twcc_rate_set_limits (rate, 1000, 100000, now));
  fail_unless_equals_uint64 (estimate (), 100000);
  run_for (5 * SECOND);
  fail_unless (estimate () > 90000 && estimate () <= 100000, "%" G_GUINT64_FORMAT, estimate ());
  fail_unless (gst_tfrc_twcc_rate_set_limits (rate, 400000, 500000, now));
  fail_unless (estimate () >= 400000);
}

GST_END_TEST;

GST_START_TEST (a_minimum_above_the_maximum_is_refused)
{
  const GstTfrcTwccRateConfig config = { .start_bitrate = 1, .min_bitrate = 2, .max_bitrate = 1 };

  fail_unless (gst_tfrc_twcc_rate_new (&config, 0) == NULL);
}

GST_END_TEST;

/* ---- false feedback -------------------------------------------------------- */

GST_START_TEST (feedback_before_the_first_packet_changes_nothing)
{
  GstTfrcTwccPacket packet = { 7, SIZE, TRUE, now, now };

  fail_if (gst_tfrc_twcc_rate_on_packets (rate, &packet, 1, now));
  send_packet ();
  fail_if (gst_tfrc_twcc_rate_on_packets (rate, NULL, 0, now));
  fail_unless_equals_uint64 (estimate (), START);
}

GST_END_TEST;

/* Whatever a receiver says, X is at most twice what was sent. */
GST_START_TEST (a_receiver_that_lies_gets_no_more_than_twice_what_was_sent)
{
  GRand *random = g_rand_new_with_seed (1);

  for (guint i = 0; i < 4000; i++) { /* 1200 bytes every 40 ms: 240 kbit/s */
    GstTfrcTwccPacket *packet;

    send_packet ();
    now += R;
    packet = &g_array_index (unheard, GstTfrcTwccPacket, 0);
    packet->arrival_ns = (guint64) g_rand_int (random) << g_rand_int_range (random, 0, 28);
    if (i % 3 == 0)
      packet->seq = (guint16) g_rand_int (random);
    deliver ();
    fail_unless (estimate () >= 1000 && estimate () <= 8192000);
  }
  g_rand_free (random);
  fail_unless (estimate () <= 2 * 240000, "%" G_GUINT64_FORMAT, estimate ());
}

GST_END_TEST;

/* A number that no feedback was about, as those of a lost feedback, is no loss. */
GST_START_TEST (packets_of_lost_feedback_are_not_lost)
{
  run_for (SECOND);
  for (guint i = 0; i < 20; i++) {
    send_packet ();
    now += MS;
  }
  g_array_set_size (unheard, 0);
  run_for (10 * SECOND);
  assert_within ((gdouble) estimate (), 8192000, 0.05); /* X_inst is less while R grows */
}

GST_END_TEST;

/* The receiver was suspended while more than half of all numbers were used. */
GST_START_TEST (feedback_is_used_again_after_a_long_silence)
{
  run_for (SECOND);
  for (guint i = 0; i < 45000; i++) {
    send_packet ();
    now += 20 * MS;
  }
  g_array_set_size (unheard, 0);
  send_packet ();
  now += R;
  fail_unless (deliver ());
}

GST_END_TEST;

/* An encoder's packets, one in this time, with feedback about those of an R at the end of the next R */
static void
encode_for (guint64 time, guint64 distance)
{
  guint64 end = now + time, turn_end;
  guint reported;

  while (now < end) {
    reported = unheard->len;
    for (turn_end = now + R; now < turn_end; now += distance)
      send_packet ();
    if (reported > 0)
      gst_tfrc_twcc_rate_on_packets (
          rate, (const GstTfrcTwccPacket *) unheard->data, reported, now);
    g_array_remove_range (unheard, 0, reported);
  }
}

/* The encoder does not stop in an outage, and makes 1.92 Mbit/s again afterwards. When it has less to send, that is no sign
 * of what the path takes: X stays what it is (RFC 5348 section 4.3). */
GST_START_TEST (a_still_picture_after_an_outage_does_not_lower_the_estimate)
{
  encode_for (4 * SECOND, 5 * MS);
  for (guint i = 0; i < 1000; i++) {
    send_packet ();
    now += 5 * MS;
  }
  g_array_set_size (unheard, 0);
  encode_for (15 * SECOND, 5 * MS);
  assert_within ((gdouble) estimate (), 2 * 1.92e6, 0.01);
  encode_for (10 * SECOND, 40 * MS); /* 240 kbit/s */
  assert_within ((gdouble) estimate (), 2 * 1.92e6, 0.1);
}

GST_END_TEST;

static Suite *
twccrate_suite (void)
{
  Suite *suite = suite_create ("twccrate");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, the_first_rate_is_what_was_asked_for);
  tcase_add_test (tcase, a_first_rate_that_a_limit_has_changed_is_announced);
  tcase_add_test (tcase, without_losses_the_estimate_grows_to_the_maximum);
  tcase_add_test (tcase, with_losses_the_estimate_is_that_of_the_equation);
  tcase_add_test (tcase, more_losses_give_less);
  tcase_add_test (tcase, silence_halves_the_rate_again_and_again);
  tcase_add_test (tcase, a_sender_that_serves_no_timer_hears_silence_too);
  tcase_add_test (tcase, a_change_of_the_limits_holds_at_once);
  tcase_add_test (tcase, a_minimum_above_the_maximum_is_refused);
  tcase_add_test (tcase, feedback_before_the_first_packet_changes_nothing);
  tcase_add_test (tcase, a_receiver_that_lies_gets_no_more_than_twice_what_was_sent);
  tcase_add_test (tcase, packets_of_lost_feedback_are_not_lost);
  tcase_add_test (tcase, feedback_is_used_again_after_a_long_silence);
  tcase_add_test (tcase, a_still_picture_after_an_outage_does_not_lower_the_estimate);
  return suite;
}

GST_CHECK_MAIN (twccrate);
