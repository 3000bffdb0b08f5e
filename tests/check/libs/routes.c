/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's routes, see gst/io/routes.h. The test changes routes in
 * its own network namespace, which needs privileges. */
#include "gst/io/routes.h"

#include <errno.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "testnet.h"

#define PATIENCE (60 * G_TIME_SPAN_SECOND) /* a test that waits longer fails */

static GstTfrcLocalPath
route_to (const gchar *host)
{
  GstTfrcAddress to = test_address (host, 5004);
  GError *error = NULL;
  GstTfrcLocalPath link;

  fail_unless (gst_tfrc_route_get (&to, &link, &error), "%s", error ? error->message : "");
  return link;
}

GST_START_TEST (the_way_to_this_host_is_the_loopback_interface)
{
  GstTfrcAddress v4 = test_address ("127.0.0.1", 0);
  GstTfrcAddress v6 = test_address ("::1", 0);
  GstTfrcLocalPath link = route_to ("127.0.0.1");

  fail_unless_equals_int (link.interface, if_nametoindex ("lo"));
  fail_unless (gst_tfrc_address_equal (&link.local, &v4));
  if (!test_host_has_ipv6 ())
    return;
  link = route_to ("::1");
  fail_unless_equals_int (link.interface, if_nametoindex ("lo"));
  fail_unless (gst_tfrc_address_equal (&link.local, &v6));
}

GST_END_TEST;

GST_START_TEST (no_address_has_no_route)
{
  GstTfrcAddress nowhere = { 0 };
  GError *error = NULL;
  GstTfrcLocalPath link;

  fail_if (gst_tfrc_route_get (&nowhere, &link, &error));
  fail_unless (error->domain == G_IO_ERROR);
  g_clear_error (&error);
}

GST_END_TEST;

GST_START_TEST (broadcast_addresses_of_own_networks_are_known)
{
  static const struct
  {
    const gchar *host;
    gboolean broadcast;
  } cases[] = {
    { "127.255.255.255", TRUE },
    { "255.255.255.255", TRUE },
    { "127.0.0.1", FALSE },
    { "127.0.0.255", FALSE }, /* no own network has this mask */
    { "127.255.255.254", FALSE },
    { "224.0.0.1", FALSE },
    { "::1", FALSE },
  };
  GstTfrcAddress none = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstTfrcAddress to = test_address (cases[i].host, 5004);

    fail_unless (gst_tfrc_route_is_broadcast (&to) == cases[i].broadcast, "%s", cases[i].host);
  }
  fail_if (gst_tfrc_route_is_broadcast (&none));
}

GST_END_TEST;

/* ---- changes ------------------------------------------------------------ */

typedef struct
{
  GMutex lock;
  GCond changed;
  guint calls;
} Listener;

static Listener listener, other;

static void
count (gpointer data)
{
  Listener *self = data;

  g_mutex_lock (&self->lock);
  self->calls++;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static guint
calls_of (Listener *self)
{
  guint calls;

  g_mutex_lock (&self->lock);
  calls = self->calls;
  g_mutex_unlock (&self->lock);
  return calls;
}

static void
wait_for_more_calls (Listener *self, guint than)
{
  gint64 end = g_get_monotonic_time () + PATIENCE;

  g_mutex_lock (&self->lock);
  while (self->calls <= than)
    fail_unless (g_cond_wait_until (&self->changed, &self->lock, end), "nothing was told");
  g_mutex_unlock (&self->lock);
}

static gboolean
enter_namespace (void)
{
  if (unshare (CLONE_NEWNET) == 0)
    return TRUE;
  g_print ("skipped: no network namespace (%s)\n", g_strerror (errno));
  return FALSE;
}

/* Sets the loopback interface up or down. Its addresses and routes come and go with it. */
static void
set_up (gboolean up)
{
  struct ifreq request = { .ifr_flags = up ? IFF_UP : 0 };
  gint fd = socket (AF_INET, SOCK_DGRAM, 0);

  g_strlcpy (request.ifr_name, "lo", sizeof request.ifr_name);
  fail_unless (fd >= 0 && ioctl (fd, SIOCSIFFLAGS, &request) == 0);
  close (fd);
}

static GstTfrcRouteWatch *
watch (Listener *self)
{
  GError *error = NULL;
  GstTfrcRouteWatch *result = gst_tfrc_routes_watch (count, self, &error);

  fail_unless (result != NULL, "%s", error ? error->message : "");
  return result;
}

GST_START_TEST (changes_are_told_to_every_listener)
{
  GstTfrcAddress to = test_address ("127.0.0.1", 0);
  GstTfrcRouteWatch *a, *b;
  GstTfrcLocalPath link;
  guint listener_before, other_before;

  if (!enter_namespace ())
    return;
  fail_if (gst_tfrc_route_get (&to, &link, NULL));
  a = watch (&listener);
  b = watch (&other);
  set_up (TRUE);
  wait_for_more_calls (&listener, 0);
  wait_for_more_calls (&other, 0);
  /* the route is there before the listeners are told */
  link = route_to ("127.0.0.1");
  fail_unless_equals_int (link.interface, if_nametoindex ("lo"));

  gst_tfrc_routes_unwatch (a);
  listener_before = calls_of (&listener);
  other_before = calls_of (&other);
  set_up (FALSE);
  wait_for_more_calls (&other, other_before);
  fail_unless_equals_int (calls_of (&listener), listener_before);
  gst_tfrc_routes_unwatch (b);
}

GST_END_TEST;

GST_START_TEST (a_listener_that_comes_after_the_last_has_left_is_told)
{
  guint listener_before = calls_of (&listener);

  if (!enter_namespace ())
    return;
  gst_tfrc_routes_unwatch (watch (&listener));
  for (guint i = 0; i < 3; i++) {
    GstTfrcRouteWatch *again = watch (&other);
    guint before = calls_of (&other);

    set_up (i % 2 == 0);
    wait_for_more_calls (&other, before);
    gst_tfrc_routes_unwatch (again);
  }
  fail_unless_equals_int (calls_of (&listener), listener_before);
}

GST_END_TEST;

static Suite *
routes_suite (void)
{
  Suite *s = suite_create ("routes");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, the_way_to_this_host_is_the_loopback_interface);
  tcase_add_test (tc, no_address_has_no_route);
  tcase_add_test (tc, broadcast_addresses_of_own_networks_are_known);
  tcase_add_test (tc, changes_are_told_to_every_listener);
  tcase_add_test (tc, a_listener_that_comes_after_the_last_has_left_is_told);
  return s;
}

GST_CHECK_MAIN (routes);
