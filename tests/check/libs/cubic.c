/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The throughput equation of CUBIC against tests/vectors, and where the model is used: see lib/tfrc/cubic.h. */
#include <tfrc/cubic.h>
#include <tfrc/model.h>
#include <tfrc/wire.h>

#include <gst/check/gstcheck.h>
#include <math.h>

#include "vectors.h"

#define ROUNDING 1e-13
#define INVERSE_ROUNDING 1e-9

static void
assert_within (gdouble value, gdouble expected, gdouble tolerance)
{
  fail_unless (
      fabs (value - expected) <= tolerance * expected, "%.17g is not %.17g", value, expected);
}

GST_START_TEST (rates_are_those_of_the_vectors)
{
  Vectors v;

  vectors_open (&v, "cubic.csv", "s,R,rto,p,X_Bps");
  while (vectors_next (&v))
    vectors_assert (&v, 4,
        tfrc_cubic_rate_Bps (vectors_number (&v, 0), vectors_number (&v, 1), vectors_number (&v, 2),
            vectors_number (&v, 3)),
        ROUNDING);
}

GST_END_TEST;

GST_START_TEST (the_inverse_is_that_of_the_vectors)
{
  Vectors v;

  vectors_open (&v, "cubic_inverse.csv", "s,R,rto,X_Bps,p");
  while (vectors_next (&v))
    vectors_assert (&v, 4,
        tfrc_cubic_p (vectors_number (&v, 0), vectors_number (&v, 1), vectors_number (&v, 2),
            vectors_number (&v, 3)),
        INVERSE_ROUNDING);
}

GST_END_TEST;

GST_START_TEST (the_inverse_gives_back_every_p)
{
  const gdouble rtt_s[] = { 1e-4, 0.02, 0.1, 0.3, 2 };

  for (guint i = 0; i < G_N_ELEMENTS (rtt_s); i++)
    for (gdouble p = 1; p > 1e-20; p *= 0.97)
      assert_within (tfrc_cubic_p (1316, rtt_s[i], 4 * rtt_s[i],
                         tfrc_cubic_rate_Bps (1316, rtt_s[i], 4 * rtt_s[i], p)),
          p, INVERSE_ROUNDING);
}

GST_END_TEST;

/* p = 0.548 R^3 */
GST_START_TEST (the_cubic_region_begins_below_half_of_the_cube_of_the_round_trip_time)
{
  const gdouble rtt_s[] = { 0.02, 0.1, 0.3 };

  for (guint i = 0; i < G_N_ELEMENTS (rtt_s); i++) {
    gdouble r = rtt_s[i], p = 0.548 * r * r * r;

    fail_unless (tfrc_cubic_rate_Bps (1316, r, 4 * r, 1.01 * p)
        <= tfrc_equation_rate_Bps (1316, r, 4 * r, 1.01 * p));
    fail_unless (tfrc_cubic_rate_Bps (1316, r, 4 * r, 0.99 * p)
        > tfrc_equation_rate_Bps (1316, r, 4 * r, 0.99 * p));
  }
}

GST_END_TEST;

/* In packets and R, with R in seconds beside them, the rate is the same. */
GST_START_TEST (the_model_is_the_same_in_all_units)
{
  const TfrcModelFuncs *model = tfrc_model_find (TFRC_MODEL_CUBIC);
  const TfrcModelInput bytes = { 1316, 0.2, 0.8, 1 }, packets = { 1, 1, 4, 0.2 };

  for (gdouble p = 1; p > 1e-12; p *= 0.5) {
    gdouble rate = model->rate (&packets, p);

    assert_within (rate * 1316 / 0.2, model->rate (&bytes, p), ROUNDING);
    assert_within (model->p (&packets, rate), p, INVERSE_ROUNDING);
  }
}

GST_END_TEST;

GST_START_TEST (without_a_round_trip_time_the_model_is_renos)
{
  const TfrcModelFuncs *cubic = tfrc_model_find (TFRC_MODEL_CUBIC);
  const TfrcModelFuncs *reno = tfrc_model_find (TFRC_MODEL_RENO);
  const TfrcModelInput input = { 1, 1, 4, 0 };

  for (gdouble p = 1; p > 1e-12; p *= 0.5) {
    gdouble rate = reno->rate (&input, p);

    assert_within (cubic->rate (&input, p), rate, 0);
    assert_within (cubic->p (&input, rate), reno->p (&input, rate), 0);
  }
}

GST_END_TEST;

GST_START_TEST (arguments_out_of_range_give_what_renos_equation_gives)
{
  fail_unless (isinf (tfrc_cubic_rate_Bps (1316, 0.1, 0.4, 0)));
  assert_within (tfrc_cubic_rate_Bps (0, 0.1, 0.4, 0.1), 0, 0);
  assert_within (tfrc_cubic_rate_Bps (1316, 0, 0.4, 0.1), 0, 0);
  assert_within (tfrc_cubic_rate_Bps (1316, 0.1, -1, 0.1), 0, 0);
  assert_within (tfrc_cubic_rate_Bps (1316, 0.1, 0.4, 1.1), 0, 0);
  assert_within (tfrc_cubic_rate_Bps (1316, 0.1, 0.4, NAN), 0, 0);
  assert_within (tfrc_cubic_p (1316, 0.1, 0.4, 0), 1, 0);
  assert_within (tfrc_cubic_p (1316, 0.1, 0.4, NAN), 1, 0);
  assert_within (tfrc_cubic_p (1316, NAN, 0.4, 1e6), 1, 0);
}

GST_END_TEST;

/* ---- the model travels with the stream ---------------------------------------- */

#define R_US 500000
#define SPACING_NS (10 * GST_MSECOND)

/* A hundred packets a second, of which one is lost. Returns the p of the feedback after it. */
static gdouble
first_p (TfrcModel model)
{
  TfrcReceiverConfig config;
  TfrcReceiver *receiver;
  TfrcFeedback feedback = { 0 };
  guint64 now_ns = GST_SECOND;

  tfrc_receiver_config_init (&config);
  fail_unless_equals_int (tfrc_receiver_new (&receiver, &config), TFRC_OK);
  for (guint16 seq = 0; seq < 300; seq++, now_ns += SPACING_NS) {
    const TfrcData data = { .seq = seq,
      .send_time_us = (guint32) (now_ns / 1000),
      .rtt_us = R_US,
      .size_bytes = 1316,
      .has_tfrc = TRUE,
      .model = model };

    if (seq != 250)
      fail_unless_equals_int (tfrc_receiver_on_data (receiver, &data, now_ns, NULL), TFRC_OK);
    tfrc_receiver_make_feedback (receiver, now_ns, &feedback);
  }
  tfrc_receiver_free (receiver);
  return feedback.p;
}

/* 131600 byte/s are what either equation gives at its own p. */
GST_START_TEST (the_receiver_inverts_the_senders_equation)
{
  assert_within (first_p (TFRC_MODEL_RENO), tfrc_equation_p (1316, 0.5, 2, 131600), 0.02);
  assert_within (first_p (TFRC_MODEL_CUBIC), tfrc_cubic_p (1316, 0.5, 2, 131600), 0.02);
  fail_unless (first_p (TFRC_MODEL_CUBIC) > 2 * first_p (TFRC_MODEL_RENO));
}

GST_END_TEST;

GST_START_TEST (the_sender_tells_its_equation_in_every_packet)
{
  TfrcSenderConfig config;
  TfrcSender *sender;
  TfrcData data, read;
  TfrcWireData wire = { 0 }, parsed;
  guint8 packet[TFRC_WIRE_MAX_HEADER_BYTES];

  tfrc_sender_config_init (&config);
  config.model = TFRC_MODEL_CUBIC;
  fail_unless_equals_int (tfrc_sender_new (&sender, &config), TFRC_OK);
  fail_unless_equals_int (tfrc_sender_prepare (sender, 1316, GST_SECOND, &data), TFRC_OK);
  fail_unless_equals_int (data.model, TFRC_MODEL_CUBIC);
  tfrc_wire_set_data (&wire, &data);
  fail_unless_equals_int (
      tfrc_wire_parse_data (packet, tfrc_wire_write_data (packet, &wire), &parsed), TFRC_WIRE_OK);
  tfrc_wire_get_data (&parsed, &read);
  fail_unless_equals_int (read.model, TFRC_MODEL_CUBIC);
  fail_unless_equals_int (parsed.flags, TFRC_WIRE_FLAG_CUBIC);
  tfrc_sender_free (sender);
}

GST_END_TEST;

GST_START_TEST (a_model_that_there_is_not_is_refused)
{
  TfrcReceiver *receiver;
  const TfrcData data = { .has_tfrc = TRUE, .size_bytes = 1316, .model = TFRC_MODEL_CUBIC + 1 };
  TfrcReceiverConfig config;

  tfrc_receiver_config_init (&config);
  fail_unless_equals_int (tfrc_receiver_new (&receiver, &config), TFRC_OK);
  fail_unless_equals_int (
      tfrc_receiver_on_data (receiver, &data, GST_SECOND, NULL), TFRC_ERROR_ARGUMENT);
  tfrc_receiver_free (receiver);
}

GST_END_TEST;

static Suite *
cubic_suite (void)
{
  Suite *suite = suite_create ("cubic");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, rates_are_those_of_the_vectors);
  tcase_add_test (tcase, the_inverse_is_that_of_the_vectors);
  tcase_add_test (tcase, the_inverse_gives_back_every_p);
  tcase_add_test (tcase, the_cubic_region_begins_below_half_of_the_cube_of_the_round_trip_time);
  tcase_add_test (tcase, the_model_is_the_same_in_all_units);
  tcase_add_test (tcase, without_a_round_trip_time_the_model_is_renos);
  tcase_add_test (tcase, arguments_out_of_range_give_what_renos_equation_gives);
  tcase_add_test (tcase, the_receiver_inverts_the_senders_equation);
  tcase_add_test (tcase, the_sender_tells_its_equation_in_every_packet);
  tcase_add_test (tcase, a_model_that_there_is_not_is_refused);
  return suite;
}

GST_CHECK_MAIN (cubic);
