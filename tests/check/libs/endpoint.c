/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Endpoints, see gst/io/endpoint.h: a socket on the loop, with several sessions behind it. */
#include <unistd.h>

#include "gst/io/demux.h"
#include "gst/io/endpoint.h"
#include "teststream.h"

#define SSRC 9
#define N_SESSIONS 3

/* The owner of an endpoint, like a listener */
typedef struct
{
  GMutex lock;
  GCond changed;
  GstTfrcDemux demux;
  guint packets[N_SESSIONS]; /* of each session */
  guint all, foreign, deadlines, errors;
  GstTfrcEndpoint *last_endpoint;
} Owner;

static Owner owner;
static GstTfrcEndpoint *endpoint;

static guint64
on_packets (gpointer user, GstTfrcEndpoint *from, const GstTfrcReceivedPacket *packets, guint n,
    guint64 now_ns)
{
  Owner *self = user;

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < n; i++) {
    guint *session = gst_tfrc_demux_find (&self->demux, packets[i].from, SSRC);

    if (session)
      ++*session;
    else
      self->foreign++;
    self->all++;
  }
  self->last_endpoint = from;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  return GST_TFRC_IO_NEVER;
}

static guint64
on_deadline (gpointer user, GstTfrcEndpoint *from, guint64 now_ns)
{
  Owner *self = user;

  g_mutex_lock (&self->lock);
  self->deadlines++;
  self->last_endpoint = from;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  return GST_TFRC_IO_NEVER;
}

static void
on_error (gpointer user, gint error, const GstTfrcAddress *destination)
{
  Owner *self = user;

  g_mutex_lock (&self->lock);
  self->errors++;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static const GstTfrcEndpointCallbacks callbacks = { on_packets, on_deadline, on_error };

static gint options_set; /* atomic */

/* The linker's --wrap puts this function in place of the C library's. */
gint __real_setsockopt (gint fd, gint level, gint name, gconstpointer value, socklen_t len);
gint __wrap_setsockopt (gint fd, gint level, gint name, gconstpointer value, socklen_t len);

gint
__wrap_setsockopt (gint fd, gint level, gint name, gconstpointer value, socklen_t len)
{
  g_atomic_int_inc (&options_set);
  return __real_setsockopt (fd, level, name, value, len);
}

static GstTfrcEndpoint *
open_endpoint (void)
{
  GstTfrcSocketConfig config = GST_TFRC_SOCKET_CONFIG_INIT;
  GstTfrcEndpoint *opened;
  GError *error = NULL;

  config.bind_address = "127.0.0.1";
  opened = gst_tfrc_endpoint_open (&config, &callbacks, &owner, &error);
  fail_unless (opened != NULL, "%s", error ? error->message : "");
  return opened;
}

static void
setup (void)
{
  memset (&owner, 0, sizeof owner);
  g_mutex_init (&owner.lock);
  g_cond_init (&owner.changed);
  gst_tfrc_demux_init (&owner.demux);
  endpoint = open_endpoint ();
}

static void
teardown (void)
{
  gst_tfrc_endpoint_close (endpoint);
  test_assert_loop_ended ();
  gst_tfrc_demux_clear (&owner.demux);
  g_cond_clear (&owner.changed);
  g_mutex_clear (&owner.lock);
}

static void
wait_for (const guint *count, guint n)
{
  g_mutex_lock (&owner.lock);
  test_wait_until (&owner, *count >= n);
  g_mutex_unlock (&owner.lock);
}

static void
start (void)
{
  GError *error = NULL;

  fail_unless (gst_tfrc_endpoint_start (endpoint, NULL, &error), "%s", error ? error->message : "");
}

static guint
send_byte (GstTfrcEndpoint *from, const GstTfrcAddress *to)
{
  GstTfrcSendItem item = { .data = (const guint8 *) "x", .size = 1 };
  gint error;

  return gst_tfrc_endpoint_send (from, to, NULL, &item, 1, &error);
}

GST_START_TEST (each_session_behind_an_endpoint_gets_its_own_packets)
{
  gint fds[N_SESSIONS + 1];

  for (guint i = 0; i <= N_SESSIONS; i++) {
    GstTfrcAddress address;

    fds[i] = test_open_socket ("127.0.0.1", &address);
    if (i < N_SESSIONS)
      gst_tfrc_demux_add (&owner.demux, &address, SSRC, &owner.packets[i]);
  }
  start ();
  /* the last sender has no session */
  for (guint i = 0; i <= N_SESSIONS; i++)
    test_send_bytes (fds[i], gst_tfrc_endpoint_get_address (endpoint), 0, i + 1);
  wait_for (&owner.all, 1 + 2 + 3 + 4);
  for (guint i = 0; i < N_SESSIONS; i++)
    fail_unless_equals_int (owner.packets[i], i + 1);
  fail_unless_equals_uint64 (owner.foreign, 4);
  fail_unless (owner.last_endpoint == endpoint);
  for (guint i = 0; i <= N_SESSIONS; i++)
    close (fds[i]);
}

GST_END_TEST;

GST_START_TEST (a_deadline_is_served_with_its_endpoint)
{
  gst_tfrc_endpoint_set_deadline (endpoint, 0); /* too early: the endpoint has not started */
  start ();
  gst_tfrc_endpoint_set_deadline (endpoint, gst_tfrc_clock_now_ns ());
  wait_for (&owner.deadlines, 1);
  fail_unless (owner.last_endpoint == endpoint);
  gst_tfrc_endpoint_stop (endpoint);
  gst_tfrc_endpoint_set_deadline (endpoint, 0);
  fail_unless_equals_int (owner.deadlines, 1);
}

GST_END_TEST;

GST_START_TEST (packets_wait_until_the_endpoint_starts)
{
  GstTfrcAddress address;
  gint fd = test_open_socket ("127.0.0.1", &address);

  test_send_bytes (fd, gst_tfrc_endpoint_get_address (endpoint), 0, 3);
  fail_unless_equals_int (owner.all, 0);
  start ();
  wait_for (&owner.all, 3);
  close (fd);
}

GST_END_TEST;

GST_START_TEST (an_endpoint_that_has_stopped_can_still_send)
{
  guint8 byte;
  GstTfrcAddress address;
  gint fd = test_open_socket ("127.0.0.1", &address);

  start ();
  gst_tfrc_endpoint_stop (endpoint);
  fail_unless_equals_int (send_byte (endpoint, &address), 1);
  fail_unless_equals_int (recv (fd, &byte, 1, 0), 1);
  close (fd);
}

GST_END_TEST;

GST_START_TEST (a_thread_that_sends_keeps_an_endpoint_that_another_closes)
{
  guint8 byte;
  GstTfrcAddress address;
  gint fd = test_open_socket ("127.0.0.1", &address);
  GstTfrcEndpoint *held;

  start ();
  held = gst_tfrc_endpoint_ref (endpoint);
  gst_tfrc_endpoint_close (endpoint);
  fail_unless_equals_int (send_byte (held, &address), 1);
  fail_unless_equals_int (recv (fd, &byte, 1, 0), 1);
  gst_tfrc_endpoint_unref (held);
  endpoint = NULL;
  close (fd);
}

GST_END_TEST;

GST_START_TEST (an_error_comes_back_to_the_owner)
{
  GstTfrcAddress nobody;
  gint fd = test_open_deaf_socket ("127.0.0.1", &nobody);

  start ();
  fail_unless_equals_int (send_byte (endpoint, &nobody), 1);
  wait_for (&owner.errors, 1);
  close (fd);
}

GST_END_TEST;

GST_START_TEST (a_port_that_is_taken_is_an_error)
{
  GstTfrcSocketConfig config = GST_TFRC_SOCKET_CONFIG_INIT;
  GError *error = NULL;

  config.bind_address = "127.0.0.1";
  config.bind_port = gst_tfrc_address_port (gst_tfrc_endpoint_get_address (endpoint));
  fail_unless (gst_tfrc_endpoint_open (&config, &callbacks, &owner, &error) == NULL);
  fail_unless (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE));
  g_clear_error (&error);
  gst_tfrc_endpoint_close (NULL);
}

GST_END_TEST;

/* A sink that serves a caller of another one asks about a socket that others send from. Packets with the socket's TOS
 * would leave with ECT meanwhile, and two that ask at the same time could leave it there for good. */
GST_START_TEST (a_socket_in_use_is_asked_about_ecn_without_a_change)
{
  gboolean allows = gst_tfrc_endpoint_allows_ecn (endpoint);
  gint before;

  fail_unless (allows);
  start ();
  before = g_atomic_int_get (&options_set);
  fail_unless (gst_tfrc_endpoint_allows_ecn (endpoint));
  fail_unless_equals_int (g_atomic_int_get (&options_set), before);
}

GST_END_TEST;

static Suite *
endpoint_suite (void)
{
  Suite *s = suite_create ("endpoint");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, each_session_behind_an_endpoint_gets_its_own_packets);
  tcase_add_test (tc, a_deadline_is_served_with_its_endpoint);
  tcase_add_test (tc, packets_wait_until_the_endpoint_starts);
  tcase_add_test (tc, an_endpoint_that_has_stopped_can_still_send);
  tcase_add_test (tc, a_thread_that_sends_keeps_an_endpoint_that_another_closes);
  tcase_add_test (tc, an_error_comes_back_to_the_owner);
  tcase_add_test (tc, a_port_that_is_taken_is_an_error);
  tcase_add_test (tc, a_socket_in_use_is_asked_about_ecn_without_a_change);
  return s;
}

GST_CHECK_MAIN (endpoint);
