/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What this process remembers of paths: the rate that a stream has proven, and its least R, for the next
 * stream to the same host (lib/tfrc/careful_resume.h, RFC 9959).
 *
 * A path is the receiver's host, without the port, and the local interface and address that the system
 * would send from.  One table serves all streams of the process.  It has 64 entries, of which the oldest
 * makes room; an entry counts for an hour.  A stream takes an entry out when it begins, and puts its own
 * in when it ends: of several streams to one host only the first begins faster, because the path has what
 * is remembered once.
 *
 * Any thread.  The lock is held for a search of the table, at the beginning and at the end of a
 * stream. */
#ifndef GST_TFRC_PATHMEMORY_H
#define GST_TFRC_PATHMEMORY_H

#include "../io/datagrams.h"

G_BEGIN_DECLS

/** TCP's metrics of a host live as long in Linux (tcp_metrics). */
#define GST_TFRC_PATH_MEMORY_LIFE_NS (3600 * G_GUINT64_CONSTANT (1000000000))

/** A server with more receivers at a time helps the newest of them. */
#define GST_TFRC_PATH_MEMORY_ENTRIES 64

typedef struct
{
  gdouble rate_Bps; /**< tfrc_sender_get_proven_rate_Bps(); 0: nothing */
  guint64 rtt_ns;   /**< the least R */
} GstTfrcPathMemory;

/** Takes what is remembered of the path to a host out of the table.
 * @param local the local end, which the system chooses
 * @return nothing (all 0) if there is no entry, or if it is too old */
GstTfrcPathMemory gst_tfrc_path_memory_take (
    const GstTfrcAddress *peer, const GstTfrcLocalPath *local, guint64 now_ns);

/** Remembers a path in the place of what was remembered of it; ignores a memory of nothing. */
void gst_tfrc_path_memory_put (const GstTfrcAddress *peer, const GstTfrcLocalPath *local,
    const GstTfrcPathMemory *memory, guint64 now_ns);

/** Forgets all.  For tests. */
void gst_tfrc_path_memory_clear (void);

G_END_DECLS
#endif
