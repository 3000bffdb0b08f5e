/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Each allocation of the library fails once.  The function that asked for memory says so, gives no
 * object, and leaves no memory behind. */
#include <tfrc/ecn.h>
#include <tfrc/path.h>
#include <tfrc/reports.h>
#include <tfrc/tfrc.h>

#include <gst/check/gstcheck.h>

void *__real_calloc (size_t n, size_t size);
void __real_free (void *memory);
void *__wrap_calloc (size_t n, size_t size);
void __wrap_free (void *memory);

static guint asked, failing; /* the allocation that fails; 0: none */
static gint held;

/* The linker redirects these calls of the library, and none of others. */
void *
__wrap_calloc (size_t n, size_t size)
{
  if (++asked == failing)
    return NULL;
  held++;
  return __real_calloc (n, size);
}

void
__wrap_free (void *memory)
{
  held -= memory != NULL;
  __real_free (memory);
}

static TfrcResult
new_sender (gpointer *object)
{
  return tfrc_sender_new ((TfrcSender **) object, NULL);
}

static TfrcResult
new_receiver (gpointer *object)
{
  return tfrc_receiver_new ((TfrcReceiver **) object, NULL);
}

/* A receiver that classifies losses has memory for this. */
static TfrcResult
new_classifying_receiver (gpointer *object)
{
  TfrcReceiverConfig config;

  tfrc_receiver_config_init (&config);
  config.loss_classifier = TFRC_LOSS_CLASSIFIER_TREND;
  return tfrc_receiver_new ((TfrcReceiver **) object, &config);
}

static TfrcResult
new_path (gpointer *object)
{
  return tfrc_path_new ((TfrcPath **) object);
}

static TfrcResult
new_ecn (gpointer *object)
{
  return tfrc_ecn_new ((TfrcEcn **) object);
}

static TfrcResult
new_smoother (gpointer *object)
{
  return tfrc_smoother_new ((TfrcSmoother **) object, G_GUINT64_CONSTANT (1000000000));
}

static TfrcResult
new_reports (gpointer *object)
{
  return tfrc_reports_new ((TfrcReports **) object);
}

/* Arrivals have a receiver. */
static TfrcResult
new_arrivals (gpointer *object)
{
  return tfrc_arrivals_new ((TfrcArrivals **) object);
}

static void
free_sender (gpointer object)
{
  tfrc_sender_free (object);
}

static void
free_receiver (gpointer object)
{
  tfrc_receiver_free (object);
}

static void
free_path (gpointer object)
{
  tfrc_path_free (object);
}

static void
free_ecn (gpointer object)
{
  tfrc_ecn_free (object);
}

static void
free_smoother (gpointer object)
{
  tfrc_smoother_free (object);
}

static void
free_reports (gpointer object)
{
  tfrc_reports_free (object);
}

static void
free_arrivals (gpointer object)
{
  tfrc_arrivals_free (object);
}

static const struct
{
  const gchar *name;
  TfrcResult (*new) (gpointer *object);
  void (*free) (gpointer object);
  guint allocations;
} kinds[] = {
  { "sender", new_sender, free_sender, 1 },
  { "receiver", new_receiver, free_receiver, 1 },
  { "classifying receiver", new_classifying_receiver, free_receiver, 2 },
  { "path", new_path, free_path, 1 },
  { "ECN", new_ecn, free_ecn, 1 },
  { "smoother", new_smoother, free_smoother, 1 },
  { "reports", new_reports, free_reports, 1 },
  { "arrivals", new_arrivals, free_arrivals, 2 },
};

static TfrcResult
new_failing (guint i, guint nth, gpointer *object)
{
  asked = 0;
  failing = nth;
  *object = &asked; /* to be replaced */
  return kinds[i].new(object);
}

GST_START_TEST (test_failed_allocation_is_told_and_leaves_nothing)
{
  guint i = (guint) __i__;
  gpointer object;

  for (guint nth = 1; nth <= kinds[i].allocations; nth++) {
    fail_unless_equals_int (new_failing (i, nth, &object), TFRC_ERROR_NO_MEMORY);
    fail_unless (object == NULL, "%s", kinds[i].name);
    fail_unless_equals_int (held, 0);
  }
  fail_unless_equals_int (new_failing (i, 0, &object), TFRC_OK);
  fail_unless_equals_int (asked, kinds[i].allocations);
  kinds[i].free (object);
  fail_unless_equals_int (held, 0);
}

GST_END_TEST;

static Suite *
nomemory_suite (void)
{
  Suite *suite = suite_create ("nomemory");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_loop_test (
      chain, test_failed_allocation_is_told_and_leaves_nothing, 0, G_N_ELEMENTS (kinds));
  return suite;
}

GST_CHECK_MAIN (nomemory);
