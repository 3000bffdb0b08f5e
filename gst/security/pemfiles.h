/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RSA keys and X.509 certificates (RFC 5280) from files in PEM (RFC 7468).
 *
 * Any thread.  Nothing asks for a passphrase on the terminal.  Every error is a G_IO_ERROR whose
 * message names the file and the cause, and has no secret in it. */
#ifndef GST_TFRC_PEMFILES_H
#define GST_TFRC_PEMFILES_H

#include <gio/gio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

G_BEGIN_DECLS

/** A file is not read if it is longer. */
#define GST_TFRC_PEM_MAX_BYTES (64 * 1024)

/** The least size of an RSA key, bits */
#define GST_TFRC_RSA_MIN_BITS 2048

/** Reads an RSA private key (PKCS #8 or PKCS #1), encrypted or not.
 * @param passphrase of the file; NULL: none
 * @return with a reference; NULL with @a error set, also if group or others may open the file */
EVP_PKEY *gst_tfrc_pem_read_private_key (
    const gchar *file, const gchar *passphrase, GError **error);

/** Reads an RSA public key (SubjectPublicKeyInfo).
 * @return with a reference; NULL with @a error set */
EVP_PKEY *gst_tfrc_pem_read_public_key (const gchar *file, GError **error);

/** Reads the first certificate of a file.
 * @return with a reference; NULL with @a error set, also if the certificate's key is not fit or the
 *   certificate is not valid at @a wall_ns */
X509 *gst_tfrc_pem_read_certificate (const gchar *file, guint64 wall_ns, GError **error);

/** Reads all certificates of a file, each to be trusted.
 * @return with a reference; NULL with @a error set */
X509_STORE *gst_tfrc_pem_read_authorities (const gchar *file, GError **error);

/** Returns what is wrong with a key, as the predicate of a sentence: not RSA, or too short.
 * @param key NULL: a key that OpenSSL does not know
 * @return NULL: nothing; otherwise to be freed with g_free() */
gchar *gst_tfrc_rsa_key_find_fault (EVP_PKEY *key);

/** Returns what is wrong with a certificate, as the predicate of a sentence: its key, or its time.
 * @return as gst_tfrc_rsa_key_find_fault() */
gchar *gst_tfrc_certificate_find_fault (X509 *certificate, guint64 wall_ns);

G_END_DECLS
#endif
