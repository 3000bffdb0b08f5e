/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The deadline queue, see gst/io/deadlinequeue.h. */
#include <gst/check/gstcheck.h>

#include "gst/io/deadlinequeue.h"

#define N_NODES 100
#define N_OPERATIONS 20000
#define NONE G_MAXUINT64

static GstTfrcDeadlineQueue queue;
static GstTfrcDeadlineNode nodes[N_NODES];

static void
setup (void)
{
  gst_tfrc_deadline_queue_init (&queue);
  for (guint i = 0; i < N_NODES; i++)
    gst_tfrc_deadline_node_init (&nodes[i]);
}

static void
teardown (void)
{
  gst_tfrc_deadline_queue_clear (&queue);
}

static GstTfrcDeadlineNode *
first (void)
{
  return gst_tfrc_deadline_queue_get_due (&queue, NONE);
}

GST_START_TEST (an_empty_queue_has_no_deadline)
{
  fail_unless_equals_uint64 (gst_tfrc_deadline_queue_next_ns (&queue), NONE);
  gst_tfrc_deadline_queue_set (&queue, &nodes[0], NONE);
  fail_unless (first () == NULL);
}

GST_END_TEST;

GST_START_TEST (a_node_moves_and_leaves)
{
  gst_tfrc_deadline_queue_set (&queue, &nodes[0], 10);
  gst_tfrc_deadline_queue_set (&queue, &nodes[1], 20);
  fail_unless (first () == &nodes[0]);
  gst_tfrc_deadline_queue_set (&queue, &nodes[0], 30);
  fail_unless (first () == &nodes[1]);
  gst_tfrc_deadline_queue_set (&queue, &nodes[0], 0);
  fail_unless (first () == &nodes[0]);
  gst_tfrc_deadline_queue_set (&queue, &nodes[0], NONE);
  fail_unless (first () == &nodes[1]);
  gst_tfrc_deadline_queue_set (&queue, &nodes[1], NONE);
  fail_unless (first () == NULL);
}

GST_END_TEST;

GST_START_TEST (equal_deadlines_all_come_out)
{
  gboolean seen[N_NODES] = { FALSE };

  for (guint i = 0; i < N_NODES; i++)
    gst_tfrc_deadline_queue_set (&queue, &nodes[i], 7);
  for (guint i = 0; i < N_NODES; i++) {
    GstTfrcDeadlineNode *node = first ();

    fail_unless (node != NULL);
    fail_if (seen[node - nodes]);
    seen[node - nodes] = TRUE;
    gst_tfrc_deadline_queue_set (&queue, node, NONE);
  }
  fail_unless (first () == NULL);
}

GST_END_TEST;

GST_START_TEST (a_node_is_due_at_its_deadline_and_not_before)
{
  gst_tfrc_deadline_queue_set (&queue, &nodes[0], 10);
  fail_unless (gst_tfrc_deadline_queue_get_due (&queue, 9) == NULL);
  fail_unless (gst_tfrc_deadline_queue_get_due (&queue, 10) == &nodes[0]);
  fail_unless_equals_uint64 (gst_tfrc_deadline_queue_next_ns (&queue), 10);
}

GST_END_TEST;

GST_START_TEST (a_cleared_queue_forgets_its_nodes)
{
  gst_tfrc_deadline_queue_set (&queue, &nodes[0], 1);
  gst_tfrc_deadline_queue_clear (&queue);
  fail_unless (first () == NULL);
  gst_tfrc_deadline_queue_set (&queue, &nodes[0], 1);
  fail_unless (first () == &nodes[0]);
}

GST_END_TEST;

static guint64
model_earliest (const guint64 *model)
{
  guint64 result = NONE;

  for (guint i = 0; i < N_NODES; i++)
    result = MIN (result, model[i]);
  return result;
}

GST_START_TEST (random_operations_agree_with_a_plain_array)
{
  GRand *rand = g_rand_new_with_seed (5348);
  guint64 model[N_NODES];
  guint64 last_ns = 0;

  for (guint i = 0; i < N_NODES; i++)
    model[i] = NONE;
  for (guint i = 0; i < N_OPERATIONS; i++) {
    guint which = g_rand_int_range (rand, 0, N_NODES);

    /* The range is narrow, so that equal deadlines are frequent. */
    model[which] = g_rand_int_range (rand, 0, 3) == 0 ? NONE
                                                      : (guint64) g_rand_int_range (rand, 0, 150);
    gst_tfrc_deadline_queue_set (&queue, &nodes[which], model[which]);
    fail_unless_equals_uint64 (gst_tfrc_deadline_queue_next_ns (&queue), model_earliest (model));
  }
  for (;;) {
    GstTfrcDeadlineNode *node = first ();

    fail_unless_equals_uint64 (gst_tfrc_deadline_queue_next_ns (&queue), model_earliest (model));
    if (!node)
      break;
    fail_unless (model[node - nodes] >= last_ns);
    last_ns = model[node - nodes];
    model[node - nodes] = NONE;
    gst_tfrc_deadline_queue_set (&queue, node, NONE);
  }
  g_rand_free (rand);
}

GST_END_TEST;

static Suite *
deadlinequeue_suite (void)
{
  Suite *s = suite_create ("deadlinequeue");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, an_empty_queue_has_no_deadline);
  tcase_add_test (tc, a_node_moves_and_leaves);
  tcase_add_test (tc, equal_deadlines_all_come_out);
  tcase_add_test (tc, a_node_is_due_at_its_deadline_and_not_before);
  tcase_add_test (tc, a_cleared_queue_forgets_its_nodes);
  tcase_add_test (tc, random_operations_agree_with_a_plain_array);
  return s;
}

GST_CHECK_MAIN (deadlinequeue);
