/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The callers of a tfrcsink that listens, for the application: signals, messages and statistics. */
#ifndef GST_TFRC_SINK_CALLERS_H
#define GST_TFRC_SINK_CALLERS_H

#include "../stream/running.h"
#include "../stream/sinkstream.h"

G_BEGIN_DECLS

/** Adds the signals caller-connecting, caller-added, caller-removed and caller-rejected, and the actions
 * drop-caller and refuse-caller, to the class of the element.
 * @param drop handler of that action, and so is @a refuse */
void gst_tfrc_sink_callers_install_signals (GType type,
    gboolean (*drop) (GstElement *element, guint64 id),
    void (*refuse) (GstElement *element, guint64 id, const gchar *reason));

/** Takes what there is to tell of a stream that listens: that news of callers waits, or that statistics are
 * due. Inside the gate.
 * @return FALSE: nothing */
gboolean gst_tfrc_sink_callers_take_event (GstTfrcSinkStream *stream, GstTfrcEvent *event);

/** Takes one piece of news and tells the application; asks whether a caller is accepted. On the notifier's
 * thread, outside the gate.
 * @param running of the element */
void gst_tfrc_sink_callers_tell (GstTfrcRunning *running);

/** Has a caller dropped. Inside the gate.
 * @return FALSE: there is no such caller */
gboolean gst_tfrc_sink_callers_drop (GstTfrcSinkStream *stream, guint64 id);

/** Refuses a caller that waits; another one is left alone. Outside the gate, any thread.
 * @param running of the element
 * @param reason for the caller; NULL: none in particular */
void gst_tfrc_sink_callers_refuse (GstTfrcRunning *running, guint64 id, const gchar *reason);

/** Opens the stream to a caller of another sink, inside the gate of that sink. Posts no message.
 * @param listener of the other sink
 * @param config as for gst_tfrc_sink_stream_new(), whose other parameters follow; listener is found
 * @return NULL with @a error set: also if the other sink does not run */
GstTfrcSinkStream *gst_tfrc_sink_callers_open_guest (GstTfrcRunning *listener,
    const GstTfrcSinkStreamConfig *config, GstTfrcSinkStreamEvents events, gpointer user,
    GError **error);

/** Passes on the property max-callers. Inside the gate; a stream that does not listen has no use for it. */
void gst_tfrc_sink_callers_set_max (GstTfrcSinkStream *stream, guint max_callers);

/** Returns the property `stats' of a sink that listens, which the caller owns. Inside the gate. */
GstStructure *gst_tfrc_sink_callers_stats_new (GstTfrcSinkStream *stream);

G_END_DECLS
#endif
