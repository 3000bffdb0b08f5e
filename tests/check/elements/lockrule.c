/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* No mutex is held while an element calls the system for a socket or for a name.
 *
 * This program's functions stand before those of the C library and of GLib.  They remember the
 * mutexes that the plugin's code has locked on each thread.  When the plugin's code makes a call
 * that may block or be slow, they check that it holds none.  ThreadSanitizer intercepts the same
 * functions, see tsanglib.c; under it, this test does nothing. */
#define _GNU_SOURCE 1 /* RTLD_NEXT, sendmmsg, recvmmsg */
#include <dlfcn.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gst/base/gstbasesink.h>

#include "linktest.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WITH_TSAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define WITH_TSAN 1
#endif

#ifndef WITH_TSAN

static GMutex result_lock;
static GHashTable *calls; /* names of the calls that the plugin has made */
static GString *wrong;

#define EXPORT __attribute__ ((visibility ("default")))
#define REAL(name) ((__typeof__ (&name)) dlsym (RTLD_NEXT, #name))

#define MAX_HELD 16

static __thread GMutex *held[MAX_HELD];
static __thread guint n_held;
static GMutex
    *of_base_class; /* its preroll lock, which tfrcsink releases and takes again; atomic */

static gboolean
is_plugin (gconstpointer code)
{
  Dl_info info;

  return dladdr (code, &info) != 0 && info.dli_fname && strstr (info.dli_fname, "libgsttfrc");
}

static void
check_call (const gchar *name, gconstpointer caller)
{
  if (!is_plugin (caller))
    return;
  REAL (g_mutex_lock) (&result_lock);
  if (calls)
    g_hash_table_add (calls, (gpointer) name);
  if (wrong && n_held > 0 && strstr (wrong->str, name) == NULL)
    g_string_append_printf (wrong, "%s() with %u mutexes held\n", name, n_held);
  REAL (g_mutex_unlock) (&result_lock);
}

EXPORT void
g_mutex_lock (GMutex *lock)
{
  REAL (g_mutex_lock) (lock);
  if (is_plugin (__builtin_return_address (0)) && lock != g_atomic_pointer_get (&of_base_class)) {
    g_assert (n_held < MAX_HELD);
    held[n_held++] = lock;
  }
}

EXPORT void
g_mutex_unlock (GMutex *lock)
{
  /* The caller is not checked: if the caller ends with this call, the compiler makes a tail
   * call, and the return address is that of the caller's caller. */
  for (guint i = n_held; i-- > 0;) {
    if (held[i] == lock) {
      memmove (held + i, held + i + 1, (--n_held - i) * sizeof *held);
      break;
    }
  }
  REAL (g_mutex_unlock) (lock);
}

#define DEFINE_CALL(Type, name, parameters, arguments) \
  EXPORT Type name parameters \
  { \
    check_call (#name, __builtin_return_address (0)); \
    return REAL (name) arguments; \
  }

/* clang-format off */
DEFINE_CALL (int, socket, (int domain, int type, int protocol), (domain, type, protocol))
DEFINE_CALL (int, bind, (int fd, const struct sockaddr *name, socklen_t len), (fd, name, len))
DEFINE_CALL (int, setsockopt, (int fd, int level, int name, const void *value, socklen_t len),
    (fd, level, name, value, len))
DEFINE_CALL (int, getsockopt, (int fd, int level, int name, void *value, socklen_t *len),
    (fd, level, name, value, len))
DEFINE_CALL (ssize_t, send, (int fd, const void *data, size_t size, int flags),
    (fd, data, size, flags))
DEFINE_CALL (ssize_t, recv, (int fd, void *data, size_t size, int flags), (fd, data, size, flags))
DEFINE_CALL (ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags))
DEFINE_CALL (int, sendmmsg, (int fd, struct mmsghdr *messages, unsigned int n, int flags),
    (fd, messages, n, flags))
DEFINE_CALL (int, recvmmsg,
    (int fd, struct mmsghdr *messages, unsigned int n, int flags, struct timespec *timeout),
    (fd, messages, n, flags, timeout))
DEFINE_CALL (int, getaddrinfo,
    (const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **result),
    (node, service, hints, result))
DEFINE_CALL (int, getnameinfo,
    (const struct sockaddr *name, socklen_t len, char *host, socklen_t host_bytes, char *service,
        socklen_t service_bytes, int flags),
    (name, len, host, host_bytes, service, service_bytes, flags))
DEFINE_CALL (char *, if_indextoname, (unsigned int number, char name[IF_NAMESIZE]), (number, name))
DEFINE_CALL (int, close, (int fd), (fd))
/* clang-format on */

static void
begin (void)
{
  REAL (g_mutex_lock) (&result_lock);
  calls = g_hash_table_new (g_str_hash, g_str_equal);
  wrong = g_string_new (NULL);
  REAL (g_mutex_unlock) (&result_lock);
}

/* @expected: calls that the plugin has to make, up to NULL */
static void
end (const gchar *const *expected)
{
  REAL (g_mutex_lock) (&result_lock);
  for (; *expected; expected++)
    fail_unless (g_hash_table_contains (calls, *expected), "%s() was not seen", *expected);
  fail_unless (wrong->len == 0, "%s", wrong->str);
  g_clear_pointer (&calls, g_hash_table_unref);
  g_string_free (wrong, TRUE);
  wrong = NULL;
  REAL (g_mutex_unlock) (&result_lock);
}

static void
except (GMutex *lock)
{
  g_atomic_pointer_set (&of_base_class, lock);
}

#else

static void
except (GMutex *lock)
{
}

static void
begin (void)
{
}

static void
end (const gchar *const *expected)
{
}

#endif

GST_START_TEST (test_sink_holds_no_mutex_during_system_calls)
{
  static const gchar *const expected[] = { "socket", "bind", "setsockopt", "sendmmsg", "recvmmsg",
    "close", NULL };
  TestReceiver *to = test_receiver_new (NULL);
  GBytes *ts = test_movie (70, 1);
  TestSender *sender;

  begin ();
  sender = test_sender_new (to->port, "stats-update-interval=1");
  except (GST_BASE_SINK_GET_PREROLL_LOCK (sender->sink));
  test_sender_push_bytes (sender, ts, 0);
  test_receiver_wait_movie (to, ts);
  g_object_set (sender->sink, "ttl", 9, "qos-dscp", 10, "max-queue-time", 100, NULL);
  test_stat (sender->sink, "packets-sent");
  test_sender_eos (sender);
  test_sender_wait_eos (sender);
  test_sender_free (sender);
  end (expected);
  test_receiver_free (to);
  g_bytes_unref (ts);
}

GST_END_TEST;

GST_START_TEST (test_source_holds_no_mutex_during_system_calls)
{
  static const gchar *const expected[] = { "socket", "bind", "getaddrinfo", "sendmmsg", "recvmmsg",
    "send", "recv", "if_indextoname", "close", NULL };

  begin ();
  start ("address=" OLD_LINK " auto-handover=true");
  begin_stream ();
  check_stat ("interface", "lo");
  fail_unless (hand_over ("options, bind-address=" NEW_LINK));
  fail_unless (hand_over ("options, bind-address=" THIRD_LINK));
  fail_unless (hand_over (NULL));
  g_object_set (receiver->src, "latency", 100, NULL);
  finish ();
  end (expected);
}

GST_END_TEST;

/* For the name of a link-local address, getnameinfo() asks the kernel for that of the interface. */
GST_START_TEST (test_source_holds_no_mutex_while_it_names_its_callers)
{
  static const gchar *const expected[] = { "getnameinfo", NULL };
  TestReceiver *from = test_receiver_new ("streamid=film keep-listening=true");
  GBytes *ts = test_movie (70, 1);
  TestSender *caller;
  GstStructure *stats;

  begin ();
  caller = test_sender_new (from->port, "mode=caller streamid=film");
  except (GST_BASE_SINK_GET_PREROLL_LOCK (caller->sink));
  test_sender_push_bytes (caller, ts, 0);
  test_receiver_wait_movie (from, ts);
  g_object_get (from->src, "stats", &stats, NULL);
  fail_unless (gst_structure_has_field (stats, "callers"));
  gst_structure_free (stats);
  test_sender_free (caller);
  end (expected);
  test_receiver_free (from);
  g_bytes_unref (ts);
}

GST_END_TEST;

static Suite *
lockrule_suite (void)
{
  Suite *suite = suite_create ("lockrule");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_sink_holds_no_mutex_during_system_calls);
  tcase_add_test (tcase, test_source_holds_no_mutex_during_system_calls);
  tcase_add_test (tcase, test_source_holds_no_mutex_while_it_names_its_callers);
  return suite;
}

GST_CHECK_MAIN (lockrule);
