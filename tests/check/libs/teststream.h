/* A stream as the tests of the I/O loop see it, and what they wait for. */
#ifndef TEST_STREAM_H
#define TEST_STREAM_H

#include "testnet.h"

#include "gst/common/clock.h"
#include "gst/io/loop.h"

#define TEST_TIMEOUT_US (60 * G_TIME_SPAN_SECOND) /* ends failures */
#define MILLISECOND_NS 1000000

/* One stream as an element has it: a lock that its callbacks take, and work
 * that is due at some time. */
typedef struct
{
  GMutex lock;
  GCond changed;
  GstTfrcIo *io;
  gint fd;
  GstTfrcAddress address;

  guint64 due_ns;          /* when there is something to do */
  guint64 never_before_ns; /* a call before that is too early */
  gboolean greedy;         /* asks to be called again at once */
  gboolean block;          /* the callback waits while this is set */
  gboolean blocked;
  guint64 set_inside_ns; /* deadline that a callback sets itself */

  guint deadlines;
  guint packets;
  guint out_of_order;
  guint too_early;
  guint errors;
  gint last_error;
  GstTfrcAddress last_destination;
  GstTfrcAddress last_from;
  gint policy;
  gboolean signals_blocked;
  gint timer_slack;
} TestStream;

/* Waits, with the lock held, for what the callbacks change. */
#define test_wait_until(s, condition) \
  G_STMT_START \
  { \
    gint64 end_us = g_get_monotonic_time () + TEST_TIMEOUT_US; \
    while (!(condition)) \
      fail_unless (g_cond_wait_until (&(s)->changed, &(s)->lock, end_us), \
          "waited in vain for " #condition); \
  } \
  G_STMT_END

/* The callbacks of a TestStream, which is their user data. */
extern const GstTfrcIoCallbacks test_stream_callbacks;

/* Opens a socket on 127.0.0.1 and joins the loop. */
TestStream *test_stream_new (void);

/* Leaves the loop, and fails if a callback met something wrong. */
void test_stream_free (TestStream *s);

/* Sets a deadline as an element does, with the lock held, and keeps it. */
void test_stream_lock_and_set (TestStream *s, guint64 deadline_ns);

/* Sets a deadline, and waits until it has been served. */
void test_stream_wait_for_deadline (TestStream *s, guint64 deadline_ns);

/* Lets the loop's thread wait in a callback of @s. */
void test_stream_block (TestStream *s);
void test_stream_unblock (TestStream *s);

/* Sends @n packets of one byte, which counts from @value. */
void test_send_bytes (gint fd, const GstTfrcAddress *to, guint value, guint n);

guint64 test_count_wakeups (void);
guint test_count_loop_threads (void);

/** Waits until there are so many threads of the loop's name: one that the loop
 * has started for something else bears it until it has a name of its own. */
void test_wait_loop_threads (guint n);
void test_assert_loop_ended (void);

#endif
