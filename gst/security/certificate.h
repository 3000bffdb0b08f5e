/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What keys and certificates (RFC 5280) have to be, wherever they come from.  Any thread. */
#ifndef GST_TFRC_CERTIFICATE_H
#define GST_TFRC_CERTIFICATE_H

#include <glib.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>

G_BEGIN_DECLS

/** The least size of an RSA key, bits */
#define GST_TFRC_RSA_MIN_BITS 2048

/** Uses of a certificate's key, to be combined: bits of its keyUsage (RFC 5280 section 4.2.1.3) */
#define GST_TFRC_CERTIFICATE_SIGNS KU_DIGITAL_SIGNATURE     /**< key messages */
#define GST_TFRC_CERTIFICATE_TAKES_KEYS KU_KEY_ENCIPHERMENT /**< in an envelope */

/** Returns what is wrong with a key, as the predicate of a sentence: not RSA, or too short.
 * @param key NULL: a key that OpenSSL does not know
 * @return NULL: nothing; otherwise to be freed with g_free() */
gchar *gst_tfrc_rsa_key_find_fault (EVP_PKEY *key);

/** Returns what is wrong with a certificate, as the predicate of a sentence: its key, its time, or
 * what it may be used for.  A certificate without keyUsage is for everything.  One with
 * extendedKeyUsage has to name TLS servers, TLS clients or anyExtendedKeyUsage (RFC 5280 section
 * 4.2.1.12): MIKEY has no purpose of its own there, and CAs issue these.
 * @param uses GST_TFRC_CERTIFICATE_SIGNS, GST_TFRC_CERTIFICATE_TAKES_KEYS
 * @return as gst_tfrc_rsa_key_find_fault() */
gchar *gst_tfrc_certificate_find_fault (X509 *certificate, guint32 uses, guint64 wall_ns);

/** Returns whether a certificate's subjectAltName has a name: an IP address, a URI (with "://", byte
 * for byte) or a DNS name, which a wildcard may match as a whole first label (RFC 9525).  The
 * subject's CN does not count. */
gboolean gst_tfrc_certificate_has_name (X509 *certificate, const gchar *name);

G_END_DECLS
#endif
