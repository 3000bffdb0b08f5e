/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random numbers of the system, see gst/common/random.h. The test puts its own function in place of
 * the system call, so that the call can fail. */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "gst/stream/sinkstream.h"
#include "gst/stream/srcstream.h"

#include "gst/common/random.h"
#include "testnet.h"

static gint fail_with;               /* the error of the calls; 0: no error */
static guint interrupted;            /* this number of calls fails with EINTR first */
static gsize most_bytes = G_MAXSIZE; /* the most bytes that one call returns */
static guint calls;

/* The linker's --wrap puts this function in place of getrandom(). */
gssize __wrap_getrandom (gpointer bytes, gsize size, guint flags);
gssize __real_getrandom (gpointer bytes, gsize size, guint flags);

gssize
__wrap_getrandom (gpointer bytes, gsize size, guint flags)
{
  calls++;
  if (interrupted > 0) {
    interrupted--;
    errno = EINTR;
    return -1;
  }
  if (fail_with != 0) {
    errno = fail_with;
    return -1;
  }
  return __real_getrandom (bytes, MIN (size, most_bytes), flags);
}

static void
setup (void)
{
  fail_with = 0;
  interrupted = 0;
  most_bytes = G_MAXSIZE;
  calls = 0;
}

GST_START_TEST (every_byte_is_filled)
{
  guint8 bytes[40], before = 0x55, any[32] = { 0 };

  /* A byte that stays 0 in 256 draws counts as not filled. The test fails by chance once in 2^256
   * runs. */
  memset (bytes, before, sizeof bytes);
  for (guint i = 0; i < 256; i++) {
    fail_unless (gst_tfrc_random_fill (bytes + 4, 32));
    for (guint j = 0; j < 32; j++)
      any[j] |= bytes[4 + j] ^ before;
  }
  for (guint j = 0; j < 32; j++)
    fail_if (any[j] == 0);
  for (guint j = 0; j < 4; j++)
    fail_unless (bytes[j] == before && bytes[36 + j] == before);
}

GST_END_TEST;

GST_START_TEST (interrupted_and_short_reads_go_on)
{
  guint8 bytes[10];

  interrupted = 3;
  most_bytes = 4;
  fail_unless (gst_tfrc_random_fill (bytes, sizeof bytes));
  fail_unless_equals_int (calls, 3 + 3);
}

GST_END_TEST;

GST_START_TEST (a_cname_has_96_bits)
{
  gchar a[GST_TFRC_RANDOM_CNAME_BYTES], b[GST_TFRC_RANDOM_CNAME_BYTES];
  guchar *bytes;
  gsize size;

  fail_unless (gst_tfrc_random_cname (a));
  fail_unless (gst_tfrc_random_cname (b));
  fail_unless_equals_int (strlen (a), 16);
  fail_if (g_str_equal (a, b));
  bytes = g_base64_decode (a, &size);
  fail_unless_equals_int (size, 12);
  g_free (bytes);
}

GST_END_TEST;

GST_START_TEST (without_random_numbers_no_value_is_returned)
{
  gchar cname[GST_TFRC_RANDOM_CNAME_BYTES];
  GError *error = NULL;
  guint8 bytes[4];

  fail_unless (gst_tfrc_random_is_available (&error));
  fail_unless (error == NULL);
  fail_with = ENOSYS;
  fail_if (gst_tfrc_random_fill (bytes, sizeof bytes));
  fail_unless_equals_int (errno, ENOSYS);
  fail_if (gst_tfrc_random_cname (cname));
  fail_if (gst_tfrc_random_is_available (&error));
  fail_unless (error != NULL && error->domain == G_IO_ERROR);
  fail_unless (strstr (error->message, "random") != NULL);
  g_clear_error (&error);
}

GST_END_TEST;

GST_START_TEST (no_stream_starts_without_random_numbers)
{
  GstTfrcSinkStreamConfig sink = { .socket = GST_TFRC_SOCKET_CONFIG_INIT };
  GstTfrcSrcStreamConfig src = { .socket = GST_TFRC_SOCKET_CONFIG_INIT };
  GError *error = NULL;

  sink.flow.session.peer = test_address ("127.0.0.1", 5004);
  sink.socket.bind_address = src.socket.bind_address = "127.0.0.1";
  fail_with = ENOSYS;
  fail_unless (gst_tfrc_sink_stream_new (&sink, NULL, NULL, &error) == NULL);
  fail_unless (error && strstr (error->message, "random") != NULL);
  g_clear_error (&error);
  fail_unless (gst_tfrc_src_stream_new (&src, NULL, NULL, &error) == NULL);
  fail_unless (error && strstr (error->message, "random") != NULL);
  g_clear_error (&error);
}

GST_END_TEST;

static Suite *
random_suite (void)
{
  Suite *s = suite_create ("random");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, every_byte_is_filled);
  tcase_add_test (tc, interrupted_and_short_reads_go_on);
  tcase_add_test (tc, a_cname_has_96_bits);
  tcase_add_test (tc, without_random_numbers_no_value_is_returned);
  tcase_add_test (tc, no_stream_starts_without_random_numbers);
  return s;
}

GST_CHECK_MAIN (random);
