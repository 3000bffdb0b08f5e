/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NAL units of H.264 (sections 7.2, 7.4.1.1, 9.1): bits, Exp-Golomb codes, start codes and
 * headers */
#ifndef VOD_REPLAY_NALWRITER_H
#define VOD_REPLAY_NALWRITER_H

#include <gst/base/gstbitwriter.h>

/** Adds the lowest n_bits bits of a value, the highest of them first. */
void nal_put (GstBitWriter *payload, guint n_bits, guint32 value);

/** Adds a value as ue(v). */
void nal_put_ue (GstBitWriter *payload, guint32 value);

/** Adds a value as se(v). */
void nal_put_se (GstBitWriter *payload, gint32 value);

/** Writes the start code (of four bytes, as h264parse makes it), the NAL header and the payload
 * with its trailing bits.  Bytes that prevent the emulation of start codes are added.
 *
 * @param payload the raw byte sequence payload; the call frees the memory of the writer
 * @param data has room for 3/2 of the payload and 6 bytes
 * @return the number of bytes that were written */
gsize nal_finish (GstBitWriter *payload, guint8 nal_header, guint8 *data);

#endif
