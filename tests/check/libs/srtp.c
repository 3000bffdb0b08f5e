/* SRTP and SRTCP of a stream: what is protected comes out again, and nothing else does, see
 * gst/security/srtp.h. */
#include "srtptest.h"

GST_START_TEST (test_data_and_reports_go_both_ways_with_each_cipher)
{
  gsize tag_bytes = gst_tfrc_cipher_get_sizes (__i__)->tag_bytes;
  Packet plain = make_report (SSRC, 7), plain_back = make_report (OTHER_SSRC, 7), packet;

  start (__i__);
  for (guint16 seq = 100; seq < 120; seq++) {
    packet = sealed_data (seq);
    fail_unless_equals_int (packet.size, DATA_BYTES + tag_bytes);
    fail_if (
        memmem (packet.words, packet.size, (guint8 *) make_data (seq).words + HEADER_BYTES, 16));
    expect_data (packet, seq);

    packet = sealed_report (sender, SSRC);
    fail_unless_equals_int (packet.size, REPORT_BYTES + tag_bytes + 4);
    fail_unless_equals_int (
        gst_tfrc_srtp_unprotect (receiver, TRUE, bytes_of (&packet), &packet.size, NOW),
        GST_TFRC_UNPROTECTED_OK);
    fail_unless (is_same (&packet, &plain));

    packet = sealed_report (receiver, OTHER_SSRC);
    fail_unless_equals_int (packet.size, REPORT_BYTES + tag_bytes + 4);
    fail_unless_equals_int (
        gst_tfrc_srtp_unprotect (sender, TRUE, bytes_of (&packet), &packet.size, NOW),
        GST_TFRC_UNPROTECTED_OK);
    fail_unless (is_same (&packet, &plain_back));
  }
}
GST_END_TEST;

static Suite *
srtp_suite (void)
{
  Suite *suite = suite_create ("srtp");

  tcase_add_loop_test (add_case (suite, "both ways"),
      test_data_and_reports_go_both_ways_with_each_cipher, 0, N_CIPHERS);
  return suite;
}

GST_CHECK_MAIN (srtp);
