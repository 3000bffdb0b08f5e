/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RSA credentials for tests of the key messages.  Keys are made once per program. */
#ifndef GST_TFRC_TESTS_MIKEYRSATEST_H
#define GST_TFRC_TESTS_MIKEYRSATEST_H

#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include "mikeytest.h"

/* The sender's, the receiver's, a stranger's, and that of a CA */
static EVP_PKEY *sender_key, *receiver_key, *stranger_key, *ca_key;
static X509 *ca_certificate, *sender_certificate, *receiver_certificate, *stranger_certificate;
static X509_STORE *authorities;

/* Organisational units in the subjects of the certificates that are made next: each has 64 bytes */
static guint certificate_units;

/* keyUsage of the certificates that are made next; NULL: none */
static const gchar *certificate_uses;

static inline void
add_extension (X509 *certificate, gint nid, const gchar *value)
{
  X509_EXTENSION *extension = X509V3_EXT_conf_nid (NULL, NULL, nid, value);

  X509_add_ext (certificate, extension, -1);
  X509_EXTENSION_free (extension);
}

static inline X509 *
make_certificate (const gchar *name, EVP_PKEY *key, X509 *issuer, EVP_PKEY *issuer_key)
{
  static glong serial = 1;
  X509 *certificate = X509_new ();
  X509_NAME *subject = X509_get_subject_name (certificate);

  X509_set_version (certificate, X509_VERSION_3);
  ASN1_INTEGER_set (X509_get_serialNumber (certificate), serial++);
  ASN1_TIME_set (X509_getm_notBefore (certificate), (time_t) (WALL_NS / GST_SECOND) - 86400);
  ASN1_TIME_set (X509_getm_notAfter (certificate), (time_t) (WALL_NS / GST_SECOND) + 86400);
  X509_NAME_add_entry_by_txt (subject, "CN", MBSTRING_ASC, (const guchar *) name, -1, -1, 0);
  for (guint i = 0; i < certificate_units; i++)
    X509_NAME_add_entry_by_txt (subject, "OU", MBSTRING_ASC,
        (const guchar *) "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", -1, -1,
        0);
  X509_set_issuer_name (certificate, issuer != NULL ? X509_get_subject_name (issuer) : subject);
  X509_set_pubkey (certificate, key);
  if (issuer == NULL)
    add_extension (certificate, NID_basic_constraints, "critical,CA:TRUE");
  if (certificate_uses != NULL)
    add_extension (certificate, NID_key_usage, certificate_uses);
  if (X509_sign (certificate, issuer_key, EVP_sha256 ()) <= 0)
    g_error ("OpenSSL signs no certificate");
  return certificate;
}

/* Returns a certificate of the CA with a keyUsage. */
static inline X509 *
make_certificate_for (const gchar *uses, const gchar *name, EVP_PKEY *key)
{
  X509 *certificate;

  certificate_uses = uses;
  certificate = make_certificate (name, key, ca_certificate, ca_key);
  certificate_uses = NULL;
  return certificate;
}

static inline void
make_rsa_keys (void)
{
  sender_key = EVP_RSA_gen (2048);
  receiver_key = EVP_RSA_gen (2048);
  stranger_key = EVP_RSA_gen (2048);
  ca_key = EVP_RSA_gen (2048);
  ca_certificate = make_certificate ("ca", ca_key, NULL, ca_key);
  sender_certificate = make_certificate ("sender", sender_key, ca_certificate, ca_key);
  receiver_certificate = make_certificate ("receiver", receiver_key, ca_certificate, ca_key);
  stranger_certificate = make_certificate ("stranger", stranger_key, NULL, stranger_key);
  authorities = X509_STORE_new ();
  X509_STORE_add_cert (authorities, ca_certificate);
}

static inline void
free_rsa_keys (void)
{
  EVP_PKEY_free (sender_key);
  EVP_PKEY_free (receiver_key);
  EVP_PKEY_free (stranger_key);
  EVP_PKEY_free (ca_key);
  X509_free (ca_certificate);
  X509_free (sender_certificate);
  X509_free (receiver_certificate);
  X509_free (stranger_certificate);
  X509_STORE_free (authorities);
}

/* @certificate: NULL: none
 * @peer: NULL: the peer is known by the CA */
static inline GstTfrcCredentials
rsa_credentials (EVP_PKEY *key, X509 *certificate, EVP_PKEY *peer)
{
  GstTfrcCredentials credentials = { .references = 1,
    .key_exchange = GST_TFRC_KEY_EXCHANGE_RSA,
    .private_key = key,
    .certificate = certificate,
    .peer_key = peer,
    .authorities = peer == NULL ? authorities : NULL };

  if (peer == NULL)
    credentials.key_exchange = GST_TFRC_KEY_EXCHANGE_RSA_R;
  return credentials;
}

#endif
