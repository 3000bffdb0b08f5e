/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The segments of a file with a transport stream (ISO/IEC 13818-1): what lies between two random
 * access points, where a decoder can begin and a server can change to another rendition.
 *
 * The file is read as far as is asked for, so that a long movie begins at once, and a time far ahead is looked for by
 * halves.  Any bytes are taken.  Memory is bounded: segments become longer in a stream of many hours.  Without a random access
 * point a segment ends after 8 MiB, and later in such a stream.  A file whose packets do not have 188 bytes is one segment.
 *
 * An object is used by one thread at a time. */
#ifndef SERVER_TSINDEX_H
#define SERVER_TSINDEX_H

#include "growing.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 offset, bytes; /**< in the file: with PAT and PMT if they come right before */
  guint64 time_ns;       /**< presentation time, from the first picture; 0 at the beginning */
  guint64 duration_ns;   /**< 0: not known */
  gboolean is_random_access;
} TsSegment;

typedef struct _TsIndex TsIndex;

/** Begins to read a file.
 *
 * @param fd of a regular file; duplicated.  Its position is neither used nor changed.
 * @return NULL with @a error set (G_FILE_ERROR) if the file cannot be read.  Free the object with
 *   ts_index_free(). */
TsIndex *ts_index_new (int fd, GError **error);

/** Begins to read files of a folder, one after the other, as one stream.
 *
 * @param folder a descriptor; duplicated
 * @param names plain ones (names.h), ended by NULL
 * @return as ts_index_new() */
TsIndex *ts_index_new_files (int folder, gchar *const *names, GError **error);

/** Begins to read a file that may still grow.  What follows waits for what is to come, but not this function.
 *
 * @param growing gets a reference */
TsIndex *ts_index_new_growing (Growing *growing);

void ts_index_free (TsIndex *index);

/** Lets no function wait, or lets them wait again.  What they return meanwhile is of no use.  Any thread. */
void ts_index_set_interrupted (TsIndex *index, gboolean is_interrupted);
gboolean ts_index_is_interrupted (const TsIndex *index);

/** Returns why the file has fewer bytes than it should, for g_free(); NULL: it has not, as far as is known. */
gchar *ts_index_dup_problem (const TsIndex *index);

/** Returns how long the movie lasts, in ns; 0: not known.  It changes while a file grows, and is not known any more where
 * the clock of the stream has turned out to begin anew, or the file has become longer.  Any thread. */
guint64 ts_index_get_duration (const TsIndex *index);

/** Returns a segment, for which the file is read up to the end of the segment.
 *
 * @param number from 0, which is the beginning of the file, or where ts_index_find() has gone; any number
 * @return FALSE if there are fewer segments.  The first one is always there. */
gboolean ts_index_get (TsIndex *index, guint number, TsSegment *segment);

/** Returns the number of the last segment with a random access point that begins at or before a
 * time; 0 if there is none.  A file that does not grow is read around that time alone if the times in it are in order, and
 * segments are numbered anew: what was a number before is none any more. */
guint ts_index_find (TsIndex *index, guint64 time_ns);

/** Returns the bit rate of the file, of all its bytes and its duration, in bit/s; 0: not known */
gdouble ts_index_get_mean_bps (const TsIndex *index);

/** Returns whether packets have 188 bytes. */
gboolean ts_index_has_packets (const TsIndex *index);

/** Returns whether two files carry the same kinds of streams in the same PIDs, as far as they have
 * been read. */
gboolean ts_index_has_same_streams (const TsIndex *index, const TsIndex *other);

/** Reads bytes of the file.  @return how many: less than wanted only at the end or after an error */
gsize ts_index_read (const TsIndex *index, guint64 offset, guint8 *data, gsize bytes);

/** Returns where the file ends that has the byte at a position. */
guint64 ts_index_get_file_end (const TsIndex *index, guint64 offset);

G_END_DECLS
#endif
