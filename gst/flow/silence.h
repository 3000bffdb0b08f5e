/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Notices that nobody answers a stream from its beginning: a wrong address or port, no program
 * there, a firewall, or a receiver that sends no feedback.
 *
 * A receiver that has answered once belongs to the peer's state, so later silence is not noticed
 * here.
 *
 * GstTfrcSilence has no lock: the stream that owns it locks. */
#ifndef GST_TFRC_SILENCE_H
#define GST_TFRC_SILENCE_H

#include <glib.h>

G_BEGIN_DECLS

/** The wait for an answer, from the first packet on. An RTP receiver's first report comes within
 * 3.1 s (RFC 3550 section 6.2), so a shorter wait would accuse receivers that are there. */
#define GST_TFRC_SILENCE_NS (4 * G_GUINT64_CONSTANT (1000000000))

/** Zero-initialise. */
typedef struct
{
  guint64 end_ns; /* of the wait for an answer; 0: no packet has left yet */
  gint error;     /* errno of the last ICMP error; 0: none */
  gboolean is_over;
} GstTfrcSilence;

/** A packet has left. The first call starts the wait. */
void gst_tfrc_silence_on_packet (GstTfrcSilence *silence, guint64 now_ns);

/** An ICMP error has come for a packet to the receiver. */
void gst_tfrc_silence_on_error (GstTfrcSilence *silence, gint error);

/** The receiver has answered. */
void gst_tfrc_silence_on_answer (GstTfrcSilence *silence);

/** Returns the errno of the last ICMP error; 0: none has come. */
gint gst_tfrc_silence_get_error (const GstTfrcSilence *silence);

/** Returns when to call gst_tfrc_silence_is_noticed(); G_MAXUINT64: never. */
guint64 gst_tfrc_silence_next_ns (const GstTfrcSilence *silence);

/** Returns TRUE once: when the wait has ended without an answer. */
gboolean gst_tfrc_silence_is_noticed (GstTfrcSilence *silence, guint64 now_ns);

G_END_DECLS
#endif
