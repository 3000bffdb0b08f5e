/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Structs of the public interface that grow. A program may be compiled with a shorter or a longer
 * struct than that of the library. The memory of the program's struct ends at its size, so that
 * valgrind and ASan see any access behind it. A guard of known bytes follows in any case. */
#include <gst/check/gstcheck.h>
#include <string.h>
#include <tfrc/ecn.h>
#include <tfrc/path.h>
#include <tfrc/struct_size.h>
#include <tfrc/tfrc.h>
#include <tfrc/wire.h>

#define GUARD 0xa5
#define GUARD_BYTES 64

/* Calls one public function with the struct @given. Returns the function's result. */
typedef TfrcResult (*Call) (void *given, gsize size);

static TfrcSender *sender;
static TfrcReceiver *receiver;
static TfrcPath *path;
static guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];

static TfrcResult
init_sender_config (void *given, gsize size)
{
  return tfrc_sender_config_init_sized (given, size);
}

static TfrcResult
init_receiver_config (void *given, gsize size)
{
  return tfrc_receiver_config_init_sized (given, size);
}

static TfrcResult
get_sender_stats (void *given, gsize size)
{
  return tfrc_sender_get_stats_sized (sender, given, size);
}

static TfrcResult
get_receiver_stats (void *given, gsize size)
{
  return tfrc_receiver_get_stats_sized (receiver, given, size);
}

static TfrcResult
get_loss_statistics (void *given, gsize size)
{
  return tfrc_receiver_get_loss_statistics_sized (receiver, given, size);
}

static TfrcResult
get_ecn_stats (void *given, gsize size)
{
  return tfrc_ecn_get_stats_sized (NULL, given, size);
}

static TfrcResult
parse_rtcp (void *given, gsize size)
{
  const guint8 empty_rr[] = { 0x80, 201, 0, 1, 0, 0, 0, 1 };
  TfrcWireResult result = tfrc_wire_parse_rtcp_sized (empty_rr, sizeof empty_rr, 0, given, size);

  return result == TFRC_WIRE_ERROR_ARGUMENT ? TFRC_ERROR_SIZE : TFRC_OK;
}

static TfrcResult
new_sender (void *given, gsize size)
{
  TfrcSender *other;
  TfrcResult result = tfrc_sender_new_sized (&other, given, size);

  fail_unless ((other != NULL) == (result == TFRC_OK));
  tfrc_sender_free (other);
  return result;
}

static TfrcResult
new_receiver (void *given, gsize size)
{
  TfrcReceiver *other;
  TfrcResult result = tfrc_receiver_new_sized (&other, given, size);

  fail_unless ((other != NULL) == (result == TFRC_OK));
  tfrc_receiver_free (other);
  return result;
}

/* The problem of these configurations can only be their size. */
static TfrcResult
find_sender_problem (void *given, gsize size)
{
  return tfrc_sender_config_problem_sized (given, size) == NULL ? TFRC_OK : TFRC_ERROR_SIZE;
}

static TfrcResult
find_receiver_problem (void *given, gsize size)
{
  return tfrc_receiver_config_problem_sized (given, size) == NULL ? TFRC_OK : TFRC_ERROR_SIZE;
}

static TfrcResult
start_handover (void *given, gsize size)
{
  return tfrc_receiver_start_handover_sized (receiver, given, size, GST_SECOND);
}

static TfrcResult
start_path (void *given, gsize size)
{
  return tfrc_path_start_sized (path, given, size, GST_SECOND);
}

static TfrcResult
write_sender_report (void *given, gsize size)
{
  return tfrc_wire_write_sender_report_sized (buffer, given, size, "a") > 0 ? TFRC_OK
                                                                            : TFRC_ERROR_SIZE;
}

static TfrcResult
write_receiver_report (void *given, gsize size)
{
  return tfrc_wire_write_receiver_report_sized (buffer, given, size, "a") > 0 ? TFRC_OK
                                                                              : TFRC_ERROR_SIZE;
}

typedef struct
{
  Call call;
  gsize first_size, size; /* sizes of the first version and of this version */
  gsize end;              /* of the last field of this version */
} Struct;

#define STRUCT(call, NAME, type) \
  { \
    call, TFRC_##NAME##_FIRST_SIZE, sizeof (type), TFRC_##NAME##_FIRST_SIZE \
  }

/* A struct that has grown: `last' is the last field of this version. */
#define GROWN_STRUCT(call, NAME, type, last) \
  { \
    call, TFRC_##NAME##_FIRST_SIZE, sizeof (type), TFRC_FIRST_SIZE (type, last) \
  }

/* Structs that the library fills in */
static const Struct outputs[] = {
  GROWN_STRUCT (init_sender_config, SENDER_CONFIG, TfrcSenderConfig, link_error_gain),
  GROWN_STRUCT (init_receiver_config, RECEIVER_CONFIG, TfrcReceiverConfig, reorder_window_ns),
  GROWN_STRUCT (get_sender_stats, SENDER_STATS, TfrcSenderStats, rtt_max_ns),
  GROWN_STRUCT (get_receiver_stats, RECEIVER_STATS, TfrcReceiverStats, reorder_window_ns),
  STRUCT (get_loss_statistics, LOSS_STATISTICS, TfrcLossStatistics),
  GROWN_STRUCT (parse_rtcp, WIRE_RTCP, TfrcWireRtcp, plis),
  STRUCT (get_ecn_stats, ECN_STATS, TfrcEcnStats),
};

/* Structs that the library reads */
static const Struct inputs[] = {
  GROWN_STRUCT (new_sender, SENDER_CONFIG, TfrcSenderConfig, link_error_gain),
  GROWN_STRUCT (new_receiver, RECEIVER_CONFIG, TfrcReceiverConfig, reorder_window_ns),
  GROWN_STRUCT (find_sender_problem, SENDER_CONFIG, TfrcSenderConfig, link_error_gain),
  GROWN_STRUCT (find_receiver_problem, RECEIVER_CONFIG, TfrcReceiverConfig, reorder_window_ns),
  STRUCT (start_handover, HANDOVER, TfrcHandover),
  STRUCT (start_path, PATH_CONFIG, TfrcPathConfig),
  GROWN_STRUCT (write_sender_report, WIRE_RTCP, TfrcWireRtcp, plis),
  GROWN_STRUCT (write_receiver_report, WIRE_RTCP, TfrcWireRtcp, plis),
};

static void
setup (void)
{
  fail_unless_equals_int (tfrc_sender_new (&sender, NULL), TFRC_OK);
  fail_unless_equals_int (tfrc_receiver_new (&receiver, NULL), TFRC_OK);
  fail_unless_equals_int (tfrc_path_new (&path), TFRC_OK);
}

static void
teardown (void)
{
  tfrc_sender_free (sender);
  tfrc_receiver_free (receiver);
  tfrc_path_free (path);
}

/* Returns a struct that the library accepts, in memory of exactly this size; the rest is zero. */
static guint8 *
make_input (const Struct *s, gsize size)
{
  union
  {
    TfrcSenderConfig sender;
    TfrcReceiverConfig receiver;
    TfrcPathConfig path;
    guint8 bytes[TFRC_MAX_STRUCT_BYTES + 1];
  } input;

  memset (&input, 0, sizeof input);
  if (s->call == new_sender || s->call == find_sender_problem)
    tfrc_sender_config_init (&input.sender);
  if (s->call == new_receiver || s->call == find_receiver_problem)
    tfrc_receiver_config_init (&input.receiver);
  if (s->call == start_path)
    input.path.full_bytes = TFRC_WIRE_MIN_PATH_BYTES;
  return g_memdup2 (input.bytes, size);
}

/* A field that is added in padding would be read from an older program's padding. */
GST_START_TEST (test_structs_have_no_padding_at_the_end)
{
  const Struct *all[] = { outputs, inputs };
  const gsize numbers[] = { G_N_ELEMENTS (outputs), G_N_ELEMENTS (inputs) };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++) {
    for (gsize k = 0; k < numbers[i]; k++) {
      fail_unless_equals_uint64 (all[i][k].end, all[i][k].size);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_outputs_end_with_the_callers_size)
{
  for (guint i = 0; i < G_N_ELEMENTS (outputs); i++) {
    const Struct *s = &outputs[i];
    const gsize sizes[] = { s->first_size, s->size, s->size + 8, s->size + 100 };

    for (guint k = 0; k < G_N_ELEMENTS (sizes); k++) {
      guint8 *given = g_malloc (sizes[k] + GUARD_BYTES);

      memset (given, GUARD, sizes[k] + GUARD_BYTES);
      fail_unless_equals_int (s->call (given, sizes[k]), TFRC_OK);
      for (gsize at = s->size; at < sizes[k]; at++)
        fail_unless_equals_int (given[at], 0);
      for (gsize at = sizes[k]; at < sizes[k] + GUARD_BYTES; at++)
        fail_unless_equals_int (given[at], GUARD);
      g_free (given);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_outputs_of_a_size_that_no_version_has_are_left_alone)
{
  for (guint i = 0; i < G_N_ELEMENTS (outputs); i++) {
    const Struct *s = &outputs[i];
    const gsize sizes[] = { 0, 1, s->first_size - 1, TFRC_MAX_STRUCT_BYTES + 1, G_MAXSIZE };

    for (guint k = 0; k < G_N_ELEMENTS (sizes); k++) {
      guint8 given[1024];

      memset (given, GUARD, sizeof given);
      fail_unless_equals_int (s->call (given, sizes[k]), TFRC_ERROR_SIZE);
      for (gsize at = 0; at < sizeof given; at++)
        fail_unless_equals_int (given[at], GUARD);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_inputs_end_with_the_callers_size)
{
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++) {
    const Struct *s = &inputs[i];
    const gsize sizes[] = { s->first_size, s->size, s->size + 8, TFRC_MAX_STRUCT_BYTES };

    for (guint k = 0; k < G_N_ELEMENTS (sizes); k++) {
      guint8 *given = make_input (s, sizes[k]);

      fail_unless_equals_int (s->call (given, sizes[k]), TFRC_OK);
      g_free (given);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_inputs_of_a_size_that_no_version_has_are_refused)
{
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++) {
    const Struct *s = &inputs[i];
    const gsize sizes[] = { 0, 1, s->first_size - 1, TFRC_MAX_STRUCT_BYTES + 1, G_MAXSIZE };
    guint8 *given = make_input (s, s->size);

    for (guint k = 0; k < G_N_ELEMENTS (sizes); k++)
      fail_unless_equals_int (s->call (given, sizes[k]), TFRC_ERROR_SIZE);
    g_free (given);
  }
}

GST_END_TEST;

GST_START_TEST (test_inputs_that_set_an_unknown_field_are_refused)
{
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++) {
    const Struct *s = &inputs[i];
    guint8 *given = make_input (s, s->size + 8);

    given[s->size + 7] = 1;
    fail_unless_equals_int (s->call (given, s->size + 8), TFRC_ERROR_SIZE);
    g_free (given);
  }
}

GST_END_TEST;

GST_START_TEST (test_defaults_need_no_size)
{
  fail_unless_equals_int (new_sender (NULL, 0), TFRC_OK);
  fail_unless_equals_int (new_receiver (NULL, 0), TFRC_OK);
}

GST_END_TEST;

/* ---- structs of one size ----------------------------------------------- */

GST_START_TEST (test_reserved_words_of_packets_have_to_be_zero)
{
  TfrcData data = { .has_tfrc = TRUE, .size_bytes = 1000 };
  TfrcFeedback feedback = { 0 };
  TfrcArrival arrival;

  for (guint i = 0; i < G_N_ELEMENTS (data.reserved); i++) {
    data.reserved[i] = 1;
    fail_unless_equals_int (
        tfrc_receiver_on_data (receiver, &data, GST_SECOND, NULL), TFRC_ERROR_ARGUMENT);
    data.reserved[i] = 0;
  }
  memset (&arrival, GUARD, sizeof arrival);
  fail_unless_equals_int (tfrc_receiver_on_data (receiver, &data, GST_SECOND, &arrival), TFRC_OK);
  for (guint i = 0; i < G_N_ELEMENTS (arrival.reserved); i++)
    fail_unless_equals_int (arrival.reserved[i], 0);

  memset (&data, GUARD, sizeof data);
  fail_unless_equals_int (tfrc_sender_prepare (sender, 1000, GST_SECOND, &data), TFRC_OK);
  for (guint i = 0; i < G_N_ELEMENTS (data.reserved); i++)
    fail_unless_equals_int (data.reserved[i], 0);
  feedback.recv_data_us = data.send_time_us;
  for (guint i = 0; i < G_N_ELEMENTS (feedback.reserved); i++) {
    feedback.reserved[i] = 1;
    fail_unless_equals_int (
        tfrc_sender_on_feedback (sender, &feedback, 2 * GST_SECOND), TFRC_ERROR_ARGUMENT);
    fail_unless_equals_int (
        tfrc_sender_check_feedback (sender, &feedback, 2 * GST_SECOND), TFRC_ERROR_ARGUMENT);
    feedback.reserved[i] = 0;
  }
  fail_unless_equals_int (tfrc_sender_on_feedback (sender, &feedback, 2 * GST_SECOND), TFRC_OK);

  memset (&feedback, GUARD, sizeof feedback);
  fail_unless (tfrc_receiver_make_feedback (receiver, GST_SECOND, &feedback));
  for (guint i = 0; i < G_N_ELEMENTS (feedback.reserved); i++)
    fail_unless_equals_int (feedback.reserved[i], 0);
}

GST_END_TEST;

#if GLIB_SIZEOF_VOID_P == 8 && defined(__x86_64__)
/* These sizes are compiled into programs. */
GST_START_TEST (test_structs_of_fixed_size_keep_their_size)
{
  fail_unless_equals_int (sizeof (TfrcData), 32);
  fail_unless_equals_int (sizeof (TfrcFeedback), 72);
  fail_unless_equals_int (sizeof (TfrcArrival), 32);
  fail_unless_equals_int (sizeof (TfrcEcnReport), 32);
  fail_unless_equals_int (sizeof (TfrcWireData), 64);
  fail_unless_equals_int (sizeof (TfrcWireState), 44);
  fail_unless_equals_int (sizeof (TfrcWirePlayout), 16);
  fail_unless_equals_int (sizeof (TfrcWireReport), 28);
  fail_unless_equals_int (sizeof (TfrcWireStream), 12);
}

GST_END_TEST;
#endif

static Suite *
structsize_suite (void)
{
  Suite *s = suite_create ("structsize");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, test_structs_have_no_padding_at_the_end);
  tcase_add_test (tc, test_outputs_end_with_the_callers_size);
  tcase_add_test (tc, test_outputs_of_a_size_that_no_version_has_are_left_alone);
  tcase_add_test (tc, test_inputs_end_with_the_callers_size);
  tcase_add_test (tc, test_inputs_of_a_size_that_no_version_has_are_refused);
  tcase_add_test (tc, test_inputs_that_set_an_unknown_field_are_refused);
  tcase_add_test (tc, test_defaults_need_no_size);
  tcase_add_test (tc, test_reserved_words_of_packets_have_to_be_zero);
#if GLIB_SIZEOF_VOID_P == 8 && defined(__x86_64__)
  tcase_add_test (tc, test_structs_of_fixed_size_keep_their_size);
#endif
  return s;
}

GST_CHECK_MAIN (structsize);
