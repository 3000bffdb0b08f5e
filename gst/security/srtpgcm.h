/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SRTP and SRTCP with AES-GCM (RFC 7714) under one master key, in one direction: the packets are
 * those of libsrtp, byte for byte.
 *
 * Replays are looked for first, then the tag is checked, and a packet with a wrong tag changes no
 * window (RFC 3711 section 3.3).
 *
 * For srtpcontext.c alone.  One thread at a time uses an object.  No clock, no locks. */
#ifndef GST_TFRC_SRTPGCM_H
#define GST_TFRC_SRTPGCM_H

#include "cipher.h"
#include "srtpindex.h"
#include "srtpresult.h"

G_BEGIN_DECLS

typedef struct _GstTfrcSrtpGcm GstTfrcSrtpGcm;

/** @param seals FALSE: opens
 * @param data the streams of data that go in this direction; NULL: none, and reports have any SSRC
 * @return without keys; never NULL */
GstTfrcSrtpGcm *gst_tfrc_srtp_gcm_new (gboolean seals, const GstTfrcSrtpStreams *data);

/** Sets the first key or another one.  Which numbers have been used under the key before is forgotten;
 * how far each stream has come is not (RFC 3711 sections 3.3.1 and 3.4).
 * @param key copied
 * @return FALSE if OpenSSL has no memory: the object is to be freed */
gboolean gst_tfrc_srtp_gcm_set_key (
    GstTfrcSrtpGcm *self, GstTfrcCipher cipher, const GstTfrcMasterKey *key);

/** Wipes the keys.  NULL is allowed. */
void gst_tfrc_srtp_gcm_free (GstTfrcSrtpGcm *self);

/** Protect a packet in place.
 * @param roc rollover counter of this packet
 * @param packet of at least 12 bytes, of a report 8, with room for another 20
 * @return bytes afterwards; 0: it is no packet of these streams, or its number has been used */
gsize gst_tfrc_srtp_gcm_protect_data (
    GstTfrcSrtpGcm *self, guint32 roc, guint8 *packet, gsize size);
gsize gst_tfrc_srtp_gcm_protect_report (GstTfrcSrtpGcm *self, guint8 *packet, gsize size);

/** Unprotect a packet in place.
 * @param roc rollover counter that the tag is to be right with
 * @param packet spoilt if its tag is wrong
 * @param size in: bytes, at least 12; out: bytes afterwards, if OK */
GstTfrcUnprotectResult gst_tfrc_srtp_gcm_unprotect_data (
    GstTfrcSrtpGcm *self, guint32 roc, guint8 *packet, gsize *size);
GstTfrcUnprotectResult gst_tfrc_srtp_gcm_unprotect_report (
    GstTfrcSrtpGcm *self, guint8 *packet, gsize *size);

G_END_DECLS
#endif
