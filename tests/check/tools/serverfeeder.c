/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The beginning of a movie's pipeline, see tools/server/feeder.h */
#include "servermovie.h"

#include <gst/base/gstadapter.h>

#include "tools/server/feeder.h"

#define S GST_SECOND
#define GROUP(packets) ((2 + 50 * (packets)) * TS_BYTES)

/* ---- a pipeline that collects --------------------------------------------------- */

static GByteArray *received;
static gsize limit; /* of what is received before the pipeline is asked to wait */
static GMutex lock;
static GCond changed;

static void
on_handoff (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer unused)
{
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_mutex_lock (&lock);
  while (received->len + map.size > limit)
    g_cond_wait (&changed, &lock);
  g_byte_array_append (received, map.data, (guint) map.size);
  g_mutex_unlock (&lock);
  gst_buffer_unmap (buffer, &map);
}

/* @return the error that ends it; NULL: it has come to the end */
static gchar *
run (Feeder *feeder)
{
  GstElement *pipeline = gst_pipeline_new (NULL);
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  GstElement *source = feeder_get_source (feeder);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  GError *error = NULL;
  gchar *problem = NULL;

  received = g_byte_array_new ();
  g_object_set (sink, "signal-handoffs", TRUE, "sync", FALSE, NULL);
  g_signal_connect (sink, "handoff", G_CALLBACK (on_handoff), NULL);
  gst_bin_add_many (GST_BIN (pipeline), source, sink, NULL);
  fail_unless (gst_element_link (source, sink));
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    problem = g_strdup (error->message);
    g_error_free (error);
  }
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  return problem;
}

static void
play (Feeder *feeder)
{
  fail_unless (run (feeder) == NULL);
}

static gchar *
play_to_error (Feeder *feeder)
{
  gchar *problem = run (feeder);

  fail_unless (problem != NULL);
  return problem;
}

static void
setup (void)
{
  limit = G_MAXSIZE;
}

static void
teardown (void)
{
  g_clear_pointer (&received, g_byte_array_unref);
}

/* ---- what is checked -------------------------------------------------------------- */

static void
assert_received (const GByteArray *movie)
{
  fail_unless_equals_int (received->len, movie->len);
  fail_unless (memcmp (received->data, movie->data, movie->len) == 0);
}

static guint
pid_at (guint at)
{
  return (received->data[at + 1] & 0x1fu) << 8 | received->data[at + 2];
}

/* Each packet has the number after the one before it in its PID. */
static void
assert_continuous (void)
{
  gint last[0x2000];
  guint at;

  memset (last, -1, sizeof last);
  for (at = 0; at < received->len; at += TS_BYTES) {
    gint counter = received->data[at + 3] & 0x0f, *before = &last[pid_at (at)];

    fail_unless (*before < 0 || counter == ((*before + 1) & 0x0f));
    *before = counter;
  }
}

/* ---- renditions --------------------------------------------------------------------- */

/* What the session says before each segment */
typedef struct
{
  LadderSession sessions[16];
  gdouble bps[16];
  gint n; /* atomic, since a test may look while the movie plays */
} Script;

static void
sense (gpointer user, gdouble bps, LadderSession *session)
{
  Script *script = user;
  gint at = g_atomic_int_add (&script->n, 1);

  script->bps[at] = bps;
  *session = script->sessions[at];
}

static Feeder *
feeder_of (GByteArray **movies, const guint *names, guint n, Script *script)
{
  FeederFile files[LADDER_MOST_RENDITIONS];
  Feeder *feeder;
  guint i;

  for (i = 0; i < n; i++)
    files[i] = (FeederFile){ .fd = movie_open (movies[i]->data, movies[i]->len),
      .rendition = names[i] };
  feeder = feeder_new (files, n, sense, script, NULL);
  fail_unless (feeder != NULL);
  for (i = 0; i < n; i++)
    close (files[i].fd);
  return feeder;
}

/* The parts of the movies in the order in which they have to come */
static GByteArray *
cut (GByteArray **movies, const guint *packets, const guint *chosen, guint first, guint groups)
{
  GByteArray *expected = g_byte_array_new ();
  guint i;

  for (i = first; i < groups; i++)
    g_byte_array_append (expected, movies[chosen[i]]->data + i * GROUP (packets[chosen[i]]),
        GROUP (packets[chosen[i]]));
  return expected;
}

GST_START_TEST (a_movie_of_one_file_comes_as_it_is)
{
  GByteArray *movie = movie_new (3, 3);
  const guint name = 0;
  FeederStatus status;
  Feeder *feeder;

  /* a gap and a repetition, which stay */
  movie_number (movie, 5);
  memcpy (movie->data + 11 * TS_BYTES, movie->data + 10 * TS_BYTES, TS_BYTES);
  g_byte_array_append (movie, (const guint8 *) "end", 3);
  feeder = feeder_of (&movie, &name, 1, NULL);
  play (feeder);
  assert_received (movie);
  feeder_get_status (feeder, &status);
  fail_unless_equals_int (status.switches, 0);
  feeder_free (feeder);
  g_byte_array_unref (movie);
}

GST_END_TEST;

GST_START_TEST (a_file_that_is_no_transport_stream_comes_as_it_is)
{
  GByteArray *movie = g_byte_array_new ();
  const guint name = 0;
  Feeder *feeder;
  guint i;

  for (i = 0; i < 100000; i++)
    g_byte_array_append (movie, (const guint8 *) "text", 4);
  feeder = feeder_of (&movie, &name, 1, NULL);
  play (feeder);
  assert_received (movie);
  feeder_free (feeder);
  g_byte_array_unref (movie);
}

GST_END_TEST;

/* The session of the second segment allows all three, that of the fourth carries only one. */
GST_START_TEST (each_segment_comes_from_the_chosen_rendition_and_counters_go_on)
{
  const guint packets[] = { 6, 2, 4 }, names[] = { 1080, 360, 720 };
  const guint chosen[] = { 1, 0, 0, 1, 1 };
  GByteArray *movies[] = { movie_new (5, 6), movie_new (5, 2), movie_new (5, 4) }, *expected;
  Script script = { .sessions = { { 0 }, { 1e9, 0, S, 10 * S }, { 1e9, 0, 9 * S, 10 * S },
                        { 1e5, 0, 2 * S, 10 * S }, { 1e5, 0, S, 10 * S } } };
  FeederStatus status;
  Feeder *feeder;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (movies); i++)
    movie_number (movies[i], 3 * i);
  feeder = feeder_of (movies, names, 3, &script);
  feeder_get_status (feeder, &status);
  fail_unless_equals_int (status.rendition, 360);
  play (feeder);
  fail_unless_equals_int (script.n, 5);
  fail_unless_equals_float (script.bps[0], 5 * GROUP (2) * 8 / 9.96);
  fail_unless_equals_float (script.bps[2], 5 * GROUP (6) * 8 / 9.96);
  assert_continuous ();
  expected = cut (movies, packets, chosen, 0, 5);
  fail_unless_equals_int (received->len, expected->len);
  for (i = 0; i < expected->len; i++)
    fail_unless (i % TS_BYTES == 3 || received->data[i] == expected->data[i]);
  feeder_get_status (feeder, &status);
  fail_unless_equals_int (status.rendition, 360);
  fail_unless_equals_int (status.switches, 2);
  feeder_free (feeder);
  g_byte_array_unref (expected);
  for (i = 0; i < G_N_ELEMENTS (movies); i++)
    g_byte_array_unref (movies[i]);
}

GST_END_TEST;

/* The second rendition has groups of 4 s. */
GST_START_TEST (a_rendition_is_entered_only_where_it_has_a_random_access_point)
{
  const guint names[] = { 1, 2 };
  GByteArray *movies[] = { movie_new (4, 1), g_byte_array_new () };
  Script script = { .sessions = { { 0 }, { 1e9, 0, S, 10 * S }, { 1e9, 0, S, 10 * S },
                        { 1e9, 0, S, 10 * S } } };
  Feeder *feeder;
  guint i;

  for (i = 0; i < 200; i++) {
    if (i % 100 == 0)
      movie_append_tables (movies[1], MOVIE_VIDEO_PID);
    movie_append_picture (movies[1], MOVIE_VIDEO_PID, i % 100 == 0, MOVIE_FIRST_PTS + i * 3600u, 5);
  }
  feeder = feeder_of (movies, names, 2, &script);
  play (feeder);
  fail_unless_equals_int (received->len, 2 * GROUP (1) + (2 + 500) * TS_BYTES);
  feeder_free (feeder);
  g_byte_array_unref (movies[0]);
  g_byte_array_unref (movies[1]);
}

GST_END_TEST;

GST_START_TEST (a_rendition_with_other_streams_is_left_out)
{
  const guint names[] = { 1, 2 };
  GByteArray *movies[] = { movie_new (2, 1), g_byte_array_new () };
  Feeder *feeder;

  movie_append_tables (movies[1], MOVIE_VIDEO_PID + 1);
  movie_append_picture (movies[1], MOVIE_VIDEO_PID + 1, TRUE, 0, 1);
  movie_number (movies[0], 0);
  feeder = feeder_of (movies, names, 2, NULL);
  play (feeder);
  assert_received (movies[0]);
  feeder_free (feeder);
  g_byte_array_unref (movies[0]);
  g_byte_array_unref (movies[1]);
}

GST_END_TEST;

/* As a file that is still being made, or that a full disk has cut short */
GST_START_TEST (a_rendition_that_is_no_movie_is_left_out_wherever_it_is)
{
  const guint packets[] = { 1, 3 }, names[] = { 1, 2, 3 }, chosen[] = { 0, 1 };
  GByteArray *movies[] = { movie_new (2, 1), movie_new (2, 3) }, *broken = g_byte_array_new ();
  GByteArray *expected = cut (movies, packets, chosen, 0, 2);
  guint place;

  g_byte_array_set_size (broken, 1000);
  memset (broken->data, 0, broken->len);
  for (place = 0; place < 3; place++) {
    Script script = { .sessions = { { 0 }, { 1e9, 0, S, 10 * S } } };
    GByteArray *all[] = { movies[0], movies[1], broken };
    Feeder *feeder;

    memmove (&all[place + 1], &all[place], (2 - place) * sizeof *all);
    all[place] = broken;
    feeder = feeder_of (all, names, 3, &script);
    play (feeder);
    fail_unless_equals_int (received->len, expected->len);
    feeder_free (feeder);
    g_clear_pointer (&received, g_byte_array_unref);
  }
  g_byte_array_unref (expected);
  g_byte_array_unref (broken);
  g_byte_array_unref (movies[0]);
  g_byte_array_unref (movies[1]);
}

GST_END_TEST;

GST_START_TEST (a_seek_goes_to_the_random_access_point_before)
{
  const guint name = 0, chosen[] = { 0, 0, 0, 0 }, packets[] = { 3 };
  GByteArray *movie = movie_new (4, 3), *expected;
  Feeder *feeder;

  movie_number (movie, 0);
  feeder = feeder_of (&movie, &name, 1, NULL);
  feeder_seek (feeder, 5 * S);
  play (feeder);
  expected = cut (&movie, packets, chosen, 2, 4);
  assert_received (expected);
  feeder_free (feeder);
  g_byte_array_unref (expected);
  g_byte_array_unref (movie);
}

GST_END_TEST;

/* Far ahead, where the other rendition has not been read up to. */
GST_START_TEST (renditions_change_behind_a_seek_as_well)
{
  const guint names[] = { 1, 2 }, packets[] = { 75, 90 };
  const guint chosen[] = { [55] = 0, 1, 1, 0, 0 };
  GByteArray *movies[] = { movie_new (60, 75), movie_new (60, 90) }, *expected;
  Script script = { .sessions = { { 0 }, { 1e9, 0, S, 10 * S }, { 1e9, 0, 9 * S, 10 * S },
                        { 1e3, 0, 2 * S, 10 * S }, { 1e3, 0, S, 10 * S } } };
  Feeder *feeder = feeder_of (movies, names, 2, &script);
  guint i;

  feeder_seek (feeder, 111 * S);
  play (feeder);
  fail_unless_equals_int (script.n, 5);
  expected = cut (movies, packets, chosen, 55, 60);
  fail_unless_equals_int (received->len, expected->len);
  for (i = 3; i < expected->len; i += TS_BYTES)
    expected->data[i] = received->data[i]; /* counters */
  assert_received (expected);
  feeder_free (feeder);
  g_byte_array_unref (expected);
  g_byte_array_unref (movies[0]);
  g_byte_array_unref (movies[1]);
}

GST_END_TEST;

static void
wait_for_end (GstBus *bus)
{
  GstMessage *message = gst_bus_timed_pop_filtered (
      bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

  fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  gst_message_unref (message);
}

/* The source has come to the end of the movie long before the last of it is played. */
GST_START_TEST (a_seek_after_the_end_plays_again)
{
  GByteArray *movie = movie_new (4, 3);
  const guint name = 0;
  Feeder *feeder = feeder_of (&movie, &name, 1, NULL);
  GstElement *pipeline = gst_pipeline_new (NULL), *source = feeder_get_source (feeder);
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  GstBus *bus = gst_element_get_bus (pipeline);

  received = g_byte_array_new ();
  g_object_set (sink, "signal-handoffs", TRUE, "sync", FALSE, NULL);
  g_signal_connect (sink, "handoff", G_CALLBACK (on_handoff), NULL);
  gst_bin_add_many (GST_BIN (pipeline), source, sink, NULL);
  fail_unless (gst_element_link (source, sink));
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_for_end (bus);
  fail_unless_equals_int (received->len, movie->len);
  fail_unless (gst_element_send_event (source, gst_event_new_flush_start ()));
  feeder_seek (feeder, 4 * S);
  fail_unless (gst_element_send_event (source, gst_event_new_flush_stop (TRUE)));
  wait_for_end (bus);
  fail_unless_equals_int (received->len, movie->len + 2 * GROUP (3));
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  feeder_free (feeder);
  g_byte_array_unref (movie);
}

GST_END_TEST;

/* What is not there any more when it is read */
GST_START_TEST (a_file_that_shrinks_ends_the_movie_with_an_error)
{
  GByteArray *movie = movie_new (4, 3);
  int fd = movie_open (movie->data, movie->len);
  const FeederFile file = { .fd = fd };
  Feeder *feeder = feeder_new (&file, 1, NULL, NULL, NULL);
  gchar *problem;

  fail_unless (ftruncate (fd, GROUP (3)) == 0);
  problem = play_to_error (feeder);
  fail_unless_equals_string (problem, "cannot read the movie: it has become shorter");
  g_free (problem);
  fail_unless_equals_int (received->len, GROUP (3));
  feeder_free (feeder);
  close (fd);
  g_byte_array_unref (movie);
}

GST_END_TEST;

/* A recording that somebody watches: it is played to where it ends by then, also behind a seek. */
GST_START_TEST (a_file_that_has_become_longer_is_played_to_its_end)
{
  GByteArray *movie = movie_new (4, 3);
  guint i;

  movie_number (movie, 0);
  for (i = 0; i < 2; i++) {
    /* a packet is cut */
    const gsize before = 2 * GROUP (3) + 100, seek = i * GROUP (3);
    int fd = movie_open (movie->data, before);
    const FeederFile file = { .fd = fd };
    Feeder *feeder = feeder_new (&file, 1, NULL, NULL, NULL);
    FeederStatus status;

    fail_unless (
        write (fd, movie->data + before, movie->len - before) == (ssize_t) (movie->len - before));
    if (seek > 0)
      feeder_seek (feeder, 2 * S);
    play (feeder);
    fail_unless_equals_int (received->len, movie->len - seek);
    fail_unless (memcmp (received->data, movie->data + seek, movie->len - seek) == 0);
    feeder_get_status (feeder, &status);
    fail_unless_equals_uint64 (status.duration_ns, 0);
    feeder_free (feeder);
    close (fd);
    g_clear_pointer (&received, g_byte_array_unref);
  }
  g_byte_array_unref (movie);
}

GST_END_TEST;

/* ---- files that grow ------------------------------------------------------------------- */

typedef struct
{
  Growing *growing;
  const GByteArray *movie;
  const gchar *problem;
} Writer;

/* Packets are cut. */
static gpointer
write_movie (gpointer user)
{
  Writer *writer = user;
  guint at, step = 7 * TS_BYTES + 1;

  for (at = 0; at < writer->movie->len; at += step)
    fail_unless (growing_append (
        writer->growing, writer->movie->data + at, MIN (step, writer->movie->len - at), NULL));
  growing_finish (writer->growing, writer->problem);
  return NULL;
}

GST_START_TEST (a_file_that_grows_comes_as_it_is)
{
  GByteArray *movie = movie_new (5, 300);
  Writer writer = { growing_new (g_get_tmp_dir (), NULL), movie, NULL };
  const FeederFile file = { .fd = -1, .growing = writer.growing };
  Feeder *feeder = feeder_new (&file, 1, NULL, NULL, NULL);
  GThread *thread = g_thread_new ("writer", write_movie, &writer);

  play (feeder);
  g_thread_join (thread);
  assert_received (movie);
  feeder_free (feeder);
  growing_unref (writer.growing);
  g_byte_array_unref (movie);
}

GST_END_TEST;

/* The point is found when the file has grown there. */
GST_START_TEST (a_seek_waits_for_a_file_that_grows)
{
  GByteArray *movie = movie_new (5, 300);
  Writer writer = { growing_new (g_get_tmp_dir (), NULL), movie, NULL };
  const FeederFile file = { .fd = -1, .growing = writer.growing };
  Feeder *feeder = feeder_new (&file, 1, NULL, NULL, NULL);
  FeederStatus status;
  GThread *thread;

  growing_set_duration (writer.growing, 10 * S);
  feeder_seek (feeder, 7 * S);
  feeder_get_status (feeder, &status);
  fail_unless (status.is_seeking);
  fail_unless_equals_uint64 (status.start_ns, 7 * S);
  thread = g_thread_new ("writer", write_movie, &writer);
  play (feeder);
  g_thread_join (thread);
  feeder_get_status (feeder, &status);
  fail_if (status.is_seeking);
  fail_unless_equals_uint64 (status.start_ns, 6 * S);
  fail_unless_equals_uint64 (status.duration_ns, 10 * S);
  fail_unless_equals_int (received->len, 2 * GROUP (300));
  feeder_free (feeder);
  growing_unref (writer.growing);
  g_byte_array_unref (movie);
}

GST_END_TEST;

GST_START_TEST (a_file_that_failed_is_an_error_behind_what_there_is)
{
  GByteArray *movie = movie_new (2, 3);
  Writer writer = { growing_new (g_get_tmp_dir (), NULL), movie, "the disk is full" };
  const FeederFile file = { .fd = -1, .growing = writer.growing };
  Feeder *feeder = feeder_new (&file, 1, NULL, NULL, NULL);
  gchar *problem;

  write_movie (&writer);
  problem = play_to_error (feeder);
  fail_unless_equals_string (problem, "the disk is full");
  g_free (problem);
  assert_received (movie);
  feeder_free (feeder);
  growing_unref (writer.growing);
  g_byte_array_unref (movie);
}

GST_END_TEST;

/* Nobody writes: the pipeline can be stopped nevertheless. */
GST_START_TEST (a_stop_ends_the_wait_for_a_file_that_grows)
{
  Growing *growing = growing_new (g_get_tmp_dir (), NULL);
  const FeederFile file = { .fd = -1, .growing = growing };
  Feeder *feeder = feeder_new (&file, 1, NULL, NULL, NULL);
  GstElement *pipeline = gst_pipeline_new (NULL);
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);

  gst_bin_add_many (GST_BIN (pipeline), feeder_get_source (feeder), sink, NULL);
  fail_unless (gst_element_link (feeder_get_source (feeder), sink));
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  feeder_stop (feeder);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  feeder_free (feeder);
  growing_unref (growing);
}

GST_END_TEST;

GST_START_TEST (a_file_that_cannot_be_read_is_an_error)
{
  const FeederFile file = { .fd = -1 };
  GError *error = NULL;

  fail_unless (feeder_new (&file, 1, NULL, NULL, &error) == NULL);
  fail_unless (g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_BADF));
  g_error_free (error);
}

GST_END_TEST;

/* The sink takes nothing of the second segment, so that the third is not chosen yet. */
static gpointer
wait_and_open (gpointer script)
{
  g_mutex_lock (&lock);
  while (received == NULL || received->len < GROUP (300)) {
    g_mutex_unlock (&lock);
    g_thread_yield ();
    g_mutex_lock (&lock);
  }
  fail_unless (g_atomic_int_get (&((Script *) script)->n) <= 2);
  limit = G_MAXSIZE;
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
  return NULL;
}

GST_START_TEST (a_segment_is_chosen_when_the_one_before_has_been_taken)
{
  const guint names[] = { 1, 2 };
  GByteArray *movies[] = { movie_new (3, 300), movie_new (3, 301) };
  Script script = { .n = 0 };
  Feeder *feeder = feeder_of (movies, names, 2, &script);
  GThread *thread;

  limit = GROUP (300) + 100 * TS_BYTES;
  thread = g_thread_new ("test", wait_and_open, &script);
  play (feeder);
  g_thread_join (thread);
  fail_unless_equals_int (script.n, 3);
  feeder_free (feeder);
  g_byte_array_unref (movies[0]);
  g_byte_array_unref (movies[1]);
}

GST_END_TEST;

static Suite *
serverfeeder_suite (void)
{
  Suite *s = suite_create ("serverfeeder");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, a_movie_of_one_file_comes_as_it_is);
  tcase_add_test (tc, a_file_that_is_no_transport_stream_comes_as_it_is);
  tcase_add_test (tc, each_segment_comes_from_the_chosen_rendition_and_counters_go_on);
  tcase_add_test (tc, a_rendition_is_entered_only_where_it_has_a_random_access_point);
  tcase_add_test (tc, a_rendition_with_other_streams_is_left_out);
  tcase_add_test (tc, a_rendition_that_is_no_movie_is_left_out_wherever_it_is);
  tcase_add_test (tc, a_seek_goes_to_the_random_access_point_before);
  tcase_add_test (tc, renditions_change_behind_a_seek_as_well);
  tcase_add_test (tc, a_seek_after_the_end_plays_again);
  tcase_add_test (tc, a_file_that_shrinks_ends_the_movie_with_an_error);
  tcase_add_test (tc, a_file_that_has_become_longer_is_played_to_its_end);
  tcase_add_test (tc, a_file_that_cannot_be_read_is_an_error);
  tcase_add_test (tc, a_file_that_grows_comes_as_it_is);
  tcase_add_test (tc, a_seek_waits_for_a_file_that_grows);
  tcase_add_test (tc, a_file_that_failed_is_an_error_behind_what_there_is);
  tcase_add_test (tc, a_stop_ends_the_wait_for_a_file_that_grows);
  tcase_add_test (tc, a_segment_is_chosen_when_the_one_before_has_been_taken);
  return s;
}

GST_CHECK_MAIN (serverfeeder);
