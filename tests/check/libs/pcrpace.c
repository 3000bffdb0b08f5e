/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The times of packets by clock references, see gst/tfrcsink/pcrpace.h */
#include <gst/check/gstcheck.h>

#include "gst/tfrcsink/pcrpace.h"
#include "gst/tfrcsink/tsheader.h"
#include "pcrmovie.h"

#define PID 0x100
#define MS G_GUINT64_CONSTANT (1000000)
#define PER_PACKET 7 /* of the transport stream, in a packet */
#define UNKNOWN G_MAXUINT64

static GstTfrcPacketPool *pool;
static GstTfrcPcrPace *pace;
static guint8 next[PER_PACKET * PCR_TS_BYTES]; /* the packet that is added next */
static guint added;

static void
prepare_next (void)
{
  for (guint i = 0; i < PER_PACKET; i++)
    pcr_write_plain (next + i * PCR_TS_BYTES, PID, added * PER_PACKET + i);
}

static void
setup (void)
{
  pool = gst_tfrc_packet_pool_new ();
  pace = gst_tfrc_pcr_pace_new ();
  added = 0;
  prepare_next ();
}

static void
teardown (void)
{
  gst_tfrc_pcr_pace_free (pace);
  gst_tfrc_packet_pool_free (pool);
}

static guint8 *
ts_at (guint i)
{
  return next + i * PCR_TS_BYTES;
}

static void
add (void)
{
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (pool);

  memcpy (gst_tfrc_packet_payload (packet), next, sizeof next);
  gst_tfrc_packet_set_payload_bytes (packet, sizeof next);
  gst_tfrc_pcr_pace_add (pace, packet);
  added++;
  prepare_next ();
}

/* Adds a packet that begins with a clock reference. */
static void
add_with_pcr (guint64 ticks)
{
  pcr_write (ts_at (0), ticks, FALSE);
  add ();
}

static void
assert_next (guint64 expected_ns)
{
  guint64 time_ns;
  GstTfrcPacket *packet = gst_tfrc_pcr_pace_take (pace, &time_ns);

  fail_unless (packet != NULL);
  fail_unless_equals_uint64 (time_ns, expected_ns);
  gst_tfrc_packet_unref (packet);
}

/* Takes all that may go. Returns the time of the last. */
static guint64
drain (void)
{
  guint64 time_ns, last_ns = UNKNOWN;
  GstTfrcPacket *packet;

  while ((packet = gst_tfrc_pcr_pace_take (pace, &time_ns))) {
    gst_tfrc_packet_unref (packet);
    last_ns = time_ns;
  }
  return last_ns;
}

static void
assert_none (void)
{
  guint64 time_ns;

  fail_unless (gst_tfrc_pcr_pace_take (pace, &time_ns) == NULL);
}

/* ---- between references ------------------------------------------------------ */

/* References are in the first, the 15th and the 29th packet of the transport stream. */
GST_START_TEST (packets_are_spread_evenly_between_two_references)
{
  add_with_pcr (1000 * PCR_PER_MS);
  add ();
  assert_none ();
  add_with_pcr (1040 * PCR_PER_MS);
  assert_next (40 * MS * 6 / 14);
  assert_next (40 * MS * 13 / 14);
  assert_none ();
  add ();
  assert_none ();
  add_with_pcr (1050 * PCR_PER_MS);
  assert_next (40 * MS + 10 * MS * 6 / 14);
  assert_next (40 * MS + 10 * MS * 13 / 14);
  assert_none ();
}

GST_END_TEST;

GST_START_TEST (several_references_in_a_packet_count)
{
  pcr_write (ts_at (0), 0, FALSE);
  pcr_write (ts_at (3), 6 * PCR_PER_MS, FALSE);
  pcr_write (ts_at (5), 8 * PCR_PER_MS, FALSE);
  add ();
  assert_none ();
  pcr_write (ts_at (1), 20 * PCR_PER_MS, FALSE);
  add ();
  /* one of the three packets behind the last reference */
  assert_next (8 * MS + 12 * MS / 3);
}

GST_END_TEST;

GST_START_TEST (a_packet_that_ends_with_a_reference_need_not_wait)
{
  pcr_write (ts_at (6), 5, FALSE);
  add ();
  assert_next (0);
  pcr_write (ts_at (6), 5 + 7 * PCR_PER_MS, FALSE);
  add ();
  assert_next (7 * MS);
}

GST_END_TEST;

GST_START_TEST (without_a_reference_packets_do_not_wait)
{
  for (guint i = 0; i < 3; i++) {
    add ();
    assert_next (UNKNOWN);
  }
  add_with_pcr (0);
  assert_none ();
}

GST_END_TEST;

GST_START_TEST (references_wrap)
{
  add_with_pcr (GST_TFRC_TS_PCR_WRAP - 10 * PCR_PER_MS);
  add_with_pcr (60 * PCR_PER_MS);
  assert_next (60 * MS);
  assert_none ();
}

GST_END_TEST;

/* ---- jumps ------------------------------------------------------------------- */

static void
add_first_interval (void)
{
  add_with_pcr (100000 * PCR_PER_MS);
  add_with_pcr (100070 * PCR_PER_MS);
  assert_next (60 * MS);
}

/* The movie that follows has 20 ms a packet. */
static void
assert_goes_on (guint64 from_ns, guint64 ticks)
{
  add_with_pcr (ticks + 20 * PCR_PER_MS);
  assert_next (from_ns + 20 * MS * 6 / 7);
}

GST_START_TEST (a_jump_takes_the_time_of_the_interval_before)
{
  const guint64 targets[] = { 0, 100069 * PCR_PER_MS, 102071 * PCR_PER_MS,
    GST_TFRC_TS_PCR_WRAP - 1 };

  add_first_interval ();
  add_with_pcr (targets[__i__]);
  assert_next (130 * MS);
  assert_goes_on (140 * MS, targets[__i__]);
}

GST_END_TEST;

/* Fewer packets than in the interval before take less, and more do not take more. */
GST_START_TEST (a_jump_is_bounded)
{
  add_first_interval ();
  pcr_write (ts_at (0), 0, FALSE);
  pcr_write (ts_at (1), 7000 * PCR_PER_MS, FALSE);
  add ();
  assert_next (130 * MS);
  for (guint i = 0; i < 9; i++)
    add ();
  add_with_pcr (0);
  /* 69 packets after a reference at 150 ms have 70 ms. */
  assert_next (150 * MS + 70 * MS * 5 / 69);
  for (guint i = 0; i < 8; i++)
    assert_next (150 * MS + 70 * MS * (12 + 7 * i) / 69);
  assert_next (150 * MS + 70 * MS * 68 / 69);
  assert_none ();
}

GST_END_TEST;

GST_START_TEST (a_discontinuity_is_a_jump_whatever_the_step)
{
  add_first_interval ();
  pcr_write (ts_at (0), 100080 * PCR_PER_MS, TRUE);
  add ();
  assert_next (130 * MS);
  assert_goes_on (140 * MS, 100080 * PCR_PER_MS);
}

GST_END_TEST;

GST_START_TEST (without_an_interval_a_jump_takes_no_time)
{
  add_with_pcr (5000 * PCR_PER_MS);
  add_with_pcr (0);
  assert_next (0);
  assert_goes_on (0, 0);
}

GST_END_TEST;

/* 2 s are an interval, and a tick more is a jump, which takes the 70 ms of the interval before. */
GST_START_TEST (the_longest_interval_is_no_jump)
{
  add_first_interval ();
  add_with_pcr (102070 * PCR_PER_MS + __i__);
  assert_next (70 * MS + (__i__ == 0 ? 2000 : 70) * MS * 6 / 7);
}

GST_END_TEST;

/* ---- programs ------------------------------------------------------------------ */

GST_START_TEST (the_clock_is_that_of_the_first_reference)
{
  add_with_pcr (0);
  pcr_write_plain (ts_at (2), PID + 1, 0);
  pcr_write (ts_at (2), 77777 * PCR_PER_MS, FALSE);
  add ();
  assert_none ();
  add_with_pcr (70 * PCR_PER_MS);
  assert_next (30 * MS);
  assert_next (65 * MS);
}

GST_END_TEST;

GST_START_TEST (another_clock_takes_over_when_the_first_has_gone)
{
  add_first_interval ();
  for (guint i = 0; i <= GST_TFRC_PCR_MAX_OTHERS; i++) {
    assert_none ();
    pcr_write_plain (ts_at (0), PID + 1, 0);
    pcr_write (ts_at (0), i * PCR_PER_MS, FALSE);
    add ();
  }
  for (guint i = 0; i <= GST_TFRC_PCR_MAX_OTHERS; i++) {
    guint64 time_ns;

    gst_tfrc_packet_unref (gst_tfrc_pcr_pace_take (pace, &time_ns));
  }
  assert_none ();
  pcr_write_plain (ts_at (0), PID + 1, 0);
  pcr_write (ts_at (0), (GST_TFRC_PCR_MAX_OTHERS + 20) * PCR_PER_MS, FALSE);
  add ();
  /* Up to the other clock's first reference there were 70 ms, then 64 by that clock, and now 20. */
  assert_next (140 * MS + GST_TFRC_PCR_MAX_OTHERS * MS + 20 * MS * 6 / 7);
}

GST_END_TEST;

static void
add_other (guint pid, guint64 ticks, gboolean is_jump)
{
  pcr_write_plain (ts_at (0), pid, 0);
  pcr_write (ts_at (0), ticks, is_jump);
  add ();
}

/* Adds as many references of another clock as let it take over, the first at 0. */
static void
add_others (guint64 step_ms)
{
  for (guint i = 0; i <= GST_TFRC_PCR_MAX_OTHERS; i++)
    add_other (PID + 1, i * step_ms * PCR_PER_MS, FALSE);
}

/* The next interval of the other clock, after add_others() */
static void
assert_other_goes_on (guint64 from_ns, guint64 step_ms)
{
  drain ();
  add_other (PID + 1, (GST_TFRC_PCR_MAX_OTHERS * step_ms + 20) * PCR_PER_MS, FALSE);
  assert_next (from_ns + 20 * MS * 6 / 7);
  assert_none ();
}

/* More of them than let a clock take over, but the first clock has not gone. */
GST_START_TEST (another_clock_between_the_references_takes_nothing_over)
{
  add_with_pcr (0);
  for (guint64 i = 0; i < 2 * GST_TFRC_PCR_MAX_OTHERS; i++) {
    add_other (PID + 1, i * 1000 * PCR_PER_MS, FALSE);
    add_with_pcr ((i + 1) * 70 * PCR_PER_MS);
    assert_next ((i * 70 + 30) * MS);
    assert_next ((i * 70 + 65) * MS);
    assert_none ();
  }
}

GST_END_TEST;

/* Only since then it tells what time has passed: 500 ms of it lie before the last reference of the first. */
GST_START_TEST (the_other_clock_counts_since_the_first_has_gone)
{
  add_first_interval ();
  add_other (PID + 1, 0, FALSE);
  add_other (PID + 1, 500 * PCR_PER_MS, FALSE);
  add_with_pcr (100280 * PCR_PER_MS);
  add_others (1);
  /* 70 ms up to the other clock's first reference, and 64 behind it */
  assert_other_goes_on ((280 + 70 + 64) * MS, 1);
}

GST_END_TEST;

/* By the discontinuity_indicator, or by its length */
GST_START_TEST (a_jump_of_the_other_clock_takes_no_time)
{
  const guint64 jump_ms = __i__ == 0 ? 0 : 10000;

  add_first_interval ();
  for (guint i = 0; i <= GST_TFRC_PCR_MAX_OTHERS; i++)
    add_other (PID + 1, (i + (i < 30 ? 0 : jump_ms)) * PCR_PER_MS, __i__ == 0 && i == 30);
  /* The jump is one of the 64 steps. */
  drain ();
  add_other (PID + 1, (GST_TFRC_PCR_MAX_OTHERS + jump_ms + 20) * PCR_PER_MS, FALSE);
  assert_next ((70 + 70 + 63) * MS + 20 * MS * 6 / 7);
}

GST_END_TEST;

/* References of two other clocks come by turns. The first of them tells the time, and takes over. */
GST_START_TEST (a_third_clock_is_not_mixed_with_the_other)
{
  add_first_interval ();
  for (guint i = 0; i <= GST_TFRC_PCR_MAX_OTHERS; i++)
    add_other (PID + 1 + i % 2, (i + i % 2 * 1000) * PCR_PER_MS, FALSE);
  assert_other_goes_on ((70 + 70 + 64) * MS, 1);
}

GST_END_TEST;

GST_START_TEST (a_clock_that_has_taken_over_is_as_the_first_was)
{
  add_first_interval ();
  add_others (1);
  drain ();
  /* One reference of the clock that has gone changes nothing. */
  add_with_pcr (0);
  assert_none ();
  add_other (PID + 1, (GST_TFRC_PCR_MAX_OTHERS + 20) * PCR_PER_MS, FALSE);
  assert_next (204 * MS + 20 * MS * 6 / 14);
  assert_next (204 * MS + 20 * MS * 13 / 14);
  /* The rate is that of its own interval: 20 ms had 14 packets of the transport stream. */
  gst_tfrc_pcr_pace_finish (pace);
  assert_next (224 * MS + 20 * MS * 6 / 14);
}

GST_END_TEST;

/* ---- bounds -------------------------------------------------------------------- */

GST_START_TEST (few_packets_wait_if_references_stay_away)
{
  add_with_pcr (0);
  for (guint i = 1; i < GST_TFRC_PCR_MAX_HELD; i++) {
    assert_none ();
    add ();
  }
  for (guint i = 0; i < GST_TFRC_PCR_MAX_HELD; i++)
    assert_next (0);
  assert_none ();
  /* The reference that comes late has its time all the same. */
  add_with_pcr (1500 * PCR_PER_MS);
  add_with_pcr (1520 * PCR_PER_MS);
  assert_next (1500 * MS + 20 * MS * 6 / 7);
}

GST_END_TEST;

GST_START_TEST (packets_that_waited_in_vain_go_by_the_rate_before)
{
  const guint64 rest = GST_TFRC_PCR_MAX_HELD * PER_PACKET - 1;

  add_with_pcr (0);
  add_with_pcr (7000);
  assert_next (6000 * G_GUINT64_CONSTANT (1000) / 27);
  for (guint i = 1; i < GST_TFRC_PCR_MAX_HELD; i++)
    add ();
  assert_next (gst_util_uint64_scale (7000 + 6000, 1000, 27));
  for (guint i = 2; i < GST_TFRC_PCR_MAX_HELD; i++) {
    guint64 time_ns;

    gst_tfrc_packet_unref (gst_tfrc_pcr_pace_take (pace, &time_ns));
  }
  assert_next (7000 * G_GUINT64_CONSTANT (1000) / 27
      + gst_util_uint64_scale (7000 * G_GUINT64_CONSTANT (1000) / 27, rest, 7));
  assert_none ();
}

GST_END_TEST;

/* A second has 3000 packets, of which 952 wait for the reference behind them. */
GST_START_TEST (a_rate_is_that_of_all_packets_between_two_references)
{
  const guint64 interval = 3000 * PER_PACKET, waited = GST_TFRC_PCR_MAX_HELD * PER_PACKET - 1;
  guint64 time_ns = 0;

  for (guint second = 0; second < 2; second++) {
    add_with_pcr (second * 1000 * PCR_PER_MS);
    drain ();
    for (guint i = 1; i < (second == 0 ? 3000 : GST_TFRC_PCR_MAX_HELD); i++) {
      add ();
      if (i + 1 == GST_TFRC_PCR_MAX_HELD)
        time_ns = drain ();
    }
  }
  fail_unless_equals_uint64 (time_ns, 1000 * MS + 1000 * MS * waited / interval);
}

GST_END_TEST;

/* ---- what has gone without a reference ------------------------------------------- */

#define SLOT_NS G_GUINT64_CONSTANT (50000) /* that a packet of the transport stream has */
#define FIRST_TICKS (7 * SLOT_NS * 27 / 1000)

/* An interval of 7 packets, and then none for as many packets as may wait, @times in a row: they go by its rate. Of
 * the first ones, one packet of the transport stream is the reference. Returns the time that they took. */
static guint64
wait_in_vain (guint times)
{
  const guint64 spent_ns = (times * GST_TFRC_PCR_MAX_HELD * PER_PACKET - 1) * SLOT_NS;
  guint64 last_ns = 0;

  add_with_pcr (0);
  add_with_pcr (FIRST_TICKS);
  assert_next (6 * SLOT_NS);
  for (guint i = 1; i < times * GST_TFRC_PCR_MAX_HELD; i++) {
    add ();
    if ((i + 1) % GST_TFRC_PCR_MAX_HELD == 0)
      last_ns = drain ();
  }
  fail_unless_equals_uint64 (last_ns, 7 * SLOT_NS + spent_ns);
  return spent_ns;
}

/* The reference comes 1800 ms after the one before, of which 717 or 1434 have gone. */
GST_START_TEST (time_that_went_without_a_reference_is_not_counted_twice)
{
  wait_in_vain (__i__);
  add_with_pcr (FIRST_TICKS + 1800 * PCR_PER_MS);
  add_with_pcr (FIRST_TICKS + 1820 * PCR_PER_MS);
  assert_next (7 * SLOT_NS + 1800 * MS + 20 * MS * 6 / 7);
  /* What went in the interval before does not count for this one. */
  add_with_pcr (FIRST_TICKS + 1890 * PCR_PER_MS);
  assert_next (7 * SLOT_NS + 1820 * MS + 60 * MS);
}

GST_END_TEST;

/* 1800 ms for all packets between the references, and not what was left of that time */
GST_START_TEST (the_rate_is_that_of_the_whole_interval)
{
  wait_in_vain (2);
  add_with_pcr (FIRST_TICKS + 1800 * PCR_PER_MS);
  gst_tfrc_pcr_pace_finish (pace);
  assert_next (7 * SLOT_NS + 1800 * MS
      + 1800 * MS * (PER_PACKET - 1) / (2 * GST_TFRC_PCR_MAX_HELD * PER_PACKET));
}

GST_END_TEST;

GST_START_TEST (a_jump_takes_the_time_of_what_has_not_gone_yet)
{
  const guint64 spent_ns = wait_in_vain (2);

  add_with_pcr (0);
  /* one packet of the transport stream: the one with the reference */
  assert_goes_on (7 * SLOT_NS + spent_ns + SLOT_NS, 0);
}

GST_END_TEST;

/* The other clock tells of 1280 ms, of which 717 have gone. */
GST_START_TEST (a_clock_that_takes_over_counts_no_time_twice)
{
  wait_in_vain (1);
  add_others (20);
  /* Before the other clock's first reference there is as much time as an interval had, at most. */
  assert_other_goes_on (7 * SLOT_NS + 7 * SLOT_NS + 1280 * MS, 20);
}

GST_END_TEST;

/* ---- the end, a flush and damage --------------------------------------------------- */

GST_START_TEST (the_end_goes_by_the_rate_before)
{
  add_first_interval ();
  add ();
  add ();
  gst_tfrc_pcr_pace_finish (pace);
  /* 20 packets behind the reference, of which the interval before had 7 */
  assert_next (70 * MS + 70 * MS * 6 / 20);
  assert_next (70 * MS + 70 * MS * 13 / 20);
  assert_next (70 * MS + 70 * MS);
  assert_none ();
}

GST_END_TEST;

GST_START_TEST (a_stream_of_one_reference_ends_at_once)
{
  add_with_pcr (12345);
  gst_tfrc_pcr_pace_finish (pace);
  assert_next (0);
  gst_tfrc_pcr_pace_finish (pace);
  assert_none ();
}

GST_END_TEST;

GST_START_TEST (after_a_flush_the_times_begin_anew)
{
  add_first_interval ();
  add ();
  gst_tfrc_pcr_pace_clear (pace);
  assert_none ();
  add ();
  assert_next (UNKNOWN);
  add_with_pcr (0);
  add_with_pcr (7 * PCR_PER_MS);
  assert_next (6 * MS);
}

GST_END_TEST;

/* What cannot be read is no reference. */
GST_START_TEST (damaged_packets_have_no_reference)
{
  add_with_pcr (0);
  pcr_write (ts_at (0), 50 * PCR_PER_MS, FALSE);
  ts_at (0)[1] |= 0x80; /* transport_error_indicator */
  pcr_write (ts_at (1), 50 * PCR_PER_MS, FALSE);
  ts_at (1)[4] = 6; /* the field ends before the reference does */
  pcr_write (ts_at (2), 50 * PCR_PER_MS, FALSE);
  ts_at (2)[4] = 184; /* the field is longer than the packet */
  pcr_write (ts_at (3), 50 * PCR_PER_MS, FALSE);
  ts_at (3)[3] &= (guint8) ~0x20;
  add ();
  assert_none ();
}

GST_END_TEST;

GST_START_TEST (times_never_go_back)
{
  GRand *rand = g_rand_new_with_seed (1);
  guint64 last_ns = 0, time_ns;
  GstTfrcPacket *packet;

  for (guint n = 0; n < 20000; n++) {
    for (guint i = 0; i < PER_PACKET; i++)
      if (g_rand_int_range (rand, 0, 10) == 0)
        pcr_write (ts_at (i),
            g_rand_boolean (rand) ? g_rand_int (rand) : (guint64) g_rand_int (rand) << 10,
            g_rand_int_range (rand, 0, 10) == 0);
    add ();
    while ((packet = gst_tfrc_pcr_pace_take (pace, &time_ns))) {
      gst_tfrc_packet_unref (packet);
      fail_unless (time_ns == UNKNOWN || time_ns >= last_ns);
      last_ns = time_ns == UNKNOWN ? 0 : time_ns;
    }
  }
  g_rand_free (rand);
}

GST_END_TEST;

static Suite *
pcrpace_suite (void)
{
  Suite *suite = suite_create ("pcrpace");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, packets_are_spread_evenly_between_two_references);
  tcase_add_test (tcase, several_references_in_a_packet_count);
  tcase_add_test (tcase, a_packet_that_ends_with_a_reference_need_not_wait);
  tcase_add_test (tcase, without_a_reference_packets_do_not_wait);
  tcase_add_test (tcase, references_wrap);
  tcase_add_loop_test (tcase, a_jump_takes_the_time_of_the_interval_before, 0, 4);
  tcase_add_test (tcase, a_jump_is_bounded);
  tcase_add_test (tcase, a_discontinuity_is_a_jump_whatever_the_step);
  tcase_add_test (tcase, without_an_interval_a_jump_takes_no_time);
  tcase_add_loop_test (tcase, the_longest_interval_is_no_jump, 0, 2);
  tcase_add_test (tcase, the_clock_is_that_of_the_first_reference);
  tcase_add_test (tcase, another_clock_takes_over_when_the_first_has_gone);
  tcase_add_test (tcase, another_clock_between_the_references_takes_nothing_over);
  tcase_add_test (tcase, the_other_clock_counts_since_the_first_has_gone);
  tcase_add_loop_test (tcase, a_jump_of_the_other_clock_takes_no_time, 0, 2);
  tcase_add_test (tcase, a_third_clock_is_not_mixed_with_the_other);
  tcase_add_test (tcase, a_clock_that_has_taken_over_is_as_the_first_was);
  tcase_add_test (tcase, few_packets_wait_if_references_stay_away);
  tcase_add_test (tcase, packets_that_waited_in_vain_go_by_the_rate_before);
  tcase_add_test (tcase, a_rate_is_that_of_all_packets_between_two_references);
  tcase_add_loop_test (tcase, time_that_went_without_a_reference_is_not_counted_twice, 1, 3);
  tcase_add_test (tcase, the_rate_is_that_of_the_whole_interval);
  tcase_add_test (tcase, a_jump_takes_the_time_of_what_has_not_gone_yet);
  tcase_add_test (tcase, a_clock_that_takes_over_counts_no_time_twice);
  tcase_add_test (tcase, the_end_goes_by_the_rate_before);
  tcase_add_test (tcase, a_stream_of_one_reference_ends_at_once);
  tcase_add_test (tcase, after_a_flush_the_times_begin_anew);
  tcase_add_test (tcase, damaged_packets_have_no_reference);
  tcase_add_test (tcase, times_never_go_back);
  return suite;
}

GST_CHECK_MAIN (pcrpace);
