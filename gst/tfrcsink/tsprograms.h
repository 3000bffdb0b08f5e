/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tables of a transport stream say of its PIDs: the program association table and the program
 * map tables (ISO/IEC 13818-1 sections 2.4.4.3 and 2.4.4.8), of any number of programs and versions.
 *
 * Bounded: what does not fit is of no known kind. No lock and no clock. */
#ifndef GST_TFRC_TSPROGRAMS_H
#define GST_TFRC_TSPROGRAMS_H

#include "tsheader.h"

G_BEGIN_DECLS

/** Programs, and streams of all of them. A stream for one receiver has one program with a handful of
 * streams, and a satellite's transponder a dozen programs. */
#define GST_TFRC_TS_MAX_PROGRAMS 16
#define GST_TFRC_TS_MAX_STREAMS 64

/** The most bytes of a section of PAT or PMT */
#define GST_TFRC_TS_MAX_SECTION_BYTES 1024

/** What a PID carries */
typedef enum
{
  GST_TFRC_TS_OTHER,      /**< subtitles, data, or what no table tells */
  GST_TFRC_TS_TABLES,     /**< PAT and PMT, for gst_tfrc_ts_programs_read() */
  GST_TFRC_TS_CONDITIONS, /**< what a receiver needs to descramble: CAT and ECM */
  GST_TFRC_TS_AUDIO,
  GST_TFRC_TS_MPEG_VIDEO, /**< MPEG-1 and MPEG-2 */
  GST_TFRC_TS_H264,
  GST_TFRC_TS_H265,
  GST_TFRC_TS_OTHER_VIDEO
} GstTfrcTsKind;

typedef struct
{
  guint16 number;     /* program_number; 0: the entry is free */
  guint16 pid;        /* of the PMT */
  guint32 crc;        /* of the section that was read last; 0: none, or it is to be read again */
  guint32 counted_in; /* the group in which it counted last, and 1; 0: it is to count again */
  gboolean is_listed;
} GstTfrcTsProgram;

typedef struct
{
  guint16 pid; /* G_MAXUINT16: the entry is free */
  guint8 kind; /* GstTfrcTsKind */
  guint8 program;
  gboolean is_listed;
} GstTfrcTsStream;

/** For tsprograms.c alone */
typedef struct
{
  GstTfrcTsProgram programs[GST_TFRC_TS_MAX_PROGRAMS];
  GstTfrcTsStream streams[GST_TFRC_TS_MAX_STREAMS];
  guint n_programs, n_streams; /* entries that have ever been used */
  guint32 pat_crc, pat_counted_in;
  gboolean is_full; /* there was no room for a part of the table that was read last */
  /* The section that is being collected. There is one, because multiplexers send a section in one go:
   * if another begins before the end, the first is read when it comes again. */
  guint16 section_pid;
  guint section_bytes; /* so far; 0: none */
  gboolean section_counts;
  guint8 section[GST_TFRC_TS_MAX_SECTION_BYTES];
} GstTfrcTsPrograms;

void gst_tfrc_ts_programs_init (GstTfrcTsPrograms *self);

/** Forgets the section that is being collected, as after a flush. The tables stay. */
void gst_tfrc_ts_programs_flush (GstTfrcTsPrograms *self);

/** Says what a PID carries.
 * @param stream set to a number below GST_TFRC_TS_MAX_STREAMS for audio, video and ECM: the PID's as long
 *   as the tables list it */
GstTfrcTsKind gst_tfrc_ts_programs_find (const GstTfrcTsPrograms *self, guint pid, guint *stream);

/** Reads the payload of a packet of GST_TFRC_TS_TABLES. A table that is wrong in itself changes
 * nothing.
 * @param group the present group of pictures
 * @return TRUE if the packet counts: its table is new, or comes for the first time in this group or since it
 *   was new, or cannot be read. Who begins to watch needs the tables no later than a group. */
gboolean gst_tfrc_ts_programs_read (
    GstTfrcTsPrograms *self, const GstTfrcTsHeader *header, guint32 group);

G_END_DECLS
#endif
