/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The times of one stream in a transport stream (PTS, ISO/IEC 13818-1 section 2.4.3.7), at any place of the file: what
 * lies before need not be read.
 *
 * An object is used by one thread at a time. */
#ifndef SERVER_TSTIMES_H
#define SERVER_TSTIMES_H

#include "gst/tfrcsink/tsheader.h"
#include "splice.h"

G_BEGIN_DECLS

/** What is read at once */
#define TS_TIMES_CHUNK_BYTES (87 * GST_TFRC_TS_PACKET_BYTES)

#define TS_TIMES_PER_S 90000
#define TS_TIMES_MASK ((G_GUINT64_CONSTANT (1) << 33) - 1)
#define TS_TIMES_NONE G_MAXUINT64

/** Returns where the next packet begins at or behind a position: there is a sync byte, and another
 * one behind the packet, or the end of the data.  @return @a bytes: there is none */
gsize ts_times_find_packet (const guint8 *data, gsize bytes, gsize at);

/** Returns the PTS of the PES packet that begins with the payload; TS_TIMES_NONE: there is none. */
guint64 ts_times_read (const GstTfrcTsHeader *header);

typedef struct
{
  Splice *splice;
  guint8 *chunk; /**< TS_TIMES_CHUNK_BYTES, which are overwritten */
  guint pid;
  guint64 first_pts; /**< times count from here */
} TsTimes;

typedef struct
{
  guint64 offset, ticks;
} TsPlace;

/** Finds the last time in the bytes, without what lies before the last megabyte.  Of a time before the first one, where
 * the clock of the stream begins anew, nobody knows how long after it that is.
 *
 * @return since first_pts; TS_TIMES_NONE: there is none */
guint64 ts_times_find_last (const TsTimes *self, guint64 bytes);

/** Returns whether times grow from each of sixteen places to the next.  Where the clock of the stream begins anew, a time
 * would say nothing of a place.
 *
 * @param end of the file, with its last time
 * @param near_bytes how far a time is looked for */
gboolean ts_times_are_in_order (const TsTimes *self, TsPlace end, guint64 near_bytes);

/** Finds a place by halves: some twenty reads in a file of any length.
 *
 * @param low a place with a time of at most @a ticks
 * @param high a place with a later time
 * @param near_bytes how far before what is wanted the result may be, and how far a time is looked for
 * @return an offset, of which the next time is at most @a ticks; that of @a low if the times in between are not in order */
guint64 ts_times_bisect (
    const TsTimes *self, TsPlace low, TsPlace high, guint64 ticks, guint64 near_bytes);

G_END_DECLS
#endif
