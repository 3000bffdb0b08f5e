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

/* SSRCs that reports under one key may have.  A receiver has one, and takes another one if it clashes
 * (RFC 3550 section 8.2).  libsrtp keeps a stream with a replay window for each that has had a right
 * tag, so that without a bound who has the keys could fill the sender's memory.  Reports with further
 * ones are forged. */
#define GST_TFRC_SRTP_REPORT_SSRCS 8

typedef struct
{
  srtp_t receiving;
  gsize tag_bytes;
  gsize
      after_index_bytes; /* in a report: 0 with AES-GCM (RFC 7714 section 9.2), otherwise the tag */
  gboolean has_received; /* a packet has been unprotected */
  gboolean knows_roc[GST_TFRC_SRTP_STREAMS]; /* a packet of the stream has been unprotected */
  gboolean is_in_use; /* switched to by a call, even if no packet has been protected yet */

  /* To send with.  The key is wiped when the end switches to the generation. */
  GstTfrcCipher cipher;
  GstTfrcMasterKey sending_key;
  guint32 ssrc;                        /* of the media */
  guint32 rocs[GST_TFRC_SRTP_STREAMS]; /* as told, of the first packet */

  guint32 report_ssrcs[GST_TFRC_SRTP_REPORT_SSRCS]; /* at the sender: that reports have come from */
  guint n_report_ssrcs;
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
  guint32 roc;          /* of data that a try has unprotected */
} GstTfrcSrtpAttempt;

/** @param is_sender at the sender of data
 * @param receiving of the context that unprotects, with the SSRC of the media at either end
 * @return NULL with @a error set (G_IO_ERROR) if libsrtp refuses */
GstTfrcSrtpGeneration *gst_tfrc_srtp_generation_new (gboolean is_sender,
    const GstTfrcSrtpContextType *receiving, const GstTfrcStreamKeys *keys, GError **error);

/** Wipes the keys.  NULL is allowed. */
void gst_tfrc_srtp_generation_free (GstTfrcSrtpGeneration *self);

/** Tries to unprotect a packet, with the rollover counter that is set.
 * @return FALSE: the packet is spoilt */
gboolean gst_tfrc_srtp_generation_try (GstTfrcSrtpGeneration *self, GstTfrcSrtpAttempt *attempt);

G_END_DECLS
#endif
