/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input of tfrcsink that is in RTP already, as rtpmp2tpay makes it: only the payload is sent, in tfrcsink's own packets.
 *
 * Of the input's header nothing is kept. On the wire SSRC and sequence numbers are what TFRC counts losses by, and the
 * time stamp is when the packet was due, which the buffer says. A gap in the input's numbers shows where it does without
 * RTP: in the continuity counters of the transport stream. */
#ifndef GST_TFRC_RTP_INPUT_H
#define GST_TFRC_RTP_INPUT_H

#include <gst/gst.h>

G_BEGIN_DECLS

/** For rtpinput.c alone; all zero is input without RTP. */
typedef struct
{
  gboolean is_rtp;
  guint64 refused; /* packets */
} GstTfrcRtpInput;

/** Takes the caps of the input: application/x-rtp is RTP, and all else is not. */
void gst_tfrc_rtp_input_set_caps (GstTfrcRtpInput *self, const GstCaps *caps);

/** Finds the transport stream in the bytes of a buffer, which may be anything.
 * @param data, size of the buffer; set to the transport stream in it
 * @return FALSE: this is no RTP packet; it is counted, and to be skipped */
gboolean gst_tfrc_rtp_input_take (GstTfrcRtpInput *self, const guint8 **data, gsize *size);

/** Returns how many packets were skipped. */
guint64 gst_tfrc_rtp_input_get_refused (const GstTfrcRtpInput *self);

G_END_DECLS
#endif
