/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The times of packets by the clock references (PCR) of their transport stream (ISO/IEC 13818-1 sections
 * 2.4.2.2 and 2.4.3.5), for input without time stamps.
 *
 * Between two references the bytes come evenly (equation 2-5 of the standard), so a packet waits here
 * until the reference behind it is there. It could go at once by the rate of the interval before, but a
 * multiplexer with a variable bitrate changes that rate from picture to picture, and the errors would add
 * up to bursts. A file brings the next reference at once; a pipe brings it a tenth of a second later.
 *
 * Memory is bounded. No lock and no clock: for the streaming thread. */
#ifndef GST_TFRC_PCRPACE_H
#define GST_TFRC_PCRPACE_H

#include "../queue/packet.h"

G_BEGIN_DECLS

/** The longest time between two references. The standard has 100 ms; sparse streams, as of one picture a
 * second, have more. A longer or a negative step is a jump, as of two movies in one file: the packets up to
 * it take at most what the interval before took, so that a wrong reference costs no wait and no burst. */
#define GST_TFRC_PCR_MAX_INTERVAL_NS (2 * G_GUINT64_CONSTANT (1000000000))

/** Packets that wait for the next reference at most: 2.7 MB, which is 100 ms at 215 Mbit/s. Then they go
 * by the rate of the interval before, or at once if there was none. */
#define GST_TFRC_PCR_MAX_HELD 2048

/** The clock is that of the PID that has the first reference. After this number of references on other PIDs
 * alone, more than the programs of a transponder have between two of one program, it is another's. */
#define GST_TFRC_PCR_MAX_OTHERS 64

typedef struct _GstTfrcPcrPace GstTfrcPcrPace;

/** @return free with gst_tfrc_pcr_pace_free() */
GstTfrcPcrPace *gst_tfrc_pcr_pace_new (void);

/** Drops the packets that are left. NULL is allowed. */
void gst_tfrc_pcr_pace_free (GstTfrcPcrPace *self);

/** Drops all packets and begins anew, as after a flush. */
void gst_tfrc_pcr_pace_clear (GstTfrcPcrPace *self);

/** Takes over a packet, whose payload is whole packets of the transport stream, in which anything may
 * stand. gst_tfrc_pcr_pace_take() has to be called until it returns NULL first. */
void gst_tfrc_pcr_pace_add (GstTfrcPcrPace *self, GstTfrcPacket *packet);

/** The stream has ended: the rest goes by the rate of the last interval, and in its time at most. */
void gst_tfrc_pcr_pace_finish (GstTfrcPcrPace *self);

/** Hands out the next packet that may go.
 * @param time_ns set to the time of its last byte since the first reference, never less than that of the
 *   packet before; G_MAXUINT64: the stream has had no reference so far
 * @return NULL: no packet, or the next one waits for a reference */
GstTfrcPacket *gst_tfrc_pcr_pace_take (GstTfrcPcrPace *self, guint64 *time_ns);

G_END_DECLS
#endif
