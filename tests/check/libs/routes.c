/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's routes, see gst/io/routes.h. The test changes routes in
 * its own network namespace, which needs privileges. */
#include "gst/io/routes.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "testnet.h"

#define PATIENCE (60 * G_TIME_SPAN_SECOND) /* a test that waits longer fails */

/* ---- what the test sees of the system: the linker redirects these calls ----- */

static guint8 question[256]; /* the last one to the kernel */
static gsize question_bytes;

gssize __real_send (gint fd, gconstpointer data, gsize size, gint flags);
gssize __wrap_send (gint fd, gconstpointer data, gsize size, gint flags);

gssize
__wrap_send (gint fd, gconstpointer data, gsize size, gint flags)
{
  question_bytes = MIN (size, sizeof question);
  memcpy (question, data, question_bytes);
  return __real_send (fd, data, size, flags);
}

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

/* @return the interface that the last question is about; 0: any */
static guint
asked_interface (void)
{
  struct nlmsghdr *header = (gpointer) question;
  struct rtattr *attribute = RTM_RTA (NLMSG_DATA (header));
  guint left = RTM_PAYLOAD (header), interface = 0;

  fail_unless_equals_int (header->nlmsg_len, question_bytes);
  for (; RTA_OK (attribute, left); attribute = RTA_NEXT (attribute, left))
    if (attribute->rta_type == RTA_OIF)
      memcpy (&interface, RTA_DATA (attribute), sizeof interface);
  fail_unless_equals_int (left, 0);
  return interface;
}

/* Each link has its own host with such an address: without the interface the kernel takes the first that has IPv6. */
GST_START_TEST (a_link_local_address_is_asked_for_with_its_interface)
{
  GstTfrcAddress to = test_address ("fe80::1", 5004);
  GstTfrcLocalPath link;

  to.u.v6.sin6_scope_id = if_nametoindex ("lo");
  gst_tfrc_route_get (&to, &link, NULL);
  fail_unless_equals_int (asked_interface (), if_nametoindex ("lo"));
  to = test_address ("2001:db8::1", 5004);
  gst_tfrc_route_get (&to, &link, NULL);
  fail_unless_equals_int (asked_interface (), 0);
  to = test_address ("127.0.0.1", 5004);
  gst_tfrc_route_get (&to, &link, NULL);
  fail_unless_equals_int (asked_interface (), 0);
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

/* ---- the end of a watch while its function runs ---------------------------- */

/* A watch whose function runs until the test says so, and the thread that ends it meanwhile */
static struct
{
  GMutex lock;
  GCond changed;
  GstTfrcRouteWatch *watch;
  gboolean runs, may_return, has_ended, other_has_ended;
  guint waits; /* of the thread that ends the watch */
} busy;

static GThread *ending, *ending_other; /* NULL: none */

void __real_g_cond_wait (GCond *cond, GMutex *locked);
G_MODULE_EXPORT void __wrap_g_cond_wait (GCond *cond, GMutex *locked);

static void
set (gboolean *flag)
{
  g_mutex_lock (&busy.lock);
  *flag = TRUE;
  g_cond_broadcast (&busy.changed);
  g_mutex_unlock (&busy.lock);
}

static void
wait_for (const gboolean *flag)
{
  g_mutex_lock (&busy.lock);
  while (!*flag)
    __real_g_cond_wait (&busy.changed, &busy.lock);
  g_mutex_unlock (&busy.lock);
}

/* The first wait of the thread that ends the watch ends once the other watch has ended the monitor, and for no reason of
 * its own, as waits for a condition may. */
void
__wrap_g_cond_wait (GCond *cond, GMutex *locked)
{
  guint number;

  if (g_thread_self () != ending) {
    __real_g_cond_wait (cond, locked);
    return;
  }
  g_mutex_lock (&busy.lock);
  number = ++busy.waits;
  g_cond_broadcast (&busy.changed);
  g_mutex_unlock (&busy.lock);
  if (number > 1) {
    __real_g_cond_wait (cond, locked);
    return;
  }
  g_mutex_unlock (locked);
  wait_for (&busy.other_has_ended);
  g_mutex_lock (locked);
}

static void
run_for_long (gpointer unused)
{
  set (&busy.runs);
  wait_for (&busy.may_return);
}

static gpointer
end_busy_watch (gpointer unused)
{
  g_mutex_lock (&busy.lock);
  ending = g_thread_self ();
  g_mutex_unlock (&busy.lock);
  gst_tfrc_routes_unwatch (busy.watch);
  set (&busy.has_ended);
  return NULL;
}

/* The end of the other watch ends the monitor, which so is forgotten. */
gpointer __real_g_thread_join (GThread *thread);
G_MODULE_EXPORT gpointer __wrap_g_thread_join (GThread *thread);

gpointer
__wrap_g_thread_join (GThread *thread)
{
  if (g_thread_self () == ending_other)
    set (&busy.other_has_ended);
  return __real_g_thread_join (thread);
}

static gpointer
end_other_watch (gpointer watch)
{
  g_mutex_lock (&busy.lock);
  ending_other = g_thread_self ();
  g_mutex_unlock (&busy.lock);
  gst_tfrc_routes_unwatch (watch);
  return NULL;
}

/* What its function uses may be freed afterwards. */
GST_START_TEST (a_watch_ends_after_its_function_also_if_the_last_other_one_ends)
{
  GstTfrcRouteWatch *last;
  GThread *of_busy, *of_last;
  GError *error = NULL;
  gboolean ended_early;

  if (!enter_namespace ())
    return;
  busy.watch = gst_tfrc_routes_watch (run_for_long, NULL, &error);
  last = watch (&other);
  set_up (TRUE);
  wait_for (&busy.runs);
  of_busy = g_thread_new ("ends-busy", end_busy_watch, NULL);
  g_mutex_lock (&busy.lock);
  while (busy.waits == 0)
    __real_g_cond_wait (&busy.changed, &busy.lock);
  g_mutex_unlock (&busy.lock);
  of_last = g_thread_new ("ends-last", end_other_watch, last);
  g_mutex_lock (&busy.lock);
  while (busy.waits < 2 && !busy.has_ended)
    __real_g_cond_wait (&busy.changed, &busy.lock);
  ended_early = busy.has_ended;
  g_mutex_unlock (&busy.lock);
  set (&busy.may_return);
  g_thread_join (of_busy);
  g_thread_join (of_last);
  fail_if (ended_early);
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
  tcase_add_test (tc, a_link_local_address_is_asked_for_with_its_interface);
  tcase_add_test (tc, changes_are_told_to_every_listener);
  tcase_add_test (tc, a_listener_that_comes_after_the_last_has_left_is_told);
  tcase_add_test (tc, a_watch_ends_after_its_function_also_if_the_last_other_one_ends);
  return s;
}

GST_CHECK_MAIN (routes);
