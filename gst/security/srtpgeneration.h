/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A generation of keys of a stream: what it unprotects packets with, and the key to protect with.  See
 * srtp.h for the stream that has up to two of them.
 *
 * For srtp.c alone, whose thread uses a generation.  No lock, no clock. */
#ifndef GST_TFRC_SRTPGENERATION_H
#define GST_TFRC_SRTPGENERATION_H

#include "cipher.h"
#include "srtpcontext.h"
#include "srtpindex.h"

G_BEGIN_DECLS

#define GST_TFRC_SRTP_RTCP_INDEX_BYTES 4 /* RFC 3711 section 3.4 */

typedef struct
{
  GstTfrcSrtpContext *receiving;
  gsize tag_bytes;
  gboolean has_received;                     /* a packet has been unprotected */
  gboolean knows_roc[GST_TFRC_SRTP_STREAMS]; /* a packet of the stream has been unprotected */
  gboolean is_in_use; /* switched to by a call, even if no packet has been protected yet */

  /* To send with.  The key is wiped when the end switches to the generation. */
  GstTfrcCipher cipher;
  GstTfrcMasterKey sending_key;
  guint32 ssrc;                        /* of the media */
  guint32 rocs[GST_TFRC_SRTP_STREAMS]; /* as told, of the first packet */
} GstTfrcSrtpGeneration;

/* A packet that is unprotected in place.  AES-GCM spoils the packet when the tag is wrong, so that
 * each further try needs the bytes again. */
typedef struct
{
  gboolean is_rtcp;
  guint8 *packet;
  gsize size;
  guint8 *copy; /* NULL: one try is enough */
  gboolean is_spoilt;
  gboolean is_replayed; /* in one of the tries */
  guint32 roc;          /* of data, in the try */
} GstTfrcSrtpAttempt;

/** @param is_sender at the sender of data
 * @param ssrc of the media, at either end
 * @param has_repairs of the media, at the receiver
 * @return NULL with @a error set (G_IO_ERROR) if libsrtp or OpenSSL refuses */
GstTfrcSrtpGeneration *gst_tfrc_srtp_generation_new (gboolean is_sender, guint32 ssrc,
    gboolean has_repairs, const GstTfrcStreamKeys *keys, GError **error);

/** Wipes the keys.  NULL is allowed. */
void gst_tfrc_srtp_generation_free (GstTfrcSrtpGeneration *self);

/** Tries to unprotect a packet, data with the rollover counter of the attempt.
 * @return FALSE: the packet is spoilt */
gboolean gst_tfrc_srtp_generation_try (GstTfrcSrtpGeneration *self, GstTfrcSrtpAttempt *attempt);

G_END_DECLS
#endif
