/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The probes of a receiver that knows its sender's address: challenges before any packet has come from there
 * (RFC 9000 section 9.1), so that a stream that runs already begins here at once. To a sender that listens,
 * calls (call.h) leave in their place until it has accepted, and every few seconds then.
 *
 * The first probe leaves at the start, the next one 250 ms later. The interval doubles each time, up to
 * 2 s. No socket, no clock, no locks. */
#ifndef GST_TFRC_PROBES_H
#define GST_TFRC_PROBES_H

#include "call.h"

G_BEGIN_DECLS

/** For probes.c alone; all zero: there are none */
typedef struct
{
  GstTfrcAddress address;
  gboolean is_running;
  guint64 next_ns;     /* when the next probe leaves */
  guint64 interval_ns; /* from the next probe to the one after it */
  GstTfrcCall call;
} GstTfrcProbes;

/** Begins to probe, or begins anew: the first probe is due at once. */
void gst_tfrc_probes_start (GstTfrcProbes *self, const GstTfrcAddress *address, guint64 now_ns);

/** Ends, as a packet has come. */
void gst_tfrc_probes_stop (GstTfrcProbes *self);

/** The probes are calls, until one is accepted. Arguments as for gst_tfrc_call_begin(). */
void gst_tfrc_probes_call (
    GstTfrcProbes *self, guint32 ssrc, guint32 number, const gchar *stream_id, guint64 now_ns);

/** An answer to a call has come from anywhere.
 * @return TRUE if the call is refused now */
gboolean gst_tfrc_probes_on_answer (GstTfrcProbes *self, const GstTfrcReceivedPacket *packet);

gboolean gst_tfrc_probes_are_running (const GstTfrcProbes *self);

/** Returns when the next probe is due, or when gst_tfrc_probes_take_unanswered() is TRUE; G_MAXUINT64:
 * never. */
guint64 gst_tfrc_probes_next_ns (const GstTfrcProbes *self);

/** As gst_tfrc_call_take_unanswered(). */
gboolean gst_tfrc_probes_take_unanswered (GstTfrcProbes *self, guint64 now_ns);

/** Returns TRUE if a challenge is due, which the caller sends at once. */
gboolean gst_tfrc_probes_take_challenge (GstTfrcProbes *self, guint64 now_ns);

/** Writes the call that is due.
 * @param buffer GST_TFRC_CALL_MAX_BYTES
 * @param to set to the destination
 * @return bytes written; 0: none is due */
gsize gst_tfrc_probes_write_call (
    GstTfrcProbes *self, guint64 now_ns, guint8 *buffer, GstTfrcAddress *to);

/** Returns the call, for what has become of it. */
const GstTfrcCall *gst_tfrc_probes_get_call (const GstTfrcProbes *self);

G_END_DECLS
#endif
