/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The contexts of libsrtp: one that protects packets or one that unprotects packets, with one master
 * key each.  See srtp.h for the stream that has several of them. */
#ifndef GST_TFRC_SRTP_CONTEXT_H
#define GST_TFRC_SRTP_CONTEXT_H

#include <srtp2/srtp.h>

#include "cipher.h"

G_BEGIN_DECLS

/** The purpose of a context, see gst_tfrc_srtp_context_set() */
typedef struct
{
  srtp_ssrc_type_t ssrc_type;
  guint32 ssrc;          /**< with ssrc_specific: of the media */
  gulong window_packets; /**< replay window */
  gboolean has_repairs;  /**< with ssrc_specific: the repairs of the media have a stream as well */
} GstTfrcSrtpContextType;

/** Makes a context, or gives a context another key.
 *
 * With another key, the rollover counter and the SRTCP index go on (RFC 3711 sections 3.3.1 and
 * 3.4).  Any thread; a context is used by one thread at a time.
 *
 * @param context NULL: makes one.  NULL afterwards if libsrtp refuses; srtp_dealloc() frees.
 * @param key copied
 * @return FALSE with @a error set (G_IO_ERROR) if libsrtp refuses */
gboolean gst_tfrc_srtp_context_set (srtp_t *context, const GstTfrcSrtpContextType *type,
    GstTfrcCipher cipher, const GstTfrcMasterKey *key, GError **error);

/** Frees a context with its keys, and sets it to NULL.  NULL is allowed. */
void gst_tfrc_srtp_context_clear (srtp_t *context);

G_END_DECLS
#endif
