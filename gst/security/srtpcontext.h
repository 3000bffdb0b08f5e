/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A context that protects packets or one that unprotects packets, with one master key: of OpenSSL with
 * AES-GCM (srtpgcm.h), of libsrtp with the other ciphers.  See srtp.h for the stream that has several
 * of them. */
#ifndef GST_TFRC_SRTP_CONTEXT_H
#define GST_TFRC_SRTP_CONTEXT_H

#include "cipher.h"
#include "srtpindex.h"
#include "srtpresult.h"

G_BEGIN_DECLS

typedef struct _GstTfrcSrtpContext GstTfrcSrtpContext;

/** Makes a context, or gives a context another key.
 *
 * With another key, the rollover counter and the SRTCP index go on (RFC 3711 sections 3.3.1 and
 * 3.4); with another kind of cipher, the SRTCP index begins anew.  Any thread; a context is used by
 * one thread at a time.
 *
 * @param context NULL: makes one.  NULL afterwards if libsrtp or OpenSSL refuses
 * @param protects FALSE: unprotects.  The same in each call for a context, as are the streams
 * @param data the streams of data in this direction; NULL: there are reports alone, of any SSRC
 * @param key copied
 * @return FALSE with @a error set (G_IO_ERROR) if libsrtp or OpenSSL refuses */
gboolean gst_tfrc_srtp_context_set (GstTfrcSrtpContext **context, gboolean protects,
    const GstTfrcSrtpStreams *data, GstTfrcCipher cipher, const GstTfrcMasterKey *key,
    GError **error);

/** Frees a context with its keys, and sets it to NULL.  NULL is allowed. */
void gst_tfrc_srtp_context_clear (GstTfrcSrtpContext **context);

/** Protect a packet in place.
 * @param roc rollover counter of this packet
 * @param packet of at least 12 bytes, of a report 8, at an address that is a multiple of 4, with room
 *   for another GST_TFRC_PACKET_TAIL_BYTES (queue/packet.h)
 * @return bytes afterwards; 0: it is no packet of the streams, or its number has been used */
gsize gst_tfrc_srtp_context_protect_data (
    GstTfrcSrtpContext *self, guint32 roc, guint8 *packet, gsize size);
gsize gst_tfrc_srtp_context_protect_report (GstTfrcSrtpContext *self, guint8 *packet, gsize size);

/** Unprotect a packet in place.
 * @param roc rollover counter that the tag is to be right with
 * @param packet as above; spoilt if the result is not OK
 * @param size in: bytes; out: bytes afterwards if the result is OK */
GstTfrcUnprotectResult gst_tfrc_srtp_context_unprotect_data (
    GstTfrcSrtpContext *self, guint32 roc, guint8 *packet, gsize *size);
GstTfrcUnprotectResult gst_tfrc_srtp_context_unprotect_report (
    GstTfrcSrtpContext *self, guint8 *packet, gsize *size);

G_END_DECLS
#endif
