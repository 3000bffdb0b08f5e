/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The I/O loop between many threads and with many streams, see
 * gst/io/loop.h. */
#include <sys/resource.h>
#include <unistd.h>

#include "gst/io/looplimits.h"
#include "teststream.h"

#define N_SETTERS 4
#define N_SHARED 3

/* Gives work to each stream again and again, and waits until the stream has done the work. The
 * deadline is set with the stream's lock held, as in an element. */
static gpointer
set_deadlines (gpointer data)
{
  TestStream **shared = data;
  GRand *rand = g_rand_new_with_seed (GPOINTER_TO_UINT (g_thread_self ()));

  for (guint i = 0; i < 300; i++) {
    TestStream *s = shared[g_rand_int_range (rand, 0, N_SHARED)];
    guint64 due_ns = gst_tfrc_clock_now_ns ()
        + (guint64) g_rand_int_range (rand, 0, MILLISECOND_NS);

    g_mutex_lock (&s->lock);
    if (due_ns < s->due_ns) {
      s->due_ns = due_ns;
      gst_tfrc_io_set_deadline (s->io, due_ns);
    }
    test_wait_until (s, s->due_ns > due_ns);
    g_mutex_unlock (&s->lock);
  }
  g_rand_free (rand);
  return NULL;
}

GST_START_TEST (no_deadline_is_lost_between_many_threads)
{
  GThread *threads[N_SETTERS];
  TestStream *shared[N_SHARED];
  GstTfrcAddress from;
  gint fd = test_open_socket ("127.0.0.1", &from);

  for (guint i = 0; i < N_SHARED; i++)
    shared[i] = test_stream_new ();
  for (guint i = 0; i < N_SETTERS; i++)
    threads[i] = g_thread_new ("setter", set_deadlines, shared);
  /* At the same time, other callbacks return deadlines. */
  for (guint i = 0; i < 300; i++) {
    TestStream *s = shared[i % N_SHARED];

    test_send_bytes (fd, &s->address, i / N_SHARED, 1);
    g_mutex_lock (&s->lock);
    test_wait_until (s, s->packets == i / N_SHARED + 1);
    g_mutex_unlock (&s->lock);
  }
  for (guint i = 0; i < N_SETTERS; i++)
    g_thread_join (threads[i]);
  for (guint i = 0; i < N_SHARED; i++)
    test_stream_free (shared[i]);
  close (fd);
}

GST_END_TEST;

typedef struct
{
  GstTfrcAddress to;
  gint stop;
} Sprayer;

static gpointer
spray (gpointer data)
{
  Sprayer *sprayer = data;
  GstTfrcAddress from;
  gint fd = test_open_socket ("127.0.0.1", &from);
  guint8 bytes[64] = {
    0,
  };
  GstTfrcSendItem items[16];
  gint error;

  for (guint i = 0; i < G_N_ELEMENTS (items); i++)
    items[i] = (GstTfrcSendItem){ .data = bytes, .size = sizeof bytes };
  while (!g_atomic_int_get (&sprayer->stop))
    gst_tfrc_socket_send (fd, &sprayer->to, NULL, items, G_N_ELEMENTS (items), &error);
  close (fd);
  return NULL;
}

/* The state of a stream. After the stream is freed, no callback may use this state. */
typedef struct
{
  gint calls;
  gboolean freed;
} Mortal;

static guint64
mortal_packets (gpointer user_data, const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns)
{
  Mortal *mortal = user_data;

  fail_if (mortal->freed);
  g_atomic_int_inc (&mortal->calls);
  return now_ns;
}

static guint64
mortal_deadline (gpointer user_data, guint64 now_ns)
{
  return mortal_packets (user_data, NULL, 0, now_ns);
}

static void
mortal_error (gpointer user_data, gint error, const GstTfrcAddress *destination)
{
  mortal_packets (user_data, NULL, 0, 0);
}

GST_START_TEST (no_callback_comes_after_free)
{
  static const GstTfrcIoCallbacks mortal_callbacks = { mortal_packets, mortal_deadline,
    mortal_error };
  Sprayer sprayer = { .stop = 0 };
  gint fd = test_open_socket ("127.0.0.1", &sprayer.to);
  GThread *thread = g_thread_new ("spray", spray, &sprayer);
  TestStream *keeper = test_stream_new ();

  for (guint i = 0; i < 200; i++) {
    Mortal *mortal = g_new0 (Mortal, 1);
    GstTfrcIo *io;

    /* In the second half, no other stream keeps the thread alive: the thread ends every time. */
    if (i == 100) {
      test_stream_free (keeper);
      keeper = NULL;
    }
    io = gst_tfrc_io_new (fd, NULL, &mortal_callbacks, mortal, NULL);
    fail_unless (io != NULL);
    while (g_atomic_int_get (&mortal->calls) < (gint) (i % 4))
      g_thread_yield ();
    gst_tfrc_io_free (io);
    mortal->freed = TRUE;
    g_free (mortal);
  }
  g_atomic_int_set (&sprayer.stop, 1);
  g_thread_join (thread);
  close (fd);
  test_assert_loop_ended ();
}

GST_END_TEST;

static gpointer
come_and_go (gpointer data)
{
  for (guint i = 0; i < 50; i++) {
    TestStream *a = test_stream_new (), *b = test_stream_new ();

    test_stream_wait_for_deadline (a, gst_tfrc_clock_now_ns ());
    test_stream_lock_and_set (b, gst_tfrc_clock_now_ns ());
    g_mutex_unlock (&b->lock);
    test_stream_free (a);
    test_stream_free (b);
  }
  return NULL;
}

static void
run_comers_and_goers (void)
{
  GThread *threads[4];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("come-and-go", come_and_go, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  test_assert_loop_ended ();
}

GST_START_TEST (streams_come_and_go_from_many_threads)
{
  run_comers_and_goers ();
}

GST_END_TEST;

/* Loops start and end all the time. */
GST_START_TEST (streams_come_and_go_on_many_loops)
{
  for (guint streams_per_loop = 1; streams_per_loop <= 2; streams_per_loop++) {
    test_limit_loops (3, streams_per_loop);
    run_comers_and_goers ();
  }
  test_limit_loops (0, 0);
}

GST_END_TEST;

/* Raises the limit on open files as far as possible. */
static guint
max_streams (guint wanted)
{
  struct rlimit limit;

  getrlimit (RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit (RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= wanted + 64)
    return wanted;
  g_print ("only %u open files are allowed\n", (guint) limit.rlim_cur);
  return (guint) limit.rlim_cur - 64;
}

/* Every stream gets packets and deadlines. */
static void
use_all (TestStream **streams, guint n)
{
  for (guint round = 0; round < 3; round++) {
    guint64 now_ns = gst_tfrc_clock_now_ns ();

    for (guint i = 0; i < n; i++) {
      TestStream *s = streams[(i * 7) % n];

      test_stream_lock_and_set (s, now_ns + 10000 * i);
      g_mutex_unlock (&s->lock);
      test_send_bytes (s->fd, &streams[i]->address, round, 1);
    }
    for (guint i = 0; i < n; i++) {
      TestStream *s = streams[i];

      g_mutex_lock (&s->lock);
      test_wait_until (s, s->packets == round + 1 && s->due_ns == GST_TFRC_IO_NEVER);
      g_mutex_unlock (&s->lock);
    }
  }
}

static void
run_a_thousand_streams (guint threads)
{
  guint n = max_streams (1000), full = GST_TFRC_IO_STREAMS_PER_LOOP;
  guint loops = MIN (threads, (n + full - 1) / full);
  TestStream **streams = g_new (TestStream *, n);
  GstTfrcIoLoopStats stats;

  test_limit_loops (threads, 0);
  for (guint i = 0; i < n; i++)
    streams[i] = test_stream_new ();
  use_all (streams, n);
  gst_tfrc_io_loop_get_stats (&stats);
  fail_unless_equals_int (stats.loops, loops);
  fail_unless_equals_int (stats.streams, n);
  fail_unless_equals_uint64 (stats.slop_ns, MIN (n * 10000, MILLISECOND_NS));
  fail_unless_equals_uint64 (stats.packets, 3 * n);
  fail_unless_equals_int (test_count_loop_threads (), loops);
  for (guint i = 0; i < n; i++)
    test_stream_free (streams[i]);
  g_free (streams);
  test_assert_loop_ended ();
  test_limit_loops (0, 0);
}

static void
assert_grid (guint64 cell_ns)
{
  GstTfrcIoLoopStats stats;

  gst_tfrc_io_loop_get_stats (&stats);
  fail_unless_equals_uint64 (stats.slop_ns, cell_ns);
}

/* So a packet of a stream alone is read and leaves at once. */
GST_START_TEST (the_grid_of_patient_streams_grows_with_their_number)
{
  const guint64 cells_ns[] = { 50000, 500000, MILLISECOND_NS };
  TestStream *streams[9];

  test_limit_loops (1, 0);
  for (guint i = 0; i < G_N_ELEMENTS (streams); i++) {
    streams[i] = test_stream_new ();
    gst_tfrc_io_set_patient (streams[i]->io, TRUE);
    if (i < G_N_ELEMENTS (cells_ns))
      assert_grid (cells_ns[i]);
  }
  assert_grid (4 * MILLISECOND_NS);
  for (guint i = 0; i < G_N_ELEMENTS (streams); i++)
    test_stream_free (streams[i]);
  test_limit_loops (0, 0);
}

GST_END_TEST;

GST_START_TEST (the_grid_is_wider_if_all_streams_are_patient)
{
  TestStream *streams[120];

  test_limit_loops (1, 0);
  for (guint i = 0; i < 20; i++) {
    streams[i] = test_stream_new ();
    gst_tfrc_io_set_patient (streams[i]->io, TRUE);
    gst_tfrc_io_set_patient (streams[i]->io, TRUE);
  }
  assert_grid (4 * MILLISECOND_NS);
  gst_tfrc_io_set_patient (streams[0]->io, FALSE);
  gst_tfrc_io_set_patient (streams[0]->io, FALSE);
  assert_grid (200000);
  test_stream_free (streams[1]);
  assert_grid (190000);
  gst_tfrc_io_set_patient (streams[0]->io, TRUE);
  assert_grid (4 * MILLISECOND_NS);
  streams[1] = test_stream_new ();
  assert_grid (200000);
  for (guint i = 20; i < 120; i++)
    streams[i] = test_stream_new ();
  assert_grid (MILLISECOND_NS);
  for (guint i = 0; i < 120; i++)
    gst_tfrc_io_set_patient (streams[i]->io, TRUE);
  assert_grid (4 * MILLISECOND_NS);
  for (guint i = 0; i < 120; i++)
    test_stream_free (streams[i]);
  test_limit_loops (0, 0);
}

GST_END_TEST;

GST_START_TEST (a_thousand_streams_can_run_on_one_thread)
{
  run_a_thousand_streams (1);
}

GST_END_TEST;

/* With 300 streams to a loop */
GST_START_TEST (a_thousand_streams_get_four_threads)
{
  run_a_thousand_streams (10);
}

GST_END_TEST;

static Suite *
ioloopthreads_suite (void)
{
  Suite *s = suite_create ("ioloopthreads");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, no_deadline_is_lost_between_many_threads);
  tcase_add_test (tc, no_callback_comes_after_free);
  tcase_add_test (tc, streams_come_and_go_from_many_threads);
  tcase_add_test (tc, streams_come_and_go_on_many_loops);
  tcase_add_test (tc, the_grid_of_patient_streams_grows_with_their_number);
  tcase_add_test (tc, the_grid_is_wider_if_all_streams_are_patient);
  tcase_add_test (tc, a_thousand_streams_can_run_on_one_thread);
  tcase_add_test (tc, a_thousand_streams_get_four_threads);
  return s;
}

GST_CHECK_MAIN (ioloopthreads);
