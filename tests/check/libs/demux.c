/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The demultiplexer, see gst/io/demux.h. */
#include "gst/io/demux.h"
#include "testnet.h"

static GstTfrcDemux demux;
static gint sessions[1000]; /* the test uses only the addresses of these variables */

static void
setup (void)
{
  gst_tfrc_demux_init (&demux);
}

static void
teardown (void)
{
  gst_tfrc_demux_clear (&demux);
}

static void
add (const gchar *host, guint16 port, guint32 ssrc, gpointer session)
{
  GstTfrcAddress address = test_address (host, port);

  gst_tfrc_demux_add (&demux, &address, ssrc, session);
}

static gpointer
find (const gchar *host, guint16 port, guint32 ssrc)
{
  GstTfrcAddress address = test_address (host, port);

  return gst_tfrc_demux_find (&demux, &address, ssrc);
}

GST_START_TEST (address_port_and_ssrc_identify_the_session)
{
  add ("192.0.2.1", 5004, 1, &sessions[0]);
  add ("192.0.2.1", 5004, 2, &sessions[1]);
  add ("192.0.2.1", 5006, 1, &sessions[2]);
  add ("192.0.2.2", 5004, 1, &sessions[3]);
  add ("2001:db8::1", 5004, 1, &sessions[4]);
  fail_unless_equals_int (gst_tfrc_demux_size (&demux), 5);
  fail_unless (find ("192.0.2.1", 5004, 1) == &sessions[0]);
  fail_unless (find ("192.0.2.1", 5004, 2) == &sessions[1]);
  fail_unless (find ("192.0.2.1", 5006, 1) == &sessions[2]);
  fail_unless (find ("192.0.2.2", 5004, 1) == &sessions[3]);
  fail_unless (find ("2001:db8::1", 5004, 1) == &sessions[4]);
}

GST_END_TEST;

GST_START_TEST (a_packet_of_no_session_finds_none)
{
  fail_unless (find ("192.0.2.1", 5004, 1) == NULL);
  add ("192.0.2.1", 5004, 1, &sessions[0]);
  fail_unless (find ("192.0.2.1", 5004, 2) == NULL);
  fail_unless (find ("192.0.2.1", 5005, 1) == NULL);
  fail_unless (find ("192.0.2.3", 5004, 1) == NULL);
  fail_unless (find ("2001:db8::1", 5004, 1) == NULL);
}

GST_END_TEST;

GST_START_TEST (a_session_that_was_removed_gets_nothing)
{
  GstTfrcAddress address = test_address ("192.0.2.1", 5004);

  add ("192.0.2.1", 5004, 1, &sessions[0]);
  add ("192.0.2.1", 5004, 2, &sessions[1]);
  gst_tfrc_demux_remove (&demux, &address, 1);
  gst_tfrc_demux_remove (&demux, &address, 3);
  fail_unless (find ("192.0.2.1", 5004, 1) == NULL);
  fail_unless (find ("192.0.2.1", 5004, 2) == &sessions[1]);
}

GST_END_TEST;

GST_START_TEST (a_session_replaces_the_one_before)
{
  add ("192.0.2.1", 5004, 1, &sessions[0]);
  add ("192.0.2.1", 5004, 1, &sessions[1]);
  fail_unless_equals_int (gst_tfrc_demux_size (&demux), 1);
  fail_unless (find ("192.0.2.1", 5004, 1) == &sessions[1]);
}

GST_END_TEST;

/* The scope counts for link-local addresses only. */
GST_START_TEST (equal_addresses_find_the_same_session)
{
  GstTfrcAddress global = test_address ("2001:db8::1", 5004);
  GstTfrcAddress local = test_address ("fe80::1", 5004);

  gst_tfrc_demux_add (&demux, &global, 1, &sessions[0]);
  gst_tfrc_demux_add (&demux, &local, 1, &sessions[1]);
  global.u.v6.sin6_scope_id = local.u.v6.sin6_scope_id = 7;
  fail_unless (gst_tfrc_demux_find (&demux, &global, 1) == &sessions[0]);
  fail_unless (gst_tfrc_demux_find (&demux, &local, 1) == NULL);
}

GST_END_TEST;

GST_START_TEST (a_thousand_sessions_are_distinguished)
{
  GstTfrcAddress address = test_address ("192.0.2.1", 0);

  for (guint i = 0; i < G_N_ELEMENTS (sessions); i++) {
    address.u.v4.sin_port = g_htons (5000 + i / 10);
    gst_tfrc_demux_add (&demux, &address, i % 10, &sessions[i]);
  }
  fail_unless_equals_int (gst_tfrc_demux_size (&demux), G_N_ELEMENTS (sessions));
  for (guint i = 0; i < G_N_ELEMENTS (sessions); i++) {
    address.u.v4.sin_port = g_htons (5000 + i / 10);
    fail_unless (gst_tfrc_demux_find (&demux, &address, i % 10) == &sessions[i]);
  }
}

GST_END_TEST;

GST_START_TEST (a_packet_belongs_by_its_ssrc_or_else_to_the_first_session_at_its_address)
{
  const GstTfrcAddress here = test_address ("192.0.2.1", 5004),
                       elsewhere = test_address ("192.0.2.2", 5004);
  guint8 rtp[12] = { 0x80, 33, [11] = 2 }, rtcp[8] = { 0x81, 200, [7] = 2 }, other[1] = { 0 };

  fail_unless (gst_tfrc_demux_find_packet (&demux, &here, rtp, sizeof rtp) == NULL);
  add ("192.0.2.1", 5004, 1, &sessions[0]);
  add ("192.0.2.1", 5004, 2, &sessions[1]);
  fail_unless (gst_tfrc_demux_find_packet (&demux, &here, rtp, sizeof rtp) == &sessions[1]);
  fail_unless (gst_tfrc_demux_find_packet (&demux, &here, rtcp, sizeof rtcp) == &sessions[1]);
  fail_unless (gst_tfrc_demux_find_packet (&demux, &here, other, sizeof other) == &sessions[0]);
  fail_unless (gst_tfrc_demux_find_packet (&demux, &here, NULL, 0) == &sessions[0]);
  fail_unless (gst_tfrc_demux_find_packet (&demux, &elsewhere, rtp, sizeof rtp) == NULL);
  gst_tfrc_demux_remove (&demux, &here, 1);
  fail_unless (gst_tfrc_demux_find_packet (&demux, &here, other, sizeof other) == &sessions[1]);
}

GST_END_TEST;

static Suite *
demux_suite (void)
{
  Suite *s = suite_create ("demux");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, address_port_and_ssrc_identify_the_session);
  tcase_add_test (tc, a_packet_of_no_session_finds_none);
  tcase_add_test (tc, a_session_that_was_removed_gets_nothing);
  tcase_add_test (tc, a_session_replaces_the_one_before);
  tcase_add_test (tc, equal_addresses_find_the_same_session);
  tcase_add_test (tc, a_thousand_sessions_are_distinguished);
  tcase_add_test (tc, a_packet_belongs_by_its_ssrc_or_else_to_the_first_session_at_its_address);
  return s;
}

GST_CHECK_MAIN (demux);
