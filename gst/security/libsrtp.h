/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libsrtp with one master key in one direction.  It protects with AES in counter mode; its AES-GCM is
 * what the tests compare srtpgcm.h with, byte for byte.
 *
 * For srtpcontext.c.  One thread at a time uses an object.  No clock, no locks. */
#ifndef GST_TFRC_LIBSRTP_H
#define GST_TFRC_LIBSRTP_H

#include "cipher.h"
#include "srtpindex.h"
#include "srtpresult.h"

G_BEGIN_DECLS

typedef struct _GstTfrcLibsrtp GstTfrcLibsrtp;

/** The parameters and results are those of srtpgcm.h. */
GstTfrcLibsrtp *gst_tfrc_libsrtp_new (gboolean protects, const GstTfrcSrtpStreams *data);

/** @return FALSE with @a error set (G_IO_ERROR) if libsrtp refuses: the object is to be freed */
gboolean gst_tfrc_libsrtp_set_key (
    GstTfrcLibsrtp *self, GstTfrcCipher cipher, const GstTfrcMasterKey *key, GError **error);

/** Wipes the keys.  NULL is allowed. */
void gst_tfrc_libsrtp_free (GstTfrcLibsrtp *self);

gsize gst_tfrc_libsrtp_protect_data (GstTfrcLibsrtp *self, guint32 roc, guint8 *packet, gsize size);
gsize gst_tfrc_libsrtp_protect_report (GstTfrcLibsrtp *self, guint8 *packet, gsize size);

GstTfrcUnprotectResult gst_tfrc_libsrtp_unprotect_data (
    GstTfrcLibsrtp *self, guint32 roc, guint8 *packet, gsize *size);
GstTfrcUnprotectResult gst_tfrc_libsrtp_unprotect_report (
    GstTfrcLibsrtp *self, guint8 *packet, gsize *size);

G_END_DECLS
#endif
