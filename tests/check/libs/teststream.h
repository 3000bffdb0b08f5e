/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stream for the tests of the I/O loop, and functions that wait for events of the stream */
#ifndef TEST_STREAM_H
#define TEST_STREAM_H

#include "testnet.h"

#include "gst/common/clock.h"
#include "gst/io/loop.h"

#define TEST_TIMEOUT_US (60 * G_TIME_SPAN_SECOND) /* a test that waits longer fails */
#define MILLISECOND_NS 1000000

/* A stream as in an element: a lock that its callbacks take, and work that is due at a certain
 * time. */
typedef struct
{
  GMutex lock;
  GCond changed;
  GstTfrcIo *io;
  gint fd;
  GstTfrcAddress address;

  guint64 due_ns;          /* when work is due */
  guint64 never_before_ns; /* a callback before this time is too early */
  gboolean greedy;         /* the stream asks for another callback at once */
  gboolean block;          /* the callback waits while this is set */
  gboolean blocked;
  guint64 set_inside_ns; /* deadline that the callback itself sets */

  guint deadlines;
  guint packets;
  guint packets_at_deadline; /* when the last deadline was served */
  guint out_of_order;
  guint too_early;
  guint errors;
  gint last_error;
  GstTfrcAddress last_destination;
  GstTfrcAddress last_from;
  GThread *thread; /* that ran the last deadline */
  gint policy;
  gboolean signals_blocked;
  gint timer_slack;
} TestStream;

/* Waits until a callback has made @condition true. The caller holds the lock. */
#define test_wait_until(s, condition) \
  G_STMT_START \
  { \
    gint64 end_us = g_get_monotonic_time () + TEST_TIMEOUT_US; \
    while (!(condition)) \
      fail_unless (g_cond_wait_until (&(s)->changed, &(s)->lock, end_us), \
          "waited in vain for " #condition); \
  } \
  G_STMT_END

/* The callbacks of a TestStream. Their user data is the stream. */
extern const GstTfrcIoCallbacks test_stream_callbacks;

/* Opens a socket on 127.0.0.1 and joins a loop. */
TestStream *test_stream_new (void);

/* Likewise, the loop of @beside. */
TestStream *test_stream_new_beside (const TestStream *beside);

/* Leaves the loop. The test fails if a callback has seen an error. */
void test_stream_free (TestStream *s);

/* Takes the lock, sets a deadline as an element does, and keeps the lock. */
void test_stream_lock_and_set (TestStream *s, guint64 deadline_ns);

/* Sets a deadline, and waits until the deadline has been served. */
void test_stream_wait_for_deadline (TestStream *s, guint64 deadline_ns);

/* Makes the loop's thread wait in a callback of @s until test_stream_unblock(). */
void test_stream_block (TestStream *s);
void test_stream_unblock (TestStream *s);

/* Sends @n packets of one byte. The bytes count up from @value. */
void test_send_bytes (gint fd, const GstTfrcAddress *to, guint value, guint n);

/* Lets the next streams have up to @threads loops, of which each is full with @streams streams; 0: as
 * without the variables of the environment. */
void test_limit_loops (guint threads, guint streams);

/* Returns how many streams each loop has, the most first, such as "3 1"; to be freed. */
gchar *test_streams_of_loops (void);
#define test_assert_streams_of_loops(expected) \
  G_STMT_START \
  { \
    gchar *counts = test_streams_of_loops (); \
    fail_unless_equals_string (counts, expected); \
    g_free (counts); \
  } \
  G_STMT_END

guint64 test_count_wakeups (void);
guint test_count_loop_threads (void);

/* Waits until @n threads have the name of the loop's thread. A thread that the loop has started for
 * another purpose has this name until it gets its own. */
void test_wait_loop_threads (guint n);
void test_assert_loop_ended (void);

#endif
