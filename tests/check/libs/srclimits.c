/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Effects of foreign packets on a source: traffic to third hosts, and places that are taken. And
 * the property `sender-address', which limits the accepted senders. */
#include "selectiontest.h"

/* ---- traffic that others cause ----------------------------------------------- */

GST_START_TEST (a_host_that_does_not_answer_is_sent_no_more_than_came_from_it)
{
  Host *victim;

  start (TRUE);
  victim = add_host (0, 0);
  victim->unresponsive = TRUE;
  report_arrives (victim);
  run (60 * S);
  fail_unless_equals_int (victim->challenges, 1);
  data_arrives (victim);
  run (60 * S);
  fail_unless_equals_int (victim->challenges, 2);
  /* the victim becomes a peer without validation; reports and many new SSRCs come in its name */
  victim->interval_ns = 300 * MS;
  victim->data_ns = victim->report_ns = now;
  run (10 * S);
  fail_unless (is_peer (victim));
  for (guint i = 0; i < 1000; i++) {
    victim->packets_from++;
    data_arrives_from (&victim->address, i, 0, FALSE);
    serve ();
    run (10 * MS);
  }
  fail_unless (victim->challenges <= victim->packets_from);
  fail_unless (victim->challenges * TFRC_WIRE_MIN_PATH_BYTES <= victim->bytes_from);
}

GST_END_TEST;

GST_START_TEST (one_host_is_challenged_twenty_times_a_second)
{
  Host *victim;

  start (TRUE);
  victim = add_host (0, 0);
  for (guint i = 0; i < 10000; i++) {
    victim->ssrc = i;
    victim->unresponsive = TRUE;
    data_arrives (victim);
    run (MS);
  }
  fail_unless (victim->challenges > 200 && victim->challenges <= 220);
}

GST_END_TEST;

/* Returns an address of a different host each time. */
static GstTfrcAddress
other_address (guint i)
{
  GstTfrcAddress address = address_of ("10.0.0.0", 5004);

  address.u.v4.sin_addr.s_addr = htonl (0x0a000000 + i);
  return address;
}

GST_START_TEST (all_hosts_are_challenged_five_hundred_times_a_second)
{
  start_trusting (NULL, TRUE, GST_TFRC_TRUST_PLAUSIBLE);
  for (guint i = 0; i < 40000; i++) {
    GstTfrcAddress forged = other_address (i);

    data_arrives_from (&forged, i, 0, FALSE);
    serve ();
    run (MS / 4);
  }
  fail_unless (elsewhere > 4900 && elsewhere <= 5100);
  fail_unless_equals_int (peers, 0);
}

GST_END_TEST;

/* The sender's place is gone when the sender answers, but the response counts. */
GST_START_TEST (a_flood_of_forged_packets_keeps_no_sender_out)
{
  Host *sender;
  guint i = 0;

  start (TRUE);
  sender = add_host (0, 100 * MS);
  for (; i < 1000 && !is_peer (sender); i++) {
    GstTfrcAddress forged = other_address (i);

    data_arrives_from (&forged, i, 0, FALSE);
    serve ();
    run (4 * MS);
  }
  fail_unless (is_peer (sender));
  fail_unless_equals_uint64 (now, begin + 100 * MS);
  for (; i < 10000; i++) {
    GstTfrcAddress forged = other_address (i);

    data_arrives_from (&forged, i, 0, FALSE);
    serve ();
    run (MS);
  }
  fail_unless (is_peer (sender));
  /* only the first packet is missing: its place was taken */
  fail_unless_equals_uint64 (sender->taken, sender->sent - 1);
}

GST_END_TEST;

/* Forged packets have the sender's address and SSRCs that do not exist. The sender's answers count,
 * no matter which stream was asked. */
GST_START_TEST (packets_in_the_name_of_the_sender_do_not_keep_the_sender_out)
{
  Host *sender;

  start_trusting (NULL, TRUE, GST_TFRC_TRUST_PLAUSIBLE);
  sender = add_host (0, S);
  sender->data_ns = now + S + 3 * MS;
  for (guint i = 0; i < 2000; i++) {
    data_arrives_from (&sender->address, 0x77000000 + i, 0, FALSE);
    serve ();
    run (5 * MS);
  }
  fail_unless (is_peer (sender));
  fail_unless_equals_int (peers, 1);
  fail_unless (sender->first_taken_ns <= begin + 2 * S + 3 * MS);
  fail_unless (sender->challenges <= 20 + 10 * 20);
}

GST_END_TEST;

GST_START_TEST (a_validated_pending_sender_does_not_give_way_to_others)
{
  Host *peer, *rival;

  start (TRUE);
  peer = add_host (0, 20 * MS);
  run (S);
  rival = add_host (1, 500 * MS);
  run (RTT);
  for (guint16 i = 0; i < 100; i++) {
    GstTfrcAddress forged = other_address (i);

    data_arrives_from (&forged, i, 0, FALSE);
    serve ();
  }
  kill_host (peer);
  run (3 * S);
  fail_unless (is_peer (rival));
  fail_unless_equals_uint64 (rival->taken, rival->sent);
}

GST_END_TEST;

GST_START_TEST (answers_to_a_peer_without_validation_are_no_more_than_came)
{
  Host *sender;

  start (TRUE);
  sender = add_host (0, 0);
  sender->plain = sender->unresponsive = TRUE;
  data_arrives (sender);
  data_arrives (sender);
  fail_unless (is_peer (sender));
  /* two packets of 1340 bytes: two answers */
  fail_unless (gst_tfrc_selection_may_send (o, 60));
  fail_unless (gst_tfrc_selection_may_send (o, 60));
  fail_if (gst_tfrc_selection_may_send (o, 60));
  /* 28 bytes do not allow an answer of 60 ... */
  report_arrives (sender);
  fail_unless (gst_tfrc_selection_may_send (o, 2560));
  fail_if (gst_tfrc_selection_may_send (o, 1));
  report_arrives (sender);
  fail_if (gst_tfrc_selection_may_send (o, 60));
  /* ... but three times 28 bytes do */
  report_arrives (sender);
  report_arrives (sender);
  fail_unless (gst_tfrc_selection_may_send (o, 60));
}

GST_END_TEST;

/* Takes all answers that may be sent to the peer now. Returns their number. */
static guint
take_answers (void)
{
  guint answers = 0;

  while (gst_tfrc_selection_may_send (o, 60))
    answers++;
  return answers;
}

GST_START_TEST (challenges_to_a_peer_without_validation_count_as_well)
{
  Host *sender;
  guint answers = 0;

  start (TRUE);
  sender = add_host (0, 300 * MS);
  sender->unresponsive = TRUE;
  for (guint i = 0; i < 100; i++) {
    run (100 * MS);
    if (is_peer (sender)) {
      bye_arrives (sender);
      answers += take_answers ();
    }
    fail_unless (sender->challenges + answers <= sender->packets_from);
    fail_unless (
        sender->challenges * TFRC_WIRE_MIN_PATH_BYTES + answers * 60 <= sender->bytes_from);
  }
  fail_unless (answers > 0);
}

GST_END_TEST;

/* ---- sender-address ----------------------------------------------------------- */

static gboolean
allows (const gchar *text, const gchar *host, guint16 port)
{
  GstTfrcAddress address = address_of (host, port);
  GstTfrcAddressFilter filter;
  GError *error = NULL;

  fail_unless (
      gst_tfrc_address_filter_parse (&filter, text, &error), "%s", error ? error->message : "");
  return gst_tfrc_address_filter_allows (&filter, &address);
}

GST_START_TEST (a_host_a_prefix_or_an_address_with_port_is_allowed)
{
  fail_unless (allows (NULL, "192.0.2.1", 1));
  fail_unless (allows ("", "2001:db8::1", 1));
  fail_unless (allows ("192.0.2.1", "192.0.2.1", 1));
  fail_if (allows ("192.0.2.1", "192.0.2.2", 1));
  fail_if (allows ("192.0.2.1", "2001:db8::1", 1));
  fail_unless (allows ("192.0.2.1:7", "192.0.2.1", 7));
  fail_if (allows ("192.0.2.1:7", "192.0.2.1", 8));
  fail_unless (allows ("192.0.2.0/24", "192.0.2.255", 1));
  fail_if (allows ("192.0.2.0/24", "192.0.3.0", 1));
  fail_unless (allows ("192.0.2.128/25", "192.0.2.129", 1));
  fail_if (allows ("192.0.2.128/25", "192.0.2.127", 1));
  fail_unless (allows ("0.0.0.0/0", "192.0.2.127", 1));
  fail_if (allows ("0.0.0.0/0", "2001:db8::1", 1));
  fail_unless (allows ("2001:db8::1", "2001:db8::1", 1));
  fail_unless (allows ("[2001:db8::1]", "2001:db8::1", 1));
  fail_unless (allows ("[2001:db8::1]:7", "2001:db8::1", 7));
  fail_if (allows ("[2001:db8::1]:7", "2001:db8::1", 8));
  fail_unless (allows ("2001:db8::/32", "2001:db8:ffff::1", 1));
  fail_if (allows ("2001:db8::/32", "2001:db9::1", 1));
  fail_unless (allows ("2001:db8::/127", "2001:db8::1", 1));
  fail_if (allows ("2001:db8::/127", "2001:db8::2", 1));
}

GST_END_TEST;

GST_START_TEST (a_link_local_address_belongs_to_its_interface)
{
  fail_unless (allows ("fe80::1%1", "fe80::1%1", 1));
  fail_if (allows ("fe80::1%1", "fe80::1%2", 1));
  fail_if (allows ("[fe80::1%1]:7", "fe80::1%2", 7));
  fail_unless (allows ("fe80::1", "fe80::1%2", 1));
  fail_unless (allows ("fe80::/64", "fe80::1%2", 1));
}

GST_END_TEST;

GST_START_TEST (other_text_is_an_error_that_names_the_text)
{
  const gchar *texts[] = { "192.0.2.1:", "192.0.2.1:0", "192.0.2.1:65536", "192.0.2.1:x", ":5004",
    "192.0.2.0/33", "192.0.2.0/-1", "192.0.2.0/", "192.0.2.0/8x", "/8", "2001:db8::/129",
    "localhost/8", "[2001:db8::1", "[2001:db8::1]5004", "[2001:db8::1]:", "[]:5004", "300.0.2.1/8",
    "224.0.0.1:5004", "0.0.0.0:5004", "255.255.255.255:5004" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    GstTfrcAddressFilter filter;
    GError *error = NULL;

    fail_if (gst_tfrc_address_filter_parse (&filter, texts[i], &error), "%s", texts[i]);
    fail_unless (error && strstr (error->message, texts[i]), "%s", error ? error->message : "");
    g_clear_error (&error);
  }
}

GST_END_TEST;

GST_START_TEST (packets_of_others_are_foreign_and_never_answered)
{
  Host *sender, *other;

  start_with ("192.0.2.1/32", TRUE);
  other = add_host (1, 20 * MS);
  other->address = address_of ("192.0.2.2", 5004);
  fail_unless_equals_int (data_arrives (other), GST_TFRC_VERDICT_FOREIGN);
  fail_unless_equals_int (report_arrives (other), GST_TFRC_VERDICT_FOREIGN);
  run (10 * S);
  fail_unless_equals_int (other->challenges, 0);
  fail_if (has_peer ());
  sender = add_host (0, 20 * MS);
  run (RTT);
  fail_unless (is_peer (sender));
}

GST_END_TEST;

/* ---- probe ---------------------------------------------------------------------- */

GST_START_TEST (probes_leave_until_the_sender_is_the_peer)
{
  const guint64 at_ms[] = { 0, 250, 750, 1750, 3750, 5750, 7750, 9750 };
  Host *sender;

  start_with ("192.0.2.1:5000", TRUE);
  sender = add_host (0, 0);
  sender->unresponsive = TRUE;
  run (10 * S);
  fail_unless_equals_int (sender->challenges, G_N_ELEMENTS (at_ms));
  for (guint i = 0; i < G_N_ELEMENTS (at_ms); i++)
    fail_unless_equals_uint64 (sender->challenge_ns[i], begin + at_ms[i] * MS);
  sender->unresponsive = FALSE;
  run (2 * S);
  fail_unless_equals_int (sender->challenges, G_N_ELEMENTS (at_ms) + 1);
  fail_if (has_peer ()); /* the peer does not exist, as there is no data */
  fail_unless_equals_int (data_arrives (sender), GST_TFRC_VERDICT_HANDLED);
  fail_unless (is_peer (sender));
  run (S);
  fail_unless_equals_int (sender->challenges, G_N_ELEMENTS (at_ms) + 1);
}

GST_END_TEST;

GST_START_TEST (probes_leave_again_when_the_sender_is_lost_or_has_ended)
{
  Host *sender;
  guint before;
  guint64 last_ns;

  start_with ("192.0.2.1:5000", TRUE);
  sender = add_host (0, 20 * MS);
  run (S);
  fail_unless (is_peer (sender));
  before = sender->challenges;
  last_ns = sender->last_taken_ns;
  kill_host (sender);
  run (7 * S);
  fail_unless_equals_int (sender->challenges, before + 4);
  fail_unless_equals_uint64 (sender->challenge_ns[before], last_ns + 5 * S);
  /* its data is taken again without a challenge */
  fail_unless_equals_int (data_arrives (sender), GST_TFRC_VERDICT_PEER);
  run (4 * S);
  fail_unless_equals_int (sender->challenges, before + 4);

  before = sender->challenges;
  bye_arrives (sender);
  run (100 * MS);
  fail_unless_equals_int (ends, 1);
  fail_unless_equals_int (sender->challenges, before + 2 + 1);
}

GST_END_TEST;

static Suite *
srclimits_suite (void)
{
  Suite *s = suite_create ("srclimits");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, a_host_that_does_not_answer_is_sent_no_more_than_came_from_it);
  tcase_add_test (tc, one_host_is_challenged_twenty_times_a_second);
  tcase_add_test (tc, all_hosts_are_challenged_five_hundred_times_a_second);
  tcase_add_test (tc, a_flood_of_forged_packets_keeps_no_sender_out);
  tcase_add_test (tc, packets_in_the_name_of_the_sender_do_not_keep_the_sender_out);
  tcase_add_test (tc, a_validated_pending_sender_does_not_give_way_to_others);
  tcase_add_test (tc, answers_to_a_peer_without_validation_are_no_more_than_came);
  tcase_add_test (tc, challenges_to_a_peer_without_validation_count_as_well);
  tcase_add_test (tc, a_host_a_prefix_or_an_address_with_port_is_allowed);
  tcase_add_test (tc, a_link_local_address_belongs_to_its_interface);
  tcase_add_test (tc, other_text_is_an_error_that_names_the_text);
  tcase_add_test (tc, packets_of_others_are_foreign_and_never_answered);
  tcase_add_test (tc, probes_leave_until_the_sender_is_the_peer);
  tcase_add_test (tc, probes_leave_again_when_the_sender_is_lost_or_has_ended);
  return s;
}

GST_CHECK_MAIN (srclimits);
