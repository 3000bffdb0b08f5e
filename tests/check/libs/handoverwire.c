/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fields of a handover in data and feedback, on the wire */
#include <gst/check/gstcheck.h>
#include <tfrc/wire.h>

#define FLAGS_OFFSET 25              /* offset in data */
#define STATE_FLAGS_OFFSET (28 + 32) /* offset behind the feedback */

static const struct
{
  guint8 flags;
  gboolean echo, direct;
  guint8 number;
} marks[] = {
  { 0x01, TRUE, FALSE, 0 },
  { 0x03, TRUE, TRUE, 0 },
  { 0x0f, TRUE, TRUE, 3 },
  { 0x09, TRUE, FALSE, 2 },
  { 0x05, TRUE, FALSE, 1 },
};

GST_START_TEST (test_marks_of_data)
{
  guint8 packet[TFRC_WIRE_FLAGS_HEADER_BYTES + 4] = { 0 };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (marks); i++) {
    TfrcData data = { .seq = 7,
      .rtt_us = 50000,
      .send_time_us = 9,
      .echo = marks[i].echo,
      .direct = marks[i].direct,
      .handover_number = marks[i].number };
    TfrcWireData wire = { 0 }, parsed;
    TfrcData received;

    tfrc_wire_set_data (&wire, &data);
    fail_unless (wire.has_flags);
    fail_unless_equals_int (tfrc_wire_write_data (packet, &wire), TFRC_WIRE_FLAGS_HEADER_BYTES);
    fail_unless_equals_int_hex (packet[FLAGS_OFFSET], marks[i].flags);
    fail_unless_equals_int (tfrc_wire_parse_data (packet, sizeof packet, &parsed), TFRC_WIRE_OK);
    tfrc_wire_get_data (&parsed, &received);
    data.size_bytes = 4;
    data.has_tfrc = TRUE;
    fail_unless_equals_int (received.seq, 7);
    fail_unless_equals_int (received.rtt_us, 50000);
    fail_unless_equals_int (received.send_time_us, 9);
    fail_unless_equals_int (received.size_bytes, 4);
    fail_unless (received.has_tfrc);
    fail_unless_equals_int (received.echo, marks[i].echo);
    fail_unless_equals_int (received.direct, marks[i].direct);
    fail_unless_equals_int (received.handover_number, marks[i].number);
  }
}

GST_END_TEST;

GST_START_TEST (test_data_without_marks_has_no_second_element)
{
  TfrcData data = { .seq = 7 };
  TfrcWireData wire = { 0 };

  tfrc_wire_set_data (&wire, &data);
  fail_if (wire.has_flags);
  /* but the TTL needs the second element */
  wire.ttl = 64;
  tfrc_wire_set_data (&wire, &data);
  fail_unless (wire.has_flags);
  fail_unless_equals_int (wire.flags, 0);
}

GST_END_TEST;

GST_START_TEST (test_unknown_marks_are_ignored)
{
  TfrcWireData wire = { .has_flags = TRUE, .flags = 0xf0 };
  TfrcData data;

  tfrc_wire_get_data (&wire, &data);
  fail_if (data.echo || data.direct || data.handover_number);
}

GST_END_TEST;

static const struct
{
  guint8 flags;
  TfrcFeedback feedback;
} notifications[] = {
  { 0x00, { .p = 0.1 } },
  { 0x01, { .handover = TRUE } },
  { 0x15, { .handover = TRUE, .new_link = TRUE, .handover_number = 1 } },
  { 0x23, { .handover = TRUE, .suppress_echo = TRUE, .handover_number = 2 } },
  { 0x39, { .handover = TRUE, .bandwidth = TRUE, .handover_number = 3 } },
  { 0x04, { .new_link = TRUE } },
};

GST_START_TEST (test_notifications_of_feedback)
{
  guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];
  guint i;

  for (i = 0; i < G_N_ELEMENTS (notifications); i++) {
    const TfrcFeedback *feedback = &notifications[i].feedback;
    TfrcWireState state = { 0 };
    TfrcWireRtcp rtcp;
    gsize size = tfrc_wire_write_feedback (packet, 1, 2, feedback, &state);

    fail_unless_equals_int_hex (packet[STATE_FLAGS_OFFSET], notifications[i].flags);
    fail_unless_equals_int (tfrc_wire_parse_rtcp (packet, size, 2, &rtcp), TFRC_WIRE_OK);
    fail_unless_equals_int (rtcp.feedback.handover, feedback->handover);
    fail_unless_equals_int (rtcp.feedback.new_link, feedback->new_link);
    fail_unless_equals_int (rtcp.feedback.suppress_echo, feedback->suppress_echo);
    fail_unless_equals_int (rtcp.feedback.bandwidth, feedback->bandwidth);
    fail_unless_equals_int (rtcp.feedback.handover_number, feedback->handover_number);
  }
}

GST_END_TEST;

GST_START_TEST (test_feedback_without_state_notifies_of_nothing)
{
  TfrcFeedback feedback = { .handover = TRUE, .new_link = TRUE };
  guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireRtcp rtcp;
  gsize size = tfrc_wire_write_feedback (packet, 1, 2, &feedback, NULL);

  fail_unless_equals_int (tfrc_wire_parse_rtcp (packet, size, 2, &rtcp), TFRC_WIRE_OK);
  fail_if (rtcp.feedback.handover || rtcp.feedback.new_link);
}

GST_END_TEST;

static Suite *
handoverwire_suite (void)
{
  Suite *suite = suite_create ("handoverwire");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_marks_of_data);
  tcase_add_test (tc, test_data_without_marks_has_no_second_element);
  tcase_add_test (tc, test_unknown_marks_are_ignored);
  tcase_add_test (tc, test_notifications_of_feedback);
  tcase_add_test (tc, test_feedback_without_state_notifies_of_nothing);
  return suite;
}

GST_CHECK_MAIN (handoverwire);
