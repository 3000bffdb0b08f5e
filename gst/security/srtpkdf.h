/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keys that packets are protected with, from a master key (RFC 3711 section 4.3). */
#ifndef GST_TFRC_SRTPKDF_H
#define GST_TFRC_SRTPKDF_H

#include "cipher.h"

G_BEGIN_DECLS

/** What a key is for: the labels of RFC 3711 section 4.3.2 */
typedef enum
{
  GST_TFRC_SRTP_RTP_KEY = 0,
  GST_TFRC_SRTP_RTP_AUTHENTICATION = 1,
  GST_TFRC_SRTP_RTP_SALT = 2,
  GST_TFRC_SRTP_RTCP_KEY = 3,
  GST_TFRC_SRTP_RTCP_AUTHENTICATION = 4,
  GST_TFRC_SRTP_RTCP_SALT = 5
} GstTfrcSrtpLabel;

/** Derives a key or a salt with AES in counter mode (RFC 3711 section 4.3.3), AES-256 for master keys
 * of 32 bytes (RFC 7714 section 11).  The key derivation rate is 0, so the keys are those of all
 * SSRCs and all packets under the master key.  Any thread.
 *
 * @param result, bytes the caller wipes it; at most 255 bytes
 * @return FALSE if OpenSSL has no memory: @a result is zeros */
gboolean gst_tfrc_srtp_derive (GstTfrcCipher cipher, const GstTfrcMasterKey *master,
    GstTfrcSrtpLabel label, guint8 *result, gsize bytes);

G_END_DECLS
#endif
