/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The first sender of a source is its provisional peer, see gst/strangers/selection.h. A forger is a host whose packets
 * have an address that does not respond. */
#include "selectiontest.h"

/* ---- the true sender comes first ------------------------------------------ */

GST_START_TEST (the_first_packet_is_played_at_once)
{
  Host *sender;

  start (FALSE);
  sender = add_host (0, 20 * MS);
  data_arrives (sender);
  fail_unless (is_provisional_peer (sender));
  fail_unless_equals_uint64 (sender->first_taken_ns, begin);
  fail_unless_equals_int (sender->challenges, 1);
  run (RTT);
  fail_unless (is_validated ());
  run (10 * S);
  fail_unless_equals_uint64 (sender->taken, sender->sent);
  fail_unless_equals_int (sender->challenges, 1);
  fail_unless_equals_int (peers, 1);
}

GST_END_TEST;

GST_START_TEST (a_lost_challenge_to_the_first_sender_is_repeated)
{
  Host *sender;

  start (FALSE);
  sender = add_host (0, 100 * MS);
  sender->lose_challenges = 1;
  run (333 * MS + RTT - 1);
  fail_if (is_validated ());
  run (1);
  fail_unless (is_validated ());
  fail_unless_equals_uint64 (sender->taken, sender->sent);
}

GST_END_TEST;

/* All challenges of an outage fail, and the next packet brings new ones. */
GST_START_TEST (a_first_sender_that_comes_back_after_an_outage_is_challenged_again)
{
  Host *sender;

  start (FALSE);
  sender = forge (0, 1);
  run (20 * S);
  sender->unresponsive = FALSE;
  sender->seq += 100;
  data_arrives (sender);
  run (RTT);
  fail_unless (is_validated ());
  fail_unless_equals_uint64 (sender->taken, 2);
  fail_unless_equals_int (peers, 1);
}

GST_END_TEST;

/* What else is to leave does not take the credit that the repeated challenge needs. */
GST_START_TEST (credit_for_a_repeated_challenge_stays)
{
  Host *sender;

  start (FALSE);
  sender = add_host (0, 0);
  sender->lose_challenges = 1;
  data_arrives (sender);
  run (100 * MS);
  data_arrives (sender);
  fail_if (gst_tfrc_selection_has_credit (o));
  fail_if (gst_tfrc_selection_may_send (o, TFRC_WIRE_MIN_PATH_BYTES));
  run (233 * MS + RTT);
  fail_unless_equals_int (sender->challenges, 2);
  fail_unless (is_validated ());
  fail_unless (gst_tfrc_selection_has_credit (o));
}

GST_END_TEST;

GST_START_TEST (a_third_packet_brings_credit_beside_that_of_the_challenge)
{
  start (FALSE);
  forge (0, 3);
  fail_unless (gst_tfrc_selection_has_credit (o));
  fail_unless (gst_tfrc_selection_may_send (o, TFRC_WIRE_MAX_RTCP_BYTES));
  fail_if (gst_tfrc_selection_may_send (o, TFRC_WIRE_MIN_PATH_BYTES));
}

GST_END_TEST;

GST_START_TEST (a_wrong_response_does_not_validate_the_first_sender)
{
  guint8 wrong[TFRC_WIRE_PATH_DATA_BYTES] = { 0 };
  Host *forger;

  start (FALSE);
  forger = forge (0, 1);
  fail_unless_equals_int (response_arrives (forger, wrong), GST_TFRC_VERDICT_FOREIGN);
  fail_unless (is_provisional_peer (forger));
}

GST_END_TEST;

GST_START_TEST (a_first_sender_that_knows_no_challenges_stays)
{
  Host *sender;

  start (FALSE);
  sender = add_host (0, 300 * MS);
  sender->unresponsive = TRUE;
  run (10 * S);
  fail_unless (is_provisional_peer (sender));
  fail_unless_equals_uint64 (sender->taken, sender->sent);
  fail_unless_equals_int (peers, 1);
}

GST_END_TEST;

/* Plain RTP has no challenges: there is no answer to wait for. */
GST_START_TEST (a_first_sender_that_goes_on_with_plain_rtp_is_plausible)
{
  Host *sender;

  start (FALSE);
  sender = forge (0, 1);
  sender->plain = TRUE;
  data_arrives (sender);
  bye_arrives (sender);
  run (200 * MS);
  fail_unless_equals_int (ends, 1);
}

GST_END_TEST;

/* ---- a forger comes first ------------------------------------------------- */

GST_START_TEST (a_sender_that_answers_takes_over_from_a_forger)
{
  Host *forger, *sender;

  start (FALSE);
  forger = forge (0, 0);
  forger->interval_ns = 20 * MS;
  forger->data_ns = now;
  run (100 * MS);
  fail_unless (is_peer (forger));
  sender = add_host (1, 20 * MS);
  run (RTT - 1);
  fail_unless (is_peer (forger));
  run (1);
  fail_unless (is_peer (sender));
  run (10 * S);
  fail_unless_equals_uint64 (sender->taken, sender->sent);
  fail_unless_equals_int (peers, 2);
}

GST_END_TEST;

/* Before, the first sender may be about to answer. The forged stream is the peer for no longer than that, although it
 * goes on. */
GST_START_TEST (plain_rtp_takes_over_from_a_forger_a_second_after_the_challenge)
{
  Host *forger, *sender;

  start (FALSE);
  forger = forge (0, 2);
  forger->interval_ns = 20 * MS;
  forger->data_ns = now + 20 * MS;
  run (100 * MS);
  sender = add_plain_host (1, 60 * MS);
  run (900 * MS - 1);
  fail_unless (is_peer (forger));
  run (1);
  fail_unless (is_peer (sender));
  run (10 * S);
  check_is_played (sender);
}

GST_END_TEST;

GST_START_TEST (plain_rtp_takes_over_from_an_old_forged_packet_with_two_packets_in_sequence)
{
  Host *sender;

  start (FALSE);
  forge (0, 1);
  run (10 * S);
  sender = add_plain_host (1, 0);
  data_arrives (sender);
  data_arrives (sender);
  fail_unless (is_peer (sender));
  fail_unless_equals_uint64 (sender->taken, 2);
}

GST_END_TEST;

GST_START_TEST (a_sender_that_knows_no_challenges_takes_over_from_a_forged_packet_after_a_second)
{
  Host *forger, *sender;

  start (FALSE);
  forger = forge (0, 1);
  run (10 * S);
  sender = add_host (1, 300 * MS);
  sender->unresponsive = TRUE;
  run (S - 1);
  fail_unless (is_peer (forger));
  run (1);
  check_is_played (sender);
}

GST_END_TEST;

/* The host that is there answers for its own stream alone. */
GST_START_TEST (a_forger_at_the_senders_address_gives_way)
{
  Host *sender;

  start (FALSE);
  sender = add_host (0, 0);
  data_arrives_from (&sender->address, 0xbad, 1, FALSE);
  follow ();
  serve ();
  fail_unless_equals_int (gst_tfrc_selection_get_peer (o)->ssrc, 0xbad);
  sender->interval_ns = 20 * MS;
  sender->data_ns = now;
  run (RTT);
  fail_unless (is_peer (sender));
  run (S);
  fail_unless_equals_uint64 (sender->taken, sender->sent + 1); /* and the forged packet */
}

GST_END_TEST;

GST_START_TEST (of_two_forgers_only_the_first_is_played_and_both_give_way)
{
  Host *early, *late, *sender;

  start (TRUE);
  early = forge (0, 1);
  run (10 * MS);
  late = forge (1, 1);
  run (4 * S);
  fail_unless (is_peer (early));
  fail_unless_equals_uint64 (late->taken, 0);
  sender = add_host (2, 20 * MS);
  run (RTT);
  fail_unless (is_peer (sender));
  run (20 * S);
  fail_unless_equals_uint64 (early->taken + late->taken, 1);
  fail_unless_equals_uint64 (sender->taken, sender->sent);
}

GST_END_TEST;

/* The receiver has nothing to do for a forged packet any more, and the next sender waits for its validation. */
GST_START_TEST (a_forged_packet_that_nothing_follows_keeps_nobody_out)
{
  Host *forger, *sender;

  start (FALSE);
  forger = forge (0, 1);
  run (10 * S);
  fail_unless (is_peer (forger));
  fail_unless_equals_uint64 (gst_tfrc_selection_next_ns (o), NEVER);
  sender = add_host (1, 20 * MS);
  run (RTT - 1);
  fail_unless (is_peer (forger));
  run (1);
  check_is_played (sender);
}

GST_END_TEST;

/* ---- what else a forger cannot do ------------------------------------------ */

/* Sends to the peer what its credit allows, in packets of this size. Returns their number. */
static guint64
send_all (gsize bytes)
{
  guint64 n = 0;

  while (gst_tfrc_selection_may_send (o, bytes))
    n++;
  return n;
}

GST_START_TEST (a_forger_gets_no_more_packets_and_bytes_than_it_has_sent)
{
  guint64 packets = 0;
  Host *forger;

  start (FALSE);
  forger = forge (0, 1);
  fail_unless_equals_int (forger->challenges, 1);
  fail_unless_equals_uint64 (send_all (100), 0); /* the challenge was all */
  forger->interval_ns = 20 * MS;
  forger->data_ns = now + 20 * MS;
  for (guint i = 0; i < 100; i++) {
    run (100 * MS);
    packets += send_all (100);
    fail_unless (packets + forger->challenges <= forger->packets_from);
    fail_unless (
        100 * packets + TFRC_WIRE_MIN_PATH_BYTES * forger->challenges <= forger->bytes_from);
  }
  packets += send_all (100);
  fail_unless_equals_uint64 (packets + forger->challenges, forger->packets_from);
}

GST_END_TEST;

GST_START_TEST (a_forger_within_a_stream_is_not_played)
{
  Host *sender, *forger;

  start (TRUE);
  sender = add_host (0, 20 * MS);
  data_arrives (sender);
  forger = forge (1, 0);
  forger->interval_ns = 5 * MS;
  forger->data_ns = now;
  run (RTT / 2); /* while the sender is provisional ... */
  fail_unless (is_provisional_peer (sender));
  run (20 * S); /* ... and afterwards */
  fail_unless_equals_uint64 (forger->taken, 0);
  fail_unless_equals_uint64 (sender->taken, sender->sent);
  fail_unless_equals_int (peers, 1);
  fail_unless (forger->challenges <= 20 * 21);
}

GST_END_TEST;

/* No plain RTP comes between a slow or a short stream and its sender's answer. */
GST_START_TEST (plain_rtp_of_a_forger_is_not_played_before_the_sender_can_answer)
{
  const guint64 intervals_ns[] = { 20 * MS, 800 * MS };

  for (guint i = 0; i < G_N_ELEMENTS (intervals_ns); i++) {
    Host *sender, *forger;

    start (TRUE);
    sender = add_host (0, intervals_ns[i]);
    run (0);
    forger = add_plain_host (1, 0);
    data_arrives (forger);
    data_arrives (forger);
    fail_unless (is_provisional_peer (sender));
    run (RTT);
    fail_unless (is_peer (sender));
    fail_unless (is_validated ());
    run (2 * intervals_ns[i] - RTT % (2 * intervals_ns[i]));
    fail_unless_equals_uint64 (sender->taken, sender->sent);
    fail_unless_equals_uint64 (forger->taken, 0);
    fail_unless_equals_int (peers, 1);
  }
}

GST_END_TEST;

GST_START_TEST (a_forged_bye_ends_no_stream_in_the_first_second)
{
  Host *sender;

  start (FALSE);
  bye_arrives (forge (0, 2));
  run (S - 1);
  fail_unless_equals_int (ends, 0);
  sender = add_host (1, 20 * MS);
  run (10 * S);
  fail_unless (is_peer (sender));
  fail_unless_equals_int (ends, 0);
  fail_unless_equals_uint64 (sender->taken, sender->sent);
}

GST_END_TEST;

GST_START_TEST (a_bye_after_one_forged_packet_ends_nothing_at_any_time)
{
  const guint64 times_ns[] = { S, 24 * 3600 * S };

  for (guint i = 0; i < G_N_ELEMENTS (times_ns); i++) {
    Host *forger, *sender;

    start (FALSE);
    forger = forge (0, 1);
    run (times_ns[i]);
    bye_arrives (forger);
    run (10 * S);
    sender = add_host (1, 20 * MS);
    run (10 * S);
    fail_unless_equals_int (ends, 0);
    check_is_played (sender);
  }
}

GST_END_TEST;

GST_START_TEST (a_bye_ends_the_stream_of_one_packet_whose_sender_has_answered)
{
  Host *sender;

  start (FALSE);
  sender = add_host (0, 0);
  data_arrives (sender);
  run (RTT);
  kill_host (sender);
  bye_arrives (sender);
  run (S);
  fail_unless_equals_int (ends, 1);
}

GST_END_TEST;

/* Older TFRC senders know no challenges. */
GST_START_TEST (a_bye_ends_a_stream_of_two_packets_in_sequence_after_a_second)
{
  Host *sender;

  start (FALSE);
  sender = forge (0, 2);
  run (S);
  bye_arrives (sender);
  run (200 * MS - 1);
  fail_unless_equals_int (ends, 0);
  run (1);
  fail_unless_equals_int (ends, 1);
}

GST_END_TEST;

/* ---- the next stream ------------------------------------------------------- */

static Host *
end_first_stream (void)
{
  Host *sender;

  start (TRUE);
  sender = add_host (0, 20 * MS);
  run (S);
  kill_host (sender);
  bye_arrives (sender);
  run (S);
  fail_unless_equals_int (ends, 1);
  fail_unless (now < end_ns + S);
  return sender;
}

GST_START_TEST (the_first_packet_a_second_after_an_end_is_played_at_once)
{
  Host *next;

  end_first_stream ();
  next = forge (1, 1); /* while the BYE may have to be answered again */
  fail_if (has_peer ());
  run (6 * S);
  data_arrives (next);
  fail_unless (is_provisional_peer (next));
  fail_unless_equals_uint64 (next->first_taken_ns, now);
}

GST_END_TEST;

GST_START_TEST (a_packet_of_the_stream_that_has_ended_is_not_played)
{
  Host *sender = end_first_stream ();
  guint64 taken = sender->taken;

  run (10 * S);
  data_arrives (sender);
  run (10 * S);
  fail_if (has_peer ());
  fail_unless_equals_uint64 (sender->taken, taken);
}

GST_END_TEST;

GST_START_TEST (a_source_goes_on_probing_until_its_sender_responds)
{
  Host *sender;

  start_trusting ("192.0.2.1:5000", FALSE, GST_TFRC_TRUST_FIRST);
  sender = add_host (0, 0);
  sender->unresponsive = TRUE;
  for (guint16 i = 1; i < 10; i += 2) {
    data_arrives_from (&sender->address, 0xbad, i, FALSE);
    follow ();
  }
  fail_unless (gst_tfrc_probes_are_running (gst_tfrc_selection_get_probes (o)));
  sender->unresponsive = FALSE;
  data_arrives (sender);
  run (RTT);
  fail_unless (is_peer (sender));
  fail_if (gst_tfrc_probes_are_running (gst_tfrc_selection_get_probes (o)));
}

GST_END_TEST;

/* Without validation, whoever plays a recorded stream again would be played. */
GST_START_TEST (with_keys_a_sender_has_to_answer_first)
{
  Host *sender;

  start_trusting (NULL, FALSE, GST_TFRC_TRUST_VALIDATED);
  sender = add_host (0, 20 * MS);
  run (RTT - 1);
  fail_if (has_peer ());
  run (1);
  fail_unless (is_peer (sender));
  fail_unless (is_validated ());
}

GST_END_TEST;

/* Error correction has numbers of its own. */
static void
fec_arrives (Host *host)
{
  guint8 data[TFRC_WIRE_HEADER_BYTES + PAYLOAD_BYTES] = { 0 };
  GstTfrcReceivedPacket packet = packet_of (&host->address, data, sizeof data);
  TfrcWireData header = { .payload_type = TFRC_WIRE_FEC_PAYLOAD_TYPE,
    .seq = host->seq++,
    .ssrc = host->ssrc,
    .has_rtt_sendts = TRUE,
    .header_bytes = TFRC_WIRE_HEADER_BYTES,
    .payload_bytes = PAYLOAD_BYTES };

  fail_unless_equals_int (gst_tfrc_selection_on_data (o, &packet, &header), GST_TFRC_VERDICT_PEER);
  follow ();
  serve ();
}

/* A BYE ends a stream that is plausible, and nothing else. */
static void
assert_no_bye_ends_it (const Host *forger)
{
  for (guint i = 0; i < 3; i++) {
    bye_arrives (&hosts[0]);
    run (3 * S);
  }
  fail_unless_equals_int (ends, 0);
  fail_unless (is_provisional_peer (forger));
}

GST_START_TEST (one_packet_is_not_plausible_at_any_time)
{
  const Host *forger;

  start (FALSE);
  forger = forge (0, 1);
  run (5 * S);
  assert_no_bye_ends_it (forger);
}

GST_END_TEST;

GST_START_TEST (error_correction_makes_no_packet_plausible)
{
  Host *forger;

  start (FALSE);
  forger = forge (0, 1);
  for (guint i = 0; i < 4; i++)
    fec_arrives (forger);
  run (5 * S);
  assert_no_bye_ends_it (forger);
}

GST_END_TEST;

GST_START_TEST (a_packet_within_the_first_second_after_an_end_is_not_played_at_once)
{
  for (guint i = 0; i < 2; i++) {
    Host *next;

    end_first_stream ();
    run (end_ns + S - 1 + i - now);
    next = forge (1, 1);
    fail_unless_equals_int (has_peer (), i);
    fail_unless_equals_int (is_provisional_peer (next), i);
  }
}

GST_END_TEST;

/* Its challenges have failed. Whatever else it sends brings no new ones. */
GST_START_TEST (rtcp_without_a_report_of_a_sender_brings_no_challenges)
{
  TfrcWireRtcp rtcp = { 0 };
  Host *forger;

  start (FALSE);
  forger = forge (0, 1);
  run (10 * S);
  rtcp.sender_ssrc = forger->ssrc;
  forger->challenges = 0;
  rtcp_arrives (forger, &rtcp, 500);
  run (S);
  fail_unless_equals_int (forger->challenges, 0);
  rtcp.has_sr = TRUE;
  rtcp_arrives (forger, &rtcp, 500);
  fail_unless_equals_int (forger->challenges, 1);
}

GST_END_TEST;

static Suite *
srcfirst_suite (void)
{
  Suite *suite = suite_create ("srcfirst");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, the_first_packet_is_played_at_once);
  tcase_add_test (tc, a_lost_challenge_to_the_first_sender_is_repeated);
  tcase_add_test (tc, a_first_sender_that_comes_back_after_an_outage_is_challenged_again);
  tcase_add_test (tc, credit_for_a_repeated_challenge_stays);
  tcase_add_test (tc, a_third_packet_brings_credit_beside_that_of_the_challenge);
  tcase_add_test (tc, a_wrong_response_does_not_validate_the_first_sender);
  tcase_add_test (tc, a_first_sender_that_knows_no_challenges_stays);
  tcase_add_test (tc, a_first_sender_that_goes_on_with_plain_rtp_is_plausible);
  tcase_add_test (tc, a_sender_that_answers_takes_over_from_a_forger);
  tcase_add_test (tc, plain_rtp_takes_over_from_a_forger_a_second_after_the_challenge);
  tcase_add_test (tc, plain_rtp_takes_over_from_an_old_forged_packet_with_two_packets_in_sequence);
  tcase_add_test (
      tc, a_sender_that_knows_no_challenges_takes_over_from_a_forged_packet_after_a_second);
  tcase_add_test (tc, a_forger_at_the_senders_address_gives_way);
  tcase_add_test (tc, of_two_forgers_only_the_first_is_played_and_both_give_way);
  tcase_add_test (tc, a_forged_packet_that_nothing_follows_keeps_nobody_out);
  tcase_add_test (tc, a_forger_gets_no_more_packets_and_bytes_than_it_has_sent);
  tcase_add_test (tc, a_forger_within_a_stream_is_not_played);
  tcase_add_test (tc, plain_rtp_of_a_forger_is_not_played_before_the_sender_can_answer);
  tcase_add_test (tc, a_forged_bye_ends_no_stream_in_the_first_second);
  tcase_add_test (tc, a_bye_after_one_forged_packet_ends_nothing_at_any_time);
  tcase_add_test (tc, one_packet_is_not_plausible_at_any_time);
  tcase_add_test (tc, error_correction_makes_no_packet_plausible);
  tcase_add_test (tc, a_bye_ends_the_stream_of_one_packet_whose_sender_has_answered);
  tcase_add_test (tc, a_bye_ends_a_stream_of_two_packets_in_sequence_after_a_second);
  tcase_add_test (tc, the_first_packet_a_second_after_an_end_is_played_at_once);
  tcase_add_test (tc, a_packet_within_the_first_second_after_an_end_is_not_played_at_once);
  tcase_add_test (tc, rtcp_without_a_report_of_a_sender_brings_no_challenges);
  tcase_add_test (tc, a_packet_of_the_stream_that_has_ended_is_not_played);
  tcase_add_test (tc, a_source_goes_on_probing_until_its_sender_responds);
  tcase_add_test (tc, with_keys_a_sender_has_to_answer_first);
  return suite;
}

GST_CHECK_MAIN (srcfirst);
