/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transport streams in files, for tests of the server's index and feeder: H.264 in pictures of a
 * packet each, 25 a second */
#ifndef SERVERMOVIE_H
#define SERVERMOVIE_H

#include <gst/check/gstcheck.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../libs/tsbuilder.h"

#define MOVIE_PMT_PID 0x1000
#define MOVIE_VIDEO_PID 0x100
#define MOVIE_AUDIO_PID 0x110
#define MOVIE_IDR "\0\0\0\1\x09\xf0\0\0\0\1\x67\x64\0\x1e\0\0\1\x68\xee\0\0\1\x65\x88\x84"
#define MOVIE_P "\0\0\0\1\x09\xf0\0\0\1\x41\x9a\x24"
#define MOVIE_PICTURE_TICKS 3600
#define MOVIE_FIRST_PTS 900000

static inline void
movie_append_tables (GByteArray *movie, guint video_pid)
{
  static const guint16 pids[] = { MOVIE_PMT_PID };
  const TsStream streams[] = { { 0x1b, (guint16) video_pid, NULL, 0 },
    { 0x0f, MOVIE_AUDIO_PID, NULL, 0 } };

  ts_append_pat (movie, 0, pids, 1);
  ts_append_pmt (movie, MOVIE_PMT_PID, 1, 0, streams, G_N_ELEMENTS (streams));
}

/* Appends a picture of this number of packets, as one PES packet. */
static inline void
movie_append_picture (
    GByteArray *movie, guint video_pid, gboolean is_idr, guint64 pts, guint packets)
{
  guint8 *data = g_malloc0 (packets * TS_PAYLOAD_BYTES);

  memset (data, 0x55, packets * TS_PAYLOAD_BYTES);
  if (is_idr)
    memcpy (data, MOVIE_IDR, sizeof MOVIE_IDR - 1);
  else
    memcpy (data, MOVIE_P, sizeof MOVIE_P - 1);
  ts_append_pes_cut (movie, video_pid, is_idr ? TS_RANDOM_ACCESS : 0,
      pts & ((G_GUINT64_CONSTANT (1) << 33) - 1), data, packets * TS_PAYLOAD_BYTES - 20,
      TS_PAYLOAD_BYTES);
  g_free (data);
}

/* Sets the continuity counters, which ts_append() leaves at 0. */
static inline void
movie_number (GByteArray *movie, guint first)
{
  static guint8 counters[0x2000];
  guint at;

  memset (counters, (int) first, sizeof counters);
  for (at = 0; at < movie->len; at += TS_BYTES) {
    guint8 *packet = movie->data + at;
    guint pid = (packet[1] & 0x1fu) << 8 | packet[2];

    packet[3] = (guint8) ((packet[3] & 0xf0) | (counters[pid]++ & 0x0f));
  }
}

/* Groups of 50 pictures, 2 s each, with tables before each group; a picture has so many packets. */
static inline GByteArray *
movie_new (guint groups, guint packets)
{
  GByteArray *movie = g_byte_array_new ();
  guint i;

  for (i = 0; i < groups * 50; i++) {
    if (i % 50 == 0)
      movie_append_tables (movie, MOVIE_VIDEO_PID);
    movie_append_picture (movie, MOVIE_VIDEO_PID, i % 50 == 0,
        MOVIE_FIRST_PTS + (guint64) i * MOVIE_PICTURE_TICKS, packets);
  }
  return movie;
}

/* Returns a file without a name, in memory: a disk may take its time for a large one. */
static inline int
movie_open (const guint8 *data, gsize bytes)
{
  int fd = memfd_create ("movie", MFD_CLOEXEC);

  fail_unless (fd >= 0 && write (fd, data, bytes) == (ssize_t) bytes);
  return fd;
}

/* As before, of a movie that is freed */
static inline int
movie_open_and_free (GByteArray *movie)
{
  int fd = movie_open (movie->data, movie->len);

  g_byte_array_unref (movie);
  return fd;
}

#endif
