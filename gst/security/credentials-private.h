/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of credentials, for the key messages (mikey*.c) alone. */
#ifndef GST_TFRC_CREDENTIALS_PRIVATE_H
#define GST_TFRC_CREDENTIALS_PRIVATE_H

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "certificate.h"
#include "credentials.h"
#include "passphrasekey.h"

G_BEGIN_DECLS

/** Immutable after gst_tfrc_credentials_new(). */
struct _GstTfrcCredentials
{
  gint references; /* atomic */
  GstTfrcKeyExchange key_exchange;
  GstTfrcPassphraseKey *passphrase_key; /* by scrypt (RFC 7914); NULL: there is no passphrase */
  const guint8 *psk;                    /* GST_TFRC_PSK_BYTES of that key */
  EVP_PKEY *private_key;                /* NULL with a passphrase */
  X509 *certificate;                    /* the own one; NULL: none */
  EVP_PKEY *peer_key;                   /* of the peer's public key or certificate; NULL: by CA */
  X509_STORE *authorities;              /* NULL: no CA */
  gchar *peer_name;                     /* that certificates of the CA have to have; NULL: any */
};

/** Returns the peer's public key.
 * @param certificate that the peer's message carries; NULL: none
 * @param uses that the certificate has to be for, see certificate.h
 * @param wall_ns now
 * @return with a reference; NULL with @a error set (GST_TFRC_MIKEY_ERROR of mikeyerror.h): a
 *   certificate that is expired, not valid yet, not for @a uses, of another CA, of another name or of
 *   another key than the known one; no certificate although the peer is known by its CA alone.  With
 *   a known key and a CA, a certificate has to satisfy both */
EVP_PKEY *gst_tfrc_credentials_get_peer_key (const GstTfrcCredentials *self, X509 *certificate,
    guint32 uses, guint64 wall_ns, GError **error);

/** The parts, which belong to the credentials; NULL: there is none. */
EVP_PKEY *gst_tfrc_credentials_peek_private_key (const GstTfrcCredentials *self);
X509 *gst_tfrc_credentials_peek_certificate (const GstTfrcCredentials *self);
EVP_PKEY *gst_tfrc_credentials_peek_known_key (const GstTfrcCredentials *self);

/** Returns the pre-shared key of credentials with a passphrase, GST_TFRC_PSK_BYTES, which belong to them. */
const guint8 *gst_tfrc_credentials_peek_psk (const GstTfrcCredentials *self);

G_END_DECLS
#endif
