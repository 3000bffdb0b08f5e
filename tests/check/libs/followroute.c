/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stream follows the kernel's route to its sender, see gst_tfrc_src_stream_follow_route(). The
 * test takes the place of the kernel, so it needs no privileges. All addresses are those of the
 * loopback interface. */
#include <net/if.h>

#include "gst/io/routes.h"
#include "streampair.h"

static const gchar *route; /* the local address of packets to the sender; NULL: no route */
static guint asked;

/* The linker's --wrap puts this function in place of the call to the kernel. */
gboolean __wrap_gst_tfrc_route_get (
    const GstTfrcAddress *to, GstTfrcLocalPath *link, GError **error);

gboolean
__wrap_gst_tfrc_route_get (const GstTfrcAddress *to, GstTfrcLocalPath *link, GError **error)
{
  asked++;
  if (route == NULL) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NETWORK_UNREACHABLE, "no route");
    return FALSE;
  }
  link->interface = if_nametoindex ("lo");
  link->local = test_address (route, 0);
  return TRUE;
}

static StreamPair pair;

static void
setup (void)
{
  asked = 0;
  route = "127.0.0.1";
  pair_init (&pair, TRUE);
}

static void
teardown (void)
{
  pair_clear (&pair);
}

/* Makes @to the local address of the route, and lets the stream follow the route.
 * @return the number of handovers so far */
static guint64
follow (const gchar *to)
{
  GstTfrcSrcStreamStats stats;

  route = to;
  gst_tfrc_src_stream_follow_route (pair.src);
  gst_tfrc_src_stream_get_stats (pair.src, &stats);
  return stats.flow.reception.receiver.handovers;
}

static void
change_to (const gchar *address)
{
  GstTfrcSrcHandover handover = { .path = { .local = test_address (address, 0) } };
  GError *error = NULL;

  fail_unless (gst_tfrc_src_stream_start_handover (pair.src, &handover, &error), "%s",
      error ? error->message : "");
}

/* Takes the oldest event of a handover.
 * @return FALSE: there is none */
static gboolean
take_news (GstTfrcEvent *event)
{
  while (gst_tfrc_src_stream_take_event (pair.src, event))
    if (event->kind == GST_TFRC_EVENT_HANDOVER)
      return TRUE;
  return FALSE;
}

static void
check_oldest_news (GstTfrcHandoverEventKind kind)
{
  guint64 end_ns = gst_tfrc_clock_now_ns () + PAIR_TIMEOUT_NS;
  GstTfrcEvent event;

  /* The loop's thread writes the events. */
  while (!take_news (&event) && gst_tfrc_clock_now_ns () < end_ns)
    g_thread_yield ();
  fail_unless_equals_int (event.kind, GST_TFRC_EVENT_HANDOVER);
  fail_unless_equals_int (event.of.handover.kind, kind);
}

GST_START_TEST (without_a_sender_no_route_is_asked_for)
{
  fail_unless_equals_uint64 (follow ("127.0.0.1"), 0);
  fail_unless_equals_uint64 (follow ("127.0.0.2"), 0);
  fail_unless_equals_int (asked, 0);
}

GST_END_TEST;

GST_START_TEST (the_first_route_to_a_sender_is_no_handover)
{
  pair_transfer (&pair, 3);
  /* the same holds if data comes to another address */
  fail_unless_equals_uint64 (follow ("127.0.0.2"), 0);
  fail_unless_equals_uint64 (follow ("127.0.0.2"), 0);
  fail_unless_equals_int (asked, 2);
  fail_if (take_news (&(GstTfrcEvent){ 0 }));
}

GST_END_TEST;

GST_START_TEST (another_route_than_before_is_one_handover)
{
  pair_transfer (&pair, 3);
  fail_unless_equals_uint64 (follow ("127.0.0.1"), 0);
  fail_unless_equals_uint64 (follow ("127.0.0.2"), 1);
  fail_unless_equals_uint64 (follow ("127.0.0.2"), 1);
  check_oldest_news (GST_TFRC_HANDOVER_EVENT_STARTED);
  fail_unless_equals_uint64 (follow ("127.0.0.3"), 2);
}

GST_END_TEST;

GST_START_TEST (a_route_that_goes_and_comes_back_is_no_handover)
{
  pair_transfer (&pair, 3);
  fail_unless_equals_uint64 (follow ("127.0.0.1"), 0);
  fail_unless_equals_uint64 (follow (NULL), 0);
  fail_unless_equals_uint64 (follow ("127.0.0.1"), 0);
  fail_unless_equals_uint64 (follow (NULL), 0);
  fail_unless_equals_uint64 (follow ("127.0.0.2"), 1);
}

GST_END_TEST;

GST_START_TEST (a_route_over_the_link_in_use_is_no_handover)
{
  pair_transfer (&pair, 3);
  fail_unless_equals_uint64 (follow ("127.0.0.1"), 0);
  change_to ("127.0.0.2");
  fail_unless_equals_uint64 (follow ("127.0.0.2"), 1);
  /* this route is known now: the way back is another handover */
  fail_unless_equals_uint64 (follow ("127.0.0.1"), 2);
}

GST_END_TEST;

GST_START_TEST (a_route_whose_address_cannot_be_used_is_tried_again)
{
  pair_transfer (&pair, 3);
  fail_unless_equals_uint64 (follow ("127.0.0.1"), 0);
  /* this host does not have this address yet */
  fail_unless_equals_uint64 (follow ("192.0.2.77"), 0);
  fail_unless_equals_uint64 (follow ("127.0.0.1"), 0);
  fail_unless_equals_uint64 (follow ("192.0.2.77"), 0);
  fail_unless_equals_uint64 (follow ("127.0.0.2"), 1);
}

GST_END_TEST;

GST_START_TEST (routes_to_different_senders_are_not_compared)
{
  pair_transfer (&pair, 3);
  fail_unless_equals_uint64 (follow ("127.0.0.1"), 0);
  gst_tfrc_sink_stream_free (pair.sink);
  pair_open_sink (&pair);
  pair_transfer (&pair, 3);
  fail_unless_equals_uint64 (follow ("127.0.0.2"), 0);
  fail_unless_equals_uint64 (follow ("127.0.0.1"), 1);
}

GST_END_TEST;

static Suite *
followroute_suite (void)
{
  Suite *s = suite_create ("followroute");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, without_a_sender_no_route_is_asked_for);
  tcase_add_test (tc, the_first_route_to_a_sender_is_no_handover);
  tcase_add_test (tc, another_route_than_before_is_one_handover);
  tcase_add_test (tc, a_route_that_goes_and_comes_back_is_no_handover);
  tcase_add_test (tc, a_route_over_the_link_in_use_is_no_handover);
  tcase_add_test (tc, a_route_whose_address_cannot_be_used_is_tried_again);
  tcase_add_test (tc, routes_to_different_senders_are_not_compared);
  return s;
}

GST_CHECK_MAIN (followroute);
