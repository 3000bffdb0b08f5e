/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The segments of a transport stream, see tsindex.h */
#include "tsindex.h"

#include <string.h>

#include "gst/common/log.h"
#include "gst/tfrcsink/tspictures.h"
#include "splice.h"
#include "tstimes.h"

#define SYNC_BYTE 0x47
/* Packets that have to line up at the beginning.  Any three bytes are sync bytes in one of 16
 * million files that are something else. */
#define SYNC_PACKETS 3

/* A random access point sooner than this after another begins no segment: a stream with nothing
 * but intra pictures would have one for each picture. */
#define LEAST_SEGMENT_TICKS ((guint64) TS_TIMES_PER_S / 2)
/* Of a stream without random access points so much is one segment; it is 30 s at 2 Mbit/s.  With
 * less, a long picture group at a high rate would be cut, and could not be left at its cuts. */
#define MOST_SEGMENT_BYTES (G_GUINT64_CONSTANT (8) << 20)
/* 3 MiB.  Each time an eighth of them is used, both limits above double, so that a recording which goes on for days
 * does not end for a viewer: with key pictures each half second an eighth is 2.3 h, two are 6.8 h, and all are 24 days.
 * Of whatever is longer, the rest that is known is one segment. */
#define MOST_POINTS (1 << 17)
#define COARSENESSES 8

/* How much is scanned for a point near a time that was found by halves.  The first 16 MiB may be before the time, and a group
 * of pictures of the other 16 is longer than any. A file of less is scanned as it is. */
#define LANDING_BYTES (4 * MOST_SEGMENT_BYTES)

/* A longer step between two random access points is a new time line, as of two recordings in one
 * file.  How long the step is in truth nobody knows: it counts as a second. */
#define MOST_STEP_TICKS (G_GUINT64_CONSTANT (600) * TS_TIMES_PER_S)

/* Hours of movie take more: 26.5 of them would have 88 bit/s. */
#define SHORT_FILE_BYTES (1 << 20)

#define NO_PID G_MAXUINT
#define NO_OFFSET G_MAXUINT64
#define N_PIDS 0x2000

typedef struct
{
  guint64 offset, ticks; /* ticks: since the first point */
  gboolean is_random_access;
} Point;

struct _TsIndex
{
  Splice *splice;
  guint64 file_bytes, scanned;
  gboolean has_packets, is_at_end;
  GArray *points;
  guint64 first_pts, last_pts; /* of random access points; TS_TIMES_NONE: there was none */
  guint64 last_ticks;          /* of the file, since first_pts; TS_TIMES_NONE: not known */
  gint has_no_end;             /* atomic: last_ticks is not how long the movie lasts */
  guint64 landing_ticks;       /* the point at or before is looked for; TS_TIMES_NONE: none is */

  GstTfrcTsPrograms programs;
  GstTfrcTsPictures pictures;
  GstTfrcTsNumbers numbers;
  guint pid;             /* whose random access points count */
  guint64 tables_offset; /* where the tables begin that come right before; NO_OFFSET: none */
  guint64 unit_offset, unit_pts;
  gboolean unit_is_new;    /* it has not begun a segment */
  gboolean knows_no_video; /* the tables list none */
  guint8 chunk[TS_TIMES_CHUNK_BYTES];
};

/* ---- bytes ----------------------------------------------------------------- */

gsize
ts_index_read (const TsIndex *index, guint64 offset, guint8 *data, gsize bytes)
{
  return splice_read (index->splice, offset, data, bytes);
}

guint64
ts_index_get_file_end (const TsIndex *index, guint64 offset)
{
  return splice_get_file_end (index->splice, offset);
}

/* ---- points ---------------------------------------------------------------- */

static Point *
last_point (const TsIndex *index)
{
  return &g_array_index (index->points, Point, index->points->len - 1);
}

/* How often the limits of a segment have doubled */
static guint
coarseness (const TsIndex *index)
{
  return MIN (index->points->len / (MOST_POINTS / COARSENESSES), COARSENESSES - 1);
}

static void
add_point (TsIndex *index, guint64 offset, guint64 ticks, gboolean is_random_access)
{
  const Point point = { offset, ticks, is_random_access };

  if (index->points->len < MOST_POINTS)
    g_array_append_val (index->points, point);
}

/* A segment that has become too long ends at this offset. */
static void
cut_if_long (TsIndex *index, guint64 offset)
{
  if (index->landing_ticks == TS_TIMES_NONE && offset > last_point (index)->offset
      && offset - last_point (index)->offset >= MOST_SEGMENT_BYTES << coarseness (index))
    add_point (index, offset, last_point (index)->ticks, FALSE);
}

/* Of points at or before what is looked for, the last one becomes the first of all.  @return FALSE: the point is behind it */
static gboolean
land (TsIndex *index, guint64 offset, guint64 pts)
{
  const Point point = { offset, (pts - index->first_pts) & TS_TIMES_MASK, TRUE };

  if (point.ticks > index->landing_ticks) {
    index->landing_ticks = TS_TIMES_NONE;
    return FALSE;
  }
  index->last_pts = pts;
  *last_point (index) = point;
  return TRUE;
}

/* Of the first random access point the segment is that of the beginning. */
static void
add_random_access (TsIndex *index, guint64 offset, guint64 pts)
{
  guint64 ticks;

  if (index->landing_ticks != TS_TIMES_NONE && land (index, offset, pts))
    return;
  if (index->first_pts == TS_TIMES_NONE)
    index->first_pts = pts;
  if (index->last_pts == TS_TIMES_NONE) {
    index->last_pts = pts;
    g_array_index (index->points, Point, 0).is_random_access = TRUE;
    return;
  }
  ticks = (pts - index->last_pts) & TS_TIMES_MASK;
  if (ticks < LEAST_SEGMENT_TICKS << coarseness (index))
    return;
  if (ticks > MOST_STEP_TICKS) {
    ticks = TS_TIMES_PER_S;
    g_atomic_int_set (&index->has_no_end, TRUE);
  }
  index->last_pts = pts;
  add_point (
      index, MAX (offset, last_point (index)->offset), last_point (index)->ticks + ticks, TRUE);
}

/* ---- packets ---------------------------------------------------------------- */

static gboolean
is_video (GstTfrcTsKind kind)
{
  return kind == GST_TFRC_TS_H264 || kind == GST_TFRC_TS_H265 || kind == GST_TFRC_TS_MPEG_VIDEO
      || kind == GST_TFRC_TS_OTHER_VIDEO;
}

static gboolean
lists_video (const GstTfrcTsPrograms *programs)
{
  guint pid, stream;

  for (pid = 0; pid < N_PIDS; pid++)
    if (is_video (gst_tfrc_ts_programs_find (programs, pid, &stream)))
      return TRUE;
  return FALSE;
}

static void
begin_unit (TsIndex *index, const GstTfrcTsHeader *header, guint64 offset)
{
  index->unit_offset = index->tables_offset != NO_OFFSET ? index->tables_offset : offset;
  index->unit_pts = ts_times_read (header);
  index->unit_is_new = index->unit_pts != TS_TIMES_NONE;
}

static void
end_unit (TsIndex *index)
{
  if (index->unit_is_new)
    add_random_access (index, index->unit_offset, index->unit_pts);
  index->unit_is_new = FALSE;
}

static void
take_video (TsIndex *index, const GstTfrcTsHeader *header, guint64 offset, GstTfrcTsKind kind)
{
  GstTfrcImportance importance;

  if (index->pid == NO_PID)
    index->pid = header->pid;
  if (index->pid != header->pid)
    return;
  if (!gst_tfrc_ts_pictures_are_of (&index->pictures, header->pid, kind))
    gst_tfrc_ts_pictures_init (&index->pictures, header->pid, kind);
  if (header->starts_unit)
    begin_unit (index, header, offset);
  if (gst_tfrc_ts_pictures_take (&index->pictures, header, &index->numbers, &importance)
      && importance.class == GST_TFRC_CLASS_RANDOM_ACCESS)
    end_unit (index);
}

/* Where there is no video, a decoder can begin with every unit of sound. */
static void
take_audio (TsIndex *index, const GstTfrcTsHeader *header, guint64 offset)
{
  if (!header->starts_unit || (index->pid != NO_PID && index->pid != header->pid))
    return;
  if (index->pid == NO_PID && !index->knows_no_video)
    index->knows_no_video = !lists_video (&index->programs);
  if (!index->knows_no_video)
    return;
  index->pid = header->pid;
  begin_unit (index, header, offset);
  end_unit (index);
}

static void
take_packet (TsIndex *index, const guint8 *packet, guint64 offset)
{
  GstTfrcTsHeader header;
  GstTfrcTsKind kind;
  guint stream;

  cut_if_long (index, offset);
  gst_tfrc_ts_header_read (&header, packet);
  if (header.pid == GST_TFRC_TS_PID_NULL || (header.payload_bytes == 0 && !header.is_damaged))
    return;
  kind = header.is_damaged ? GST_TFRC_TS_OTHER
                           : gst_tfrc_ts_programs_find (&index->programs, header.pid, &stream);
  if (kind == GST_TFRC_TS_TABLES) {
    gst_tfrc_ts_programs_read (&index->programs, &header, 0);
    if (index->tables_offset == NO_OFFSET)
      index->tables_offset = offset;
    return;
  }
  if (is_video (kind))
    take_video (index, &header, offset, kind);
  else if (kind == GST_TFRC_TS_AUDIO)
    take_audio (index, &header, offset);
  index->tables_offset = NO_OFFSET;
}

static void
scan_chunk (TsIndex *index)
{
  gsize bytes = (gsize) MIN (TS_TIMES_CHUNK_BYTES, index->file_bytes - index->scanned), at = 0,
        next;

  bytes = ts_index_read (index, index->scanned, index->chunk, bytes);
  while ((next = ts_times_find_packet (index->chunk, bytes, at)) < bytes) {
    take_packet (index, index->chunk + next, index->scanned + next);
    at = next + GST_TFRC_TS_PACKET_BYTES;
  }
  /* What is left may be the beginning of a packet; of a whole chunk without one only its end. */
  if (bytes - at >= GST_TFRC_TS_PACKET_BYTES) {
    at = bytes - GST_TFRC_TS_PACKET_BYTES + 1;
    cut_if_long (index, index->scanned + at);
  }
  index->scanned += at;
  if (bytes >= GST_TFRC_TS_PACKET_BYTES || splice_is_interrupted (index->splice))
    return;
  index->is_at_end = TRUE;
  index->file_bytes = splice_get_bytes (index->splice);
}

/* ---- the object -------------------------------------------------------------- */

static gboolean
has_packets (TsIndex *index)
{
  gsize bytes = ts_index_read (index, 0, index->chunk, sizeof index->chunk), at = 0, i;

  while ((at = ts_times_find_packet (index->chunk, bytes, at)) < bytes) {
    for (i = 1; i < SYNC_PACKETS && at + i * GST_TFRC_TS_PACKET_BYTES < bytes; i++)
      if (index->chunk[at + i * GST_TFRC_TS_PACKET_BYTES] != SYNC_BYTE)
        break;
    if (i == SYNC_PACKETS || (at == 0 && at + i * GST_TFRC_TS_PACKET_BYTES >= bytes))
      return TRUE;
    at++;
  }
  return FALSE;
}

static TsTimes
times_of (TsIndex *index)
{
  return (TsTimes){ index->splice, index->chunk, index->pid, index->first_pts };
}

/* Times are modulo 2^33, which is 26.5 hours: what is longer has a last time that may be any. A short file is not that long. */
static gboolean
is_true_end (const TsTimes *times, const TsPlace *end)
{
  return end->ticks != TS_TIMES_NONE
      && (end->offset < SHORT_FILE_BYTES
          || ts_times_are_in_order (times, *end, MOST_SEGMENT_BYTES));
}

/* @splice: is taken; NULL makes no index */
static TsIndex *
index_bytes (Splice *splice)
{
  gboolean is_complete = TRUE;
  TsIndex *index;

  gst_tfrc_log_init ();
  if (splice == NULL)
    return NULL;
  if (splice_get_growing (splice) != NULL)
    growing_get_bytes (splice_get_growing (splice), &is_complete);
  index = g_new0 (TsIndex, 1);
  index->splice = splice;
  index->file_bytes = splice_get_bytes (splice);
  index->points = g_array_new (FALSE, FALSE, sizeof (Point));
  index->first_pts = index->last_pts = index->last_ticks = index->landing_ticks = TS_TIMES_NONE;
  index->pid = NO_PID;
  index->tables_offset = NO_OFFSET;
  gst_tfrc_ts_programs_init (&index->programs);
  add_point (index, 0, 0, FALSE);
  /* One that grows has been made here.  It is read later, by who can wait. */
  index->has_packets = !is_complete || has_packets (index);
  index->is_at_end = !index->has_packets;
  if (!is_complete)
    return index;
  while (index->first_pts == TS_TIMES_NONE && index->points->len == 1 && !index->is_at_end)
    scan_chunk (index);
  if (index->first_pts != TS_TIMES_NONE) {
    const TsTimes times = times_of (index);
    const TsPlace end = { index->file_bytes, ts_times_find_last (&times, index->file_bytes) };

    if (is_true_end (&times, &end))
      index->last_ticks = end.ticks;
  }
  return index;
}

TsIndex *
ts_index_new (int fd, GError **error)
{
  return index_bytes (splice_new (fd, error));
}

TsIndex *
ts_index_new_files (int folder, gchar *const *names, GError **error)
{
  return index_bytes (splice_new_files (folder, names, error));
}

TsIndex *
ts_index_new_growing (Growing *growing)
{
  return index_bytes (splice_new_growing (growing));
}

void
ts_index_free (TsIndex *index)
{
  g_array_free (index->points, TRUE);
  splice_free (index->splice);
  g_free (index);
}

/* ---- files that grow ------------------------------------------------------------ */

void
ts_index_set_interrupted (TsIndex *index, gboolean is_interrupted)
{
  splice_set_interrupted (index->splice, is_interrupted);
}

gboolean
ts_index_is_interrupted (const TsIndex *index)
{
  return splice_is_interrupted (index->splice);
}

gchar *
ts_index_dup_problem (const TsIndex *index)
{
  return splice_dup_problem (index->splice);
}

/* ---- queries ------------------------------------------------------------------ */

static guint64
to_ns (guint64 ticks)
{
  return ticks * 100000 / 9; /* no overflow in 2 million hours */
}

static guint64
duration_ticks (const TsIndex *index)
{
  return index->last_ticks != TS_TIMES_NONE ? index->last_ticks : 0;
}

/* Of the last segment the end is the last time of the file. */
static guint64
end_ticks (const TsIndex *index, guint number)
{
  if (number + 1 < index->points->len)
    return g_array_index (index->points, Point, number + 1).ticks;
  return MAX (duration_ticks (index), last_point (index)->ticks);
}

/* A recording may still be going on.  Who has played up to the end that was known has read so far, and goes on from there. */
static gboolean
has_grown (TsIndex *index)
{
  if (!index->has_packets || !splice_grow (index->splice, GST_TFRC_TS_PACKET_BYTES))
    return FALSE;
  add_point (index, index->file_bytes, last_point (index)->ticks, FALSE);
  index->file_bytes = splice_get_bytes (index->splice);
  index->is_at_end = FALSE;
  g_atomic_int_set (&index->has_no_end, TRUE);
  return TRUE;
}

gboolean
ts_index_get (TsIndex *index, guint number, TsSegment *segment)
{
  const Point *point;

  while ((guint64) index->points->len < (guint64) number + 2
      && (!index->is_at_end || has_grown (index)) && !splice_is_interrupted (index->splice)
      && index->points->len < MOST_POINTS)
    scan_chunk (index);
  if (number >= index->points->len)
    return FALSE;
  point = &g_array_index (index->points, Point, number);
  segment->offset = point->offset;
  segment->bytes = (number + 1 < index->points->len ? point[1].offset : index->file_bytes)
      - point->offset;
  segment->time_ns = to_ns (point->ticks);
  segment->duration_ns = to_ns (end_ticks (index, number)) - segment->time_ns;
  segment->is_random_access = point->is_random_access;
  return TRUE;
}

/* ---- times far away -------------------------------------------------------------- */

/* The last tick that is not after a time */
static guint64
to_ticks (guint64 ns)
{
  return (MIN (ns, G_MAXUINT64 / 16) * 9 + 8) / 100000;
}

/* Lets the scan go on elsewhere, and forgets what it has found. */
static void
begin_at (TsIndex *index, guint64 offset, guint64 landing_ticks)
{
  g_array_set_size (index->points, 0);
  add_point (index, offset, offset > 0 ? TS_TIMES_MASK : 0, FALSE);
  index->scanned = offset;
  index->is_at_end = FALSE;
  index->landing_ticks = landing_ticks;
  index->last_pts = TS_TIMES_NONE;
  index->tables_offset = NO_OFFSET;
  index->unit_is_new = FALSE;
  gst_tfrc_ts_pictures_flush (&index->pictures);
}

static void
scan_landing (TsIndex *index)
{
  const guint64 end = index->scanned + LANDING_BYTES;

  while (index->landing_ticks != TS_TIMES_NONE && index->scanned < end && !index->is_at_end
      && !splice_is_interrupted (index->splice))
    scan_chunk (index);
  index->landing_ticks = TS_TIMES_NONE;
}

/* Does a time say where it is? is_true_end() has looked. */
static gboolean
has_order (TsIndex *index)
{
  return index->has_packets && index->last_ticks != TS_TIMES_NONE
      && !g_atomic_int_get (&index->has_no_end);
}

/* Where to scan for a point at or before a time: the group of pictures may have begun before.  @low: is before */
static guint64
find_start (TsIndex *index, TsPlace low, guint64 ticks)
{
  const TsPlace high = { index->file_bytes, index->last_ticks };
  const TsTimes times = times_of (index);
  guint64 offset;

  if (high.offset - low.offset < LANDING_BYTES || !has_order (index))
    return low.offset;
  offset = ts_times_bisect (&times, low, high, MIN (ticks, high.ticks), MOST_SEGMENT_BYTES);
  return offset - MIN (offset, MOST_SEGMENT_BYTES);
}

/* Where times are not in order, or no point is near, the file is read up to there. */
static void
go_near (TsIndex *index, guint64 wanted)
{
  const guint64 ticks = MIN (wanted, TS_TIMES_MASK - 1);
  const Point first = g_array_index (index->points, Point, 0), last = *last_point (index);
  const gboolean is_before = ticks < first.ticks;
  TsPlace low = { 0, 0 };
  guint64 start;

  if (!is_before && ticks < last.ticks)
    return;
  if (!is_before)
    low = (TsPlace){ last.offset, last.ticks };
  start = find_start (index, low, ticks);
  if (!is_before && start <= index->scanned)
    return;
  begin_at (index, start, start > 0 ? ticks : TS_TIMES_NONE);
  scan_landing (index);
  if (g_array_index (index->points, Point, 0).ticks > ticks)
    begin_at (index, 0, TS_TIMES_NONE);
}

guint
ts_index_find (TsIndex *index, guint64 time_ns)
{
  guint number, found = 0;
  TsSegment segment;

  go_near (index, to_ticks (time_ns));
  for (number = 0; ts_index_get (index, number, &segment) && segment.time_ns <= time_ns; number++)
    if (segment.is_random_access)
      found = number;
  return found;
}

gdouble
ts_index_get_mean_bps (const TsIndex *index)
{
  guint64 ticks = duration_ticks (index);

  return ticks > 0 ? (gdouble) index->file_bytes * 8 * TS_TIMES_PER_S / (gdouble) ticks : 0;
}

guint64
ts_index_get_duration (const TsIndex *index)
{
  Growing *growing = splice_get_growing (index->splice);
  guint64 duration_ns = g_atomic_int_get (&index->has_no_end) ? 0 : to_ns (duration_ticks (index));

  return duration_ns == 0 && growing != NULL ? growing_get_duration (growing) : duration_ns;
}

gboolean
ts_index_has_packets (const TsIndex *index)
{
  return index->has_packets;
}

gboolean
ts_index_has_same_streams (const TsIndex *index, const TsIndex *other)
{
  guint pid, unused;

  if (index->pid != other->pid)
    return FALSE;
  for (pid = 0; pid < N_PIDS; pid++)
    if (gst_tfrc_ts_programs_find (&index->programs, pid, &unused)
        != gst_tfrc_ts_programs_find (&other->programs, pid, &unused))
      return FALSE;
  return TRUE;
}
