/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tfrcsink that listens on all addresses of its host: what a caller gets comes from the address that it has called.
 * Some tests need the privilege to make a network namespace. */
#include <arpa/inet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gst/strangers/callpacket.h"
#include "tfrctest.h"

#define WAIT_S 30
#define LOST_ADDRESS "10.99.0.1"

/* struct in6_ifreq of Linux, whose header cannot be included beside that of the C library */
typedef struct
{
  struct in6_addr address;
  guint32 prefix_bytes;
  gint interface;
} Ipv6Request;

/* A sink that listens, and a bare socket that calls it */
typedef struct
{
  TestSender *sender;
  guint16 port;
  GBytes *movie;
  gint fd;
  GstTfrcCallPacket call;
} Phone;

static Phone
phone_new (const gchar *bind_address, const gchar *own_address)
{
  Phone phone = { .port = (guint16) test_free_port (), .movie = test_movie (70, 1) };
  gchar *all = g_strdup_printf ("mode=listener bind-address=%s", bind_address);
  GstTfrcAddress own;

  phone.sender = test_sender_new (phone.port, all);
  fail_unless (gst_tfrc_address_resolve (&own, own_address, 0, AF_UNSPEC, NULL));
  phone.fd = socket (gst_tfrc_address_family (&own), SOCK_DGRAM, 0);
  fail_unless (phone.fd >= 0 && bind (phone.fd, &own.u.any, own.len) == 0);
  fail_unless (setsockopt (phone.fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){ WAIT_S, 0 },
                   sizeof (struct timeval))
      == 0);
  phone.call = (GstTfrcCallPacket){ .ssrc = 0x11223344, .number = 0x0a0b0c0d };
  g_free (all);
  return phone;
}

static void
phone_free (Phone *phone)
{
  close (phone->fd);
  test_sender_free (phone->sender);
  g_bytes_unref (phone->movie);
}

static void
send_call (const Phone *phone, const gchar *host)
{
  guint8 data[GST_TFRC_CALL_MAX_BYTES];
  gsize size = gst_tfrc_call_packet_write (data, &phone->call);
  GstTfrcAddress to;

  fail_unless (gst_tfrc_address_resolve (&to, host, phone->port, AF_UNSPEC, NULL));
  fail_unless_equals_int (sendto (phone->fd, data, size, 0, &to.u.any, to.len), size);
}

/* Returns the size of the next datagram, which has come from the sink.
 * @host: set to the address that it has come from, to be freed */
static gsize
hear (const Phone *phone, guint8 data[GST_TFRC_MAX_PACKET_BYTES], gchar **host)
{
  GstTfrcAddress from = { .len = sizeof from.u };
  gssize size = recvfrom (phone->fd, data, GST_TFRC_MAX_PACKET_BYTES, 0, &from.u.any, &from.len);

  fail_unless (size > 0, "%s", g_strerror (errno));
  fail_unless_equals_int (gst_tfrc_address_port (&from), phone->port);
  *host = gst_tfrc_address_to_string (&from);
  return (gsize) size;
}

static gboolean
is_from (const Phone *phone, const gchar *from, const gchar *host)
{
  gchar *expected = g_strdup_printf (strchr (host, ':') ? "[%s]:%u" : "%s:%u", host, phone->port);
  gboolean is_same = g_str_equal (from, expected);

  g_free (expected);
  return is_same;
}

/* Calls until the call is accepted. Each answer comes from the address that was called; data may still come from another. */
static void
call (Phone *phone, const gchar *host)
{
  gboolean is_accepted = FALSE;

  send_call (phone, host);
  while (!is_accepted) {
    guint8 data[GST_TFRC_MAX_PACKET_BYTES];
    GstTfrcAnswerPacket answer;
    gchar *from;
    gsize size = hear (phone, data, &from);

    if (gst_tfrc_answer_packet_parse (data, size, &answer)) {
      fail_unless (is_from (phone, from, host), "an answer from %s", from);
      is_accepted = answer.kind == GST_TFRC_ANSWER_ACCEPTED;
      memcpy (phone->call.cookie, answer.cookie, sizeof answer.cookie);
      if (answer.kind == GST_TFRC_ANSWER_COOKIE)
        send_call (phone, host);
    }
    g_free (from);
  }
}

/* Takes the cookie that answers a call, if one comes soon. */
static void
take_cookie (Phone *phone)
{
  struct pollfd readable = { phone->fd, POLLIN, 0 };
  guint8 data[GST_TFRC_MAX_PACKET_BYTES];
  GstTfrcAnswerPacket answer;
  gchar *from;

  if (poll (&readable, 1, 10) <= 0)
    return;
  fail_unless (gst_tfrc_answer_packet_parse (data, hear (phone, data, &from), &answer));
  memcpy (phone->call.cookie, answer.cookie, sizeof answer.cookie);
  g_free (from);
}

/* All that comes is from this address: waits for data and for RTCP. The call has been accepted, so that the caller gets
 * all of the movie. */
static void
check_stream_from (const Phone *phone, const gchar *host)
{
  guint data_packets = 0, reports = 0;

  test_sender_push_bytes (phone->sender, phone->movie, PAYLOAD_BYTES);
  while (data_packets == 0 || reports == 0) {
    guint8 data[GST_TFRC_MAX_PACKET_BYTES];
    gchar *from;
    gsize size = hear (phone, data, &from);

    fail_unless (is_from (phone, from, host), "from %s instead of %s", from, host);
    if (tfrc_wire_classify (data, size) == TFRC_WIRE_KIND_DATA)
      data_packets++;
    else if (!gst_tfrc_answer_packet_is (data, size))
      reports++;
    g_free (from);
  }
}

/* Waits for a data packet that comes from this address. */
static void
wait_for_data_from (const Phone *phone, const gchar *host)
{
  gboolean has_come = FALSE;

  test_sender_push_bytes (phone->sender, phone->movie, PAYLOAD_BYTES);
  while (!has_come) {
    guint8 data[GST_TFRC_MAX_PACKET_BYTES];
    gchar *from;
    gsize size = hear (phone, data, &from);

    has_come = tfrc_wire_classify (data, size) == TFRC_WIRE_KIND_DATA
        && is_from (phone, from, host);
    g_free (from);
  }
}

GST_START_TEST (test_all_that_leaves_comes_from_the_address_that_was_called)
{
  Phone phone = phone_new ("0.0.0.0", "127.0.0.1");

  call (&phone, "127.0.0.5");
  check_stream_from (&phone, "127.0.0.5");
  phone_free (&phone);
}

GST_END_TEST;

GST_START_TEST (test_a_socket_of_both_versions_of_ip_answers_from_the_address_that_was_called)
{
  Phone phone = phone_new ("::", "127.0.0.1");

  call (&phone, "127.0.0.5");
  check_stream_from (&phone, "127.0.0.5");
  phone_free (&phone);
}

GST_END_TEST;

GST_START_TEST (test_a_caller_that_calls_another_address_of_the_host_gets_the_stream_from_there)
{
  Phone phone = phone_new ("0.0.0.0", "127.0.0.1");

  call (&phone, "127.0.0.5");
  check_stream_from (&phone, "127.0.0.5");
  call (&phone, "127.0.0.6");
  check_stream_from (&phone, "127.0.0.6");
  phone_free (&phone);
}

GST_END_TEST;

GST_START_TEST (test_an_address_that_the_sink_is_bound_to_is_where_the_stream_comes_from)
{
  Phone phone = phone_new ("127.0.0.5", "127.0.0.1");

  call (&phone, "127.0.0.5");
  check_stream_from (&phone, "127.0.0.5");
  phone_free (&phone);
}

GST_END_TEST;

static void
wait_for_caller (GstElement *sink)
{
  gint64 end_us = g_get_monotonic_time () + WAIT_S * G_TIME_SPAN_SECOND;

  while (test_stat (sink, "callers-accepted") == 0) {
    fail_unless (g_get_monotonic_time () < end_us);
    g_usleep (1000);
  }
}

static void
check_receiver (const gchar *properties)
{
  gint port = test_free_port ();
  gchar *of_sink = g_strdup_printf ("mode=listener bind-address=0.0.0.0 %s", properties),
        *of_src = g_strdup_printf ("mode=caller address=127.0.0.5 port=%d %s", port, properties),
        *called = g_strdup_printf ("127.0.0.5:%d", port);
  TestSender *sender = test_sender_new (port, of_sink);
  TestReceiver *receiver = test_receiver_new (of_src);
  GBytes *movie = test_movie (7 * 20, 1);

  wait_for_caller (sender->sink);
  test_sender_push_bytes (sender, movie, PAYLOAD_BYTES);
  test_receiver_wait_movie (receiver, movie);
  test_assert_stat (receiver->src, "sender", called);
  test_receiver_free (receiver);
  test_sender_free (sender);
  g_bytes_unref (movie);
  g_free (of_sink);
  g_free (of_src);
  g_free (called);
}

GST_START_TEST (test_a_receiver_hears_its_sender_at_the_address_that_it_called)
{
  check_receiver ("");
  check_receiver ("passphrase=\"only the two ends know it\"");
}

GST_END_TEST;

static GstStructure *
defer (
    GstElement *sink, guint64 id, GSocketAddress *address, const gchar *stream_id, gint *caller_id)
{
  g_atomic_int_set (caller_id, (gint) id);
  return gst_structure_new ("answer", "defer", G_TYPE_BOOLEAN, TRUE, NULL);
}

GST_START_TEST (test_a_sink_of_another_pipeline_serves_a_caller_from_the_address_that_was_called)
{
  Phone phone = phone_new ("0.0.0.0", "127.0.0.1");
  TestSender *listener = phone.sender;
  gint caller_id = 0;

  g_signal_connect (listener->sink, "caller-connecting", G_CALLBACK (defer), &caller_id);
  while (g_atomic_int_get (&caller_id) == 0) {
    send_call (&phone, "127.0.0.5");
    take_cookie (&phone);
  }
  phone.sender = test_guest_sender_new (listener->sink, (guint64) caller_id);
  check_stream_from (&phone, "127.0.0.5");
  phone_free (&phone);
  test_sender_free (listener);
}

GST_END_TEST;

/* ---- in a network namespace ------------------------------------------------------ */

static void
configure (gint family, gulong what, gpointer request)
{
  gint fd = socket (family, SOCK_DGRAM, 0);

  fail_unless (fd >= 0 && ioctl (fd, what, request) == 0, "%s", g_strerror (errno));
  close (fd);
}

static gboolean
enter_namespace (void)
{
  struct ifreq flags = { .ifr_name = "lo", .ifr_flags = IFF_UP };

  if (unshare (CLONE_NEWNET) < 0) {
    g_print ("skipped: no network namespace (%s)\n", g_strerror (errno));
    return FALSE;
  }
  configure (AF_INET, SIOCSIFFLAGS, &flags);
  return TRUE;
}

/* Gives the loopback interface a second address, or takes it away. */
static void
set_address (gboolean exists)
{
  struct ifreq address = { .ifr_name = "lo:1" }, flags = { .ifr_name = "lo:1" };
  struct sockaddr_in *v4 = (struct sockaddr_in *) &address.ifr_addr;

  v4->sin_family = AF_INET;
  v4->sin_addr.s_addr = inet_addr (LOST_ADDRESS);
  if (exists)
    configure (AF_INET, SIOCSIFADDR, &address);
  else
    configure (AF_INET, SIOCSIFFLAGS, &flags);
}

/* Returns whether the host can send to the sink there. */
static gboolean
is_reachable (const Phone *phone, const gchar *host)
{
  GstTfrcAddress to;

  fail_unless (gst_tfrc_address_resolve (&to, host, phone->port, AF_UNSPEC, NULL));
  return sendto (phone->fd, "", 0, 0, &to.u.any, to.len) == 0;
}

static void
set_v6_address (const gchar *text, gboolean exists)
{
  Ipv6Request request = { .prefix_bytes = 128, .interface = (gint) if_nametoindex ("lo") };

  fail_unless_equals_int (inet_pton (AF_INET6, text, &request.address), 1);
  configure (AF_INET6, exists ? SIOCSIFADDR : SIOCDIFADDR, &request);
}

GST_START_TEST (test_ipv6_leaves_from_the_address_that_was_called_while_the_host_has_it)
{
  Phone phone;

  if (!enter_namespace ())
    return;
  set_v6_address ("fd00::5", TRUE);
  set_v6_address ("fd00::6", TRUE);
  phone = phone_new ("::", "::1");
  call (&phone, "fd00::5");
  check_stream_from (&phone, "fd00::5");
  call (&phone, "fd00::6");
  check_stream_from (&phone, "fd00::6");
  set_v6_address ("fd00::6", FALSE);
  wait_for_data_from (&phone, "::1");
  phone_free (&phone);
}

GST_END_TEST;

GST_START_TEST (test_the_stream_goes_on_when_the_host_has_lost_the_address_that_was_called)
{
  Phone phone;

  if (!enter_namespace ())
    return;
  set_address (TRUE);
  phone = phone_new ("0.0.0.0", "127.0.0.1");
  call (&phone, LOST_ADDRESS);
  check_stream_from (&phone, LOST_ADDRESS);
  set_address (FALSE);
  wait_for_data_from (&phone, "127.0.0.1");
  set_address (TRUE);
  wait_for_data_from (&phone, LOST_ADDRESS);
  fail_unless_equals_int (
      test_log_count (phone.sender->log, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR, NULL, NULL), 0);
  phone_free (&phone);
}

GST_END_TEST;

/* Without the address that it is bound to, a sink can neither hear nor send. It stays, and serves the callers that are there
 * and new ones once the address is back. If a packet was allowed to leave meanwhile, a warning tells that the system has
 * refused it. */
GST_START_TEST (test_a_listener_serves_its_callers_again_when_the_address_it_is_bound_to_is_back)
{
  Phone phone;

  if (!enter_namespace ())
    return;
  set_address (TRUE);
  phone = phone_new (LOST_ADDRESS, "127.0.0.1");
  call (&phone, LOST_ADDRESS);
  check_stream_from (&phone, LOST_ADDRESS);
  set_address (FALSE);
  test_sender_push_bytes (phone.sender, phone.movie, PAYLOAD_BYTES);
  fail_unless (!is_reachable (&phone, LOST_ADDRESS));
  set_address (TRUE);
  wait_for_data_from (&phone, LOST_ADDRESS);
  phone.call = (GstTfrcCallPacket){ .ssrc = 0x55667788, .number = 0x01020304 };
  call (&phone, LOST_ADDRESS);
  wait_for_data_from (&phone, LOST_ADDRESS);
  fail_unless_equals_int (test_log_count (phone.sender->log, GST_MESSAGE_ERROR, NULL, NULL), 0);
  phone_free (&phone);
}

GST_END_TEST;

GST_START_TEST (test_a_listener_on_an_address_that_the_host_has_lost_is_an_error)
{
  TestLog *log;
  GstElement *sink;

  if (!enter_namespace ())
    return;
  sink = gst_element_factory_make ("tfrcsink", NULL);
  gst_util_set_object_arg (G_OBJECT (sink), "mode", "listener");
  g_object_set (sink, "bind-address", LOST_ADDRESS, "port", 5004, NULL);
  log = test_log_new (sink);
  fail_unless_equals_int (gst_element_set_state (sink, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  test_log_wait_error (log, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE);
  set_address (TRUE); /* nothing is half open */
  fail_unless (gst_element_set_state (sink, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE);
  gst_element_set_state (sink, GST_STATE_NULL);
  test_log_free (log);
  gst_object_unref (sink);
}

GST_END_TEST;

static Suite *
calledaddress_suite (void)
{
  Suite *suite = suite_create ("calledaddress");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_all_that_leaves_comes_from_the_address_that_was_called);
  tcase_add_test (
      tcase, test_a_socket_of_both_versions_of_ip_answers_from_the_address_that_was_called);
  tcase_add_test (
      tcase, test_a_caller_that_calls_another_address_of_the_host_gets_the_stream_from_there);
  tcase_add_test (tcase, test_an_address_that_the_sink_is_bound_to_is_where_the_stream_comes_from);
  tcase_add_test (tcase, test_a_receiver_hears_its_sender_at_the_address_that_it_called);
  tcase_add_test (
      tcase, test_a_sink_of_another_pipeline_serves_a_caller_from_the_address_that_was_called);
  tcase_add_test (tcase, test_ipv6_leaves_from_the_address_that_was_called_while_the_host_has_it);
  tcase_add_test (
      tcase, test_the_stream_goes_on_when_the_host_has_lost_the_address_that_was_called);
  tcase_add_test (
      tcase, test_a_listener_serves_its_callers_again_when_the_address_it_is_bound_to_is_back);
  tcase_add_test (tcase, test_a_listener_on_an_address_that_the_host_has_lost_is_an_error);
  return suite;
}

GST_CHECK_MAIN (calledaddress);
