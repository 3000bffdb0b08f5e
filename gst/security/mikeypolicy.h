/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The SRTP policy of a cipher, as key messages have it (RFC 3830 section 6.10.1, RFC 7714 section
 * 15). */
#ifndef GST_TFRC_MIKEY_POLICY_H
#define GST_TFRC_MIKEY_POLICY_H

#include "cipher.h"

G_BEGIN_DECLS

#define GST_TFRC_MIKEY_POLICY_MAX_BYTES 64

/** Writes types, lengths and values.
 * @return bytes written */
gsize gst_tfrc_mikey_policy_write (
    GstTfrcCipher cipher, guint8 parameters[GST_TFRC_MIKEY_POLICY_MAX_BYTES]);

/** Finds the cipher of a policy.  What the policy leaves out has SRTP's default.
 * @return FALSE with @a error set (GST_TFRC_MIKEY_ERROR): MALFORMED; UNSUPPORTED: no cipher has this
 *   policy */
gboolean gst_tfrc_mikey_policy_read (
    const guint8 *parameters, gsize size, GstTfrcCipher *cipher, GError **error);

G_END_DECLS
#endif
