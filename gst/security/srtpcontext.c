/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The contexts of OpenSSL or libsrtp, see srtpcontext.h. */
#include "srtpcontext.h"

#include <gio/gio.h>

#include "libsrtp.h"
#include "srtpgcm.h"

struct _GstTfrcSrtpContext
{
  /* Either of them */
  GstTfrcSrtpGcm *gcm;
  GstTfrcLibsrtp *libsrtp;
};

static gboolean
is_gcm (GstTfrcCipher cipher)
{
  return cipher == GST_TFRC_CIPHER_AES_128_GCM || cipher == GST_TFRC_CIPHER_AES_256_GCM;
}

static void
drop_gcm (GstTfrcSrtpContext *self)
{
  g_clear_pointer (&self->gcm, gst_tfrc_srtp_gcm_free);
}

static void
drop_libsrtp (GstTfrcSrtpContext *self)
{
  g_clear_pointer (&self->libsrtp, gst_tfrc_libsrtp_free);
}

static gboolean
set_gcm (GstTfrcSrtpContext *self, gboolean protects, const GstTfrcSrtpStreams *data,
    GstTfrcCipher cipher, const GstTfrcMasterKey *key, GError **error)
{
  drop_libsrtp (self);
  if (self->gcm == NULL)
    self->gcm = gst_tfrc_srtp_gcm_new (protects, data);
  if (gst_tfrc_srtp_gcm_set_key (self->gcm, cipher, key))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "OpenSSL refuses the keys of AES-GCM");
  return FALSE;
}

static gboolean
set_libsrtp (GstTfrcSrtpContext *self, gboolean protects, const GstTfrcSrtpStreams *data,
    GstTfrcCipher cipher, const GstTfrcMasterKey *key, GError **error)
{
  drop_gcm (self);
  if (self->libsrtp == NULL)
    self->libsrtp = gst_tfrc_libsrtp_new (protects, data);
  return gst_tfrc_libsrtp_set_key (self->libsrtp, cipher, key, error);
}

gboolean
gst_tfrc_srtp_context_set (GstTfrcSrtpContext **context, gboolean protects,
    const GstTfrcSrtpStreams *data, GstTfrcCipher cipher, const GstTfrcMasterKey *key,
    GError **error)
{
  if (*context == NULL)
    *context = g_new0 (GstTfrcSrtpContext, 1);
  if (is_gcm (cipher) ? set_gcm (*context, protects, data, cipher, key, error)
                      : set_libsrtp (*context, protects, data, cipher, key, error))
    return TRUE;
  gst_tfrc_srtp_context_clear (context);
  return FALSE;
}

void
gst_tfrc_srtp_context_clear (GstTfrcSrtpContext **context)
{
  if (*context != NULL) {
    drop_gcm (*context);
    drop_libsrtp (*context);
  }
  g_clear_pointer (context, g_free);
}

gsize
gst_tfrc_srtp_context_protect_data (
    GstTfrcSrtpContext *self, guint32 roc, guint8 *packet, gsize size)
{
  return self->gcm ? gst_tfrc_srtp_gcm_protect_data (self->gcm, roc, packet, size)
                   : gst_tfrc_libsrtp_protect_data (self->libsrtp, roc, packet, size);
}

gsize
gst_tfrc_srtp_context_protect_report (GstTfrcSrtpContext *self, guint8 *packet, gsize size)
{
  return self->gcm ? gst_tfrc_srtp_gcm_protect_report (self->gcm, packet, size)
                   : gst_tfrc_libsrtp_protect_report (self->libsrtp, packet, size);
}

GstTfrcUnprotectResult
gst_tfrc_srtp_context_unprotect_data (
    GstTfrcSrtpContext *self, guint32 roc, guint8 *packet, gsize *size)
{
  return self->gcm ? gst_tfrc_srtp_gcm_unprotect_data (self->gcm, roc, packet, size)
                   : gst_tfrc_libsrtp_unprotect_data (self->libsrtp, roc, packet, size);
}

GstTfrcUnprotectResult
gst_tfrc_srtp_context_unprotect_report (GstTfrcSrtpContext *self, guint8 *packet, gsize *size)
{
  return self->gcm ? gst_tfrc_srtp_gcm_unprotect_report (self->gcm, packet, size)
                   : gst_tfrc_libsrtp_unprotect_report (self->libsrtp, packet, size);
}
