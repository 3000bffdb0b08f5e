/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The callers of a tfrcsrc that listens: signals, decisions and statistics. */
#ifndef GST_TFRC_SRC_CALLERS_H
#define GST_TFRC_SRC_CALLERS_H

#include "../stream/running.h"
#include "../stream/srcstream.h"

G_BEGIN_DECLS

/** Takes one piece of news and tells the application. On the notifier's thread, outside the gate. */
void gst_tfrc_src_callers_tell (GstTfrcRunning *running);

/** Drops a caller. Outside the gate, any thread.
 * @return FALSE: there is no such caller, or the source does not run */
gboolean gst_tfrc_src_callers_drop (GstTfrcRunning *running, guint64 id);

/** Adds the fields of callers to the statistics, if the source runs and senders have to call. Outside the gate, any
 * thread. */
void gst_tfrc_src_callers_add_stats (GstTfrcRunning *running, GstStructure *s);

G_END_DECLS
#endif
