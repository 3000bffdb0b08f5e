/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What clients can do to an HTTP server, see tools/http/httpserver.h */
#include <gst/check/gstcheck.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tools/http/httpserver.h"

#define GET "GET /x HTTP/1.1\r\nHost: localhost\r\n"
#define POST "POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
#define MAX_BODY 4
#define LONG_ANSWER (16 << 20) /* more than the sockets of both ends hold */

/* ---- a server --------------------------------------------------------------- */

static guint handled, messages;
static gsize answer_bytes;

static void
on_freed (gpointer unused, GObject *message)
{
  messages--;
}

/* Answers with the body of the request. */
static void
handle (SoupServerMessage *message, const gchar *path, gpointer data)
{
  SoupMessageBody *body = soup_server_message_get_request_body (message);

  handled++;
  messages++;
  g_object_weak_ref (G_OBJECT (message), on_freed, NULL);
  fail_unless_equals_string (path, "/x");
  fail_unless (data == &handled);
  http_answer (message, SOUP_STATUS_OK, "text/plain",
      answer_bytes > 0 ? g_strnfill (answer_bytes, 'x')
                       : g_strndup (body->data, (gsize) body->length));
}

static HttpServer *
server_new (const gchar *address, guint max_connections, guint deadline_ms)
{
  const HttpConfig config = { "test", MAX_BODY, max_connections, deadline_ms, handle, &handled };
  GError *error = NULL;
  HttpServer *server = http_server_new (&config, address, 0, &error);

  fail_unless (server != NULL, "%s", error != NULL ? error->message : "");
  handled = messages = 0;
  answer_bytes = 0;
  return server;
}

/* ---- clients ---------------------------------------------------------------- */

typedef struct
{
  GSocket *socket;
  GSource *source;
  GString *answer;
  gboolean has_ended; /* the server has closed or half-closed the connection */
} Client;

static gboolean
on_input (GSocket *socket, GIOCondition condition, gpointer data)
{
  Client *client = data;
  gchar bytes[4096];
  gssize n = g_socket_receive_with_blocking (socket, bytes, sizeof bytes, FALSE, NULL, NULL);

  if (n > 0)
    g_string_append_len (client->answer, bytes, n);
  client->has_ended = n <= 0;
  return n > 0;
}

/* @reads: takes what comes */
static Client *
client_new (const HttpServer *server, const gchar *request, gboolean reads)
{
  Client *client = g_new0 (Client, 1);
  gchar *uri = http_server_dup_uri (server);
  GSocketAddress *address = g_inet_socket_address_new_from_string (
      "127.0.0.1", (guint) atoi (strrchr (uri, ':') + 1));

  client->answer = g_string_new (NULL);
  client->socket = g_socket_new (
      G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL);
  fail_unless (g_socket_connect (client->socket, address, NULL, NULL));
  fail_unless (g_socket_send (client->socket, request, strlen (request), NULL, NULL)
      == (gssize) strlen (request));
  client->source = g_socket_create_source (client->socket, G_IO_IN, NULL);
  g_source_set_callback (client->source, G_SOURCE_FUNC (on_input), client, NULL);
  if (reads)
    g_source_attach (client->source, NULL);
  g_object_unref (address);
  g_free (uri);
  return client;
}

static void
client_free (Client *client)
{
  g_source_destroy (client->source);
  g_source_unref (client->source);
  g_object_unref (client->socket);
  g_string_free (client->answer, TRUE);
  g_free (client);
}

static void
wait_for_end (const Client *client)
{
  while (!client->has_ended)
    g_main_context_iteration (NULL, TRUE);
}

/* Returns the whole answer, which the caller frees. */
static gchar *
ask (const HttpServer *server, const gchar *request)
{
  Client *client = client_new (server, request, TRUE);
  gchar *answer;

  wait_for_end (client);
  answer = g_strdup (client->answer->str);
  client_free (client);
  return answer;
}

static void
assert_status (const HttpServer *server, const gchar *request, guint status)
{
  gchar *expected = g_strdup_printf (" %u ", status), *answer = ask (server, request);

  fail_unless (g_str_has_prefix (answer, "HTTP/1."), "%.80s: %s", request, answer);
  fail_unless (
      g_str_has_prefix (answer + strlen ("HTTP/1.1"), expected), "%.80s: %s", request, answer);
  g_free (answer);
  g_free (expected);
}

/* ---- requests ---------------------------------------------------------------- */

/* None of these sends its body, so that a server that waits for the body would never answer. */
GST_START_TEST (a_body_is_refused_before_it_is_read)
{
  static const struct
  {
    const gchar *request;
    guint status;
  } cases[] = {
    { POST "Content-Length: 5\r\n\r\n", 413 },
    { POST "Content-Length: 1000000000\r\n\r\n", 413 },
    { POST "Content-Length: 1000000000\r\nExpect: 100-continue\r\n\r\n", 413 },
    { POST "Content-Length: 18446744073709551615\r\n\r\n", 413 },
    { POST "Content-Length: -1\r\n\r\n", 413 },
    { POST "Transfer-Encoding: chunked\r\n\r\n", 411 },
    { POST "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", 411 },
    { POST "Transfer-Encoding: gzip\r\n\r\n", 400 },
    { POST "Content-Length: four\r\n\r\n", 400 },
    { GET "Content-Length: 5\r\n\r\n", 413 },
    { "PUT /%2e%2e/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n", 413 },
  };
  HttpServer *server = server_new ("127.0.0.1", 0, 0);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_status (server, cases[i].request, cases[i].status);
  fail_unless_equals_int (handled, 0);
  http_server_free (server);
}

GST_END_TEST;

/* libsoup would keep the name of the method, and has not the same path for all of these. */
GST_START_TEST (a_request_that_is_none_is_refused)
{
  HttpServer *server = server_new ("127.0.0.1", 0, 0);

  assert_status (server, "FETCH /x HTTP/1.1\r\nHost: localhost\r\n\r\n", 501);
  assert_status (server, "get /x HTTP/1.1\r\nHost: localhost\r\n\r\n", 501);
  assert_status (server, "CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 501);
  assert_status (server, "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", 400);
  assert_status (server, "GET http://localhost/x HTTP/1.1\r\nHost: localhost\r\n\r\n", 400);
  assert_status (server, "GET /x\r\n\r\n", 400);
  assert_status (server, "GET /x HTTP/2.0\r\nHost: localhost\r\n\r\n", 505);
  assert_status (server, "\r\n\r\n", 400);
  assert_status (server, "\n\n", 400);
  fail_unless_equals_int (handled, 0);
  http_server_free (server);
}

GST_END_TEST;

GST_START_TEST (a_request_may_come_in_pieces)
{
  static const gchar rest[] = "T /x HTTP/1.1\r\nHost: localhost\r\n\r\n";
  HttpServer *server = server_new ("127.0.0.1", 0, 0);
  Client *client = client_new (server, "GE", TRUE);
  const gchar *byte;

  for (byte = rest; *byte != '\0'; byte++) {
    while (g_main_context_iteration (NULL, FALSE))
      ;
    fail_unless_equals_int (handled, 0);
    fail_unless (g_socket_send (client->socket, byte, 1, NULL, NULL) == 1);
  }
  wait_for_end (client);
  fail_unless_equals_int (handled, 1);
  client_free (client);
  http_server_free (server);
}

GST_END_TEST;

GST_START_TEST (a_client_that_leaves_is_forgotten)
{
  HttpServer *server = server_new ("127.0.0.1", 0, 0);
  Client *client = client_new (server, GET, TRUE);

  g_socket_shutdown (client->socket, FALSE, TRUE, NULL);
  wait_for_end (client);
  fail_unless_equals_int (client->answer->len, 0);
  fail_unless_equals_int (handled, 0);
  client_free (client);
  http_server_free (server);
}

GST_END_TEST;

GST_START_TEST (a_body_within_the_limit_is_read)
{
  HttpServer *server = server_new ("127.0.0.1", 0, 0);
  gchar *answer = ask (server, POST "Content-Length: 4\r\n\r\n1234");

  fail_unless (g_str_has_prefix (answer, "HTTP/1.1 200 OK\r\n"), "%s", answer);
  fail_unless (g_str_has_suffix (answer, "\r\n\r\n1234"), "%s", answer);
  g_free (answer);
  http_server_free (server);
}

GST_END_TEST;

GST_START_TEST (little_of_a_refused_body_is_read)
{
  gchar bytes[4096] = { 0 };
  HttpServer *server = server_new ("127.0.0.1", 0, 0);
  Client *client = client_new (server, POST "Content-Length: 1000000000\r\n\r\n", FALSE);
  GError *error = NULL;

  while (error == NULL || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK)) {
    g_clear_error (&error);
    g_main_context_iteration (NULL, FALSE);
    g_socket_send_with_blocking (client->socket, bytes, sizeof bytes, FALSE, NULL, &error);
  }
  g_error_free (error);
  client_free (client);
  http_server_free (server);
}

GST_END_TEST;

static gchar *
with_headers (guint bytes)
{
  GString *text = g_string_new (GET);

  while (text->len < bytes)
    g_string_append (text, "a:\r\n");
  return g_string_free (g_string_append (text, "\r\n"), FALSE);
}

GST_START_TEST (long_headers_are_refused)
{
  HttpServer *server = server_new ("127.0.0.1", 0, 0);
  gchar *text = g_strdup_printf (GET "a: %0*d\r\n\r\n", 16300, 0);

  assert_status (server, text, 200);
  g_free (text);
  text = g_strdup_printf (GET "a: %0*d\r\n\r\n", 16400, 0);
  assert_status (server, text, 413);
  g_free (text);
  text = g_strdup_printf ("GET /x?%0*d HTTP/1.1\r\nHost: localhost\r\n\r\n", 16400, 0);
  assert_status (server, text, 413);
  g_free (text);
  text = with_headers (65000);
  assert_status (server, text, 413);
  g_free (text);
  fail_unless_equals_int (handled, 1);
  http_server_free (server);
}

GST_END_TEST;

GST_START_TEST (a_local_server_has_no_other_name)
{
  HttpServer *server = server_new ("127.0.0.1", 0, 0);
  gchar *answer;

  assert_status (server, GET "\r\n", 200);
  assert_status (server, "GET /x HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n", 200);
  assert_status (server, "GET /x HTTP/1.1\r\nHost: [::1]\r\n\r\n", 200);
  assert_status (server, "GET /x HTTP/1.0\r\n\r\n", 200);
  assert_status (server, "GET /x HTTP/1.1\r\nHost: rebound.example\r\n\r\n", 421);
  assert_status (server, "GET /x HTTP/1.1\r\nHost: localhost.example\r\n\r\n", 421);
  answer = ask (server, "HEAD /x HTTP/1.1\r\nHost: rebound.example\r\n\r\n");
  fail_unless (g_str_has_suffix (answer, "\r\n\r\n"), "%s", answer);
  g_free (answer);
  http_server_free (server);
  server = server_new ("0.0.0.0", 0, 0);
  assert_status (server, "GET /x HTTP/1.1\r\nHost: server.example\r\n\r\n", 200);
  http_server_free (server);
}

GST_END_TEST;

/* A page may send to any server what a form can, and says from where it is. */
GST_START_TEST (pages_of_other_origins_are_refused)
{
  static const struct
  {
    const gchar *request;
    guint status;
  } cases[] = {
    { POST "Content-Length: 1\r\nOrigin: http://localhost\r\n\r\n1", 200 },
    { "POST /x HTTP/1.1\r\nHost: 127.0.0.1:80\r\nOrigin: https://127.0.0.1:80\r\n"
      "Content-Type: application/json; charset=utf-8\r\nContent-Length: 1\r\n\r\n1",
        200 },
    { POST "Content-Length: 1\r\nOrigin: http://page.example\r\n\r\n1", 403 },
    { POST "Content-Length: 1\r\nOrigin: http://localhost:8080\r\n\r\n1", 403 },
    { POST "Content-Length: 1\r\nOrigin: null\r\n\r\n1", 403 },
    { POST "Content-Length: 1\r\nOrigin:\r\n\r\n1", 403 },
    { POST "Content-Length: 1\r\nOrigin: http://localhost\r\nOrigin: http://a\r\n\r\n1", 403 },
    { "POST /x HTTP/1.0\r\nOrigin: http://localhost\r\n\r\n", 403 },
    { "OPTIONS /x HTTP/1.1\r\nHost: localhost\r\nOrigin: http://page.example\r\n\r\n", 403 },
    { GET "Origin: http://page.example\r\n\r\n", 403 },
    { "POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n1", 415 },
    { "POST /x HTTP/1.1\r\nHost: localhost\r\n"
      "Content-Type: text/plain\r\nContent-Length: 1\r\n\r\n1",
        415 },
    { "POST /x HTTP/1.1\r\nHost: localhost\r\n\r\n", 415 },
  };
  HttpServer *server = server_new ("127.0.0.1", 0, 0);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_status (server, cases[i].request, cases[i].status);
  fail_unless_equals_int (handled, 2);
  http_server_free (server);
}

GST_END_TEST;

/* The parts would overlap, and make a hundred times the answer. */
GST_START_TEST (a_request_for_parts_gets_the_whole)
{
  HttpServer *server = server_new ("127.0.0.1", 0, 0);

  answer_bytes = 10;
  assert_status (server, GET "Range: bytes=0-1\r\n\r\n", 200);
  http_server_free (server);
}

GST_END_TEST;

GST_START_TEST (a_connection_has_one_request)
{
  HttpServer *server = server_new ("127.0.0.1", 0, 0);
  gchar *answer = ask (server, GET "\r\n" GET "\r\n");

  fail_unless (strstr (answer, "\r\nConnection: close\r\n") != NULL, "%s", answer);
  fail_unless_equals_int (handled, 1);
  g_free (answer);
  http_server_free (server);
}

GST_END_TEST;

/* ---- connections ------------------------------------------------------------- */

GST_START_TEST (a_new_connection_takes_the_place_of_the_oldest)
{
  HttpServer *server = server_new ("127.0.0.1", 2, 0);
  Client *first = client_new (server, "", TRUE), *second = client_new (server, GET, TRUE);

  assert_status (server, GET "\r\n", 200);
  fail_unless (first->has_ended);
  fail_if (second->has_ended);
  assert_status (server, GET "\r\n", 200);
  fail_if (second->has_ended);
  client_free (first);
  client_free (second);
  http_server_free (server);
}

GST_END_TEST;

GST_START_TEST (a_connection_ends_at_its_deadline)
{
  static const gchar *const requests[] = { "", "GET", GET, POST "Content-Length: 4\r\n\r\n1",
    POST "Content-Length: 5\r\n\r\n" };
  HttpServer *server = server_new ("127.0.0.1", 0, 20);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (requests); i++)
    g_free (ask (server, requests[i]));
  fail_unless_equals_int (handled, 0);
  http_server_free (server);
}

GST_END_TEST;

GST_START_TEST (an_answer_that_nobody_reads_is_freed_at_the_deadline)
{
  HttpServer *server = server_new ("127.0.0.1", 0, 200);
  Client *client = client_new (server, GET "\r\n", FALSE);

  answer_bytes = LONG_ANSWER;
  while (handled == 0)
    g_main_context_iteration (NULL, TRUE);
  fail_unless_equals_int (messages, 1);
  while (messages > 0)
    g_main_context_iteration (NULL, TRUE);
  client_free (client);
  http_server_free (server);
}

GST_END_TEST;

static void
count (const gchar *domain, GLogLevelFlags level, const gchar *text, gpointer warnings)
{
  ++*(guint *) warnings;
}

/* The connection waits until there is one. What the server does meanwhile would fill a log and take a processor. */
GST_START_TEST (without_a_descriptor_the_server_rests)
{
  HttpServer *server = server_new ("127.0.0.1", 0, 0);
  Client *client = client_new (server, GET "\r\n", TRUE);
  struct rlimit before, none;
  guint warnings = 0, rounds = 0, i;
  int next = dup (STDIN_FILENO);
  guint handler = g_log_set_handler ("GLib-GIO", G_LOG_LEVEL_WARNING, count, &warnings);

  fail_unless (getrlimit (RLIMIT_NOFILE, &before) == 0);
  none = (struct rlimit){ (rlim_t) next, before.rlim_max };
  close (next);
  fail_unless (setrlimit (RLIMIT_NOFILE, &none) == 0);
  for (i = 0; i < 1000; i++)
    rounds += g_main_context_iteration (NULL, FALSE);
  fail_unless (setrlimit (RLIMIT_NOFILE, &before) == 0);
  fail_unless (rounds < 100, "%u tries", rounds);
  fail_unless_equals_int (warnings, 0);
  wait_for_end (client);
  fail_unless_equals_int (handled, 1);
  g_log_remove_handler ("GLib-GIO", handler);
  client_free (client);
  http_server_free (server);
}

GST_END_TEST;

GST_START_TEST (a_server_that_ends_closes_all_connections)
{
  HttpServer *server = server_new ("127.0.0.1", 0, 0);
  Client *idle = client_new (server, "", TRUE),
         *refused = client_new (server, POST "Content-Length: 5\r\n\r\n", TRUE);

  while (refused->answer->len == 0)
    g_main_context_iteration (NULL, TRUE);
  http_server_free (server);
  wait_for_end (idle);
  wait_for_end (refused);
  client_free (idle);
  client_free (refused);
}

GST_END_TEST;

GST_START_TEST (an_address_that_is_none_is_an_error)
{
  const HttpConfig config = { .name = "test", .handle = handle, .data = &handled };
  GError *error = NULL;

  fail_unless (http_server_new (&config, "localhost", 0, &error) == NULL);
  fail_unless_equals_string (error->message, "localhost is not a numeric address");
  g_clear_error (&error);
  fail_unless (http_server_new (&config, "192.0.2.1", 0, &error) == NULL);
  fail_unless (error != NULL);
  g_error_free (error);
}

GST_END_TEST;

static Suite *
httpserver_suite (void)
{
  Suite *suite = suite_create ("httpserver");
  TCase *requests = tcase_create ("requests"), *connections = tcase_create ("connections");

  suite_add_tcase (suite, requests);
  tcase_add_test (requests, a_body_is_refused_before_it_is_read);
  tcase_add_test (requests, a_request_that_is_none_is_refused);
  tcase_add_test (requests, a_request_may_come_in_pieces);
  tcase_add_test (requests, a_client_that_leaves_is_forgotten);
  tcase_add_test (requests, a_body_within_the_limit_is_read);
  tcase_add_test (requests, little_of_a_refused_body_is_read);
  tcase_add_test (requests, long_headers_are_refused);
  tcase_add_test (requests, a_local_server_has_no_other_name);
  tcase_add_test (requests, pages_of_other_origins_are_refused);
  tcase_add_test (requests, a_request_for_parts_gets_the_whole);
  tcase_add_test (requests, a_connection_has_one_request);
  suite_add_tcase (suite, connections);
  tcase_add_test (connections, a_new_connection_takes_the_place_of_the_oldest);
  tcase_add_test (connections, a_connection_ends_at_its_deadline);
  tcase_add_test (connections, an_answer_that_nobody_reads_is_freed_at_the_deadline);
  tcase_add_test (connections, without_a_descriptor_the_server_rests);
  tcase_add_test (connections, a_server_that_ends_closes_all_connections);
  tcase_add_test (connections, an_address_that_is_none_is_an_error);
  return suite;
}

GST_CHECK_MAIN (httpserver);
