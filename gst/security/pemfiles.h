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

/** Reads an RSA private key (PKCS #8 or PKCS #1), encrypted or not.
 * @param passphrase of the file; NULL: none
 * @return with a reference; NULL with @a error set, also if group or others may open the file */
EVP_PKEY *gst_tfrc_pem_read_private_key (
    const gchar *file, const gchar *passphrase, GError **error);

/** Reads an RSA public key (SubjectPublicKeyInfo).
 * @return with a reference; NULL with @a error set */
EVP_PKEY *gst_tfrc_pem_read_public_key (const gchar *file, GError **error);

/** Reads the first certificate of a file.
 * @param uses that it has to be for, see certificate.h
 * @return with a reference; NULL with @a error set, also if the certificate's key is not fit, or the
 *   certificate is not for @a uses or not valid at @a wall_ns */
X509 *gst_tfrc_pem_read_certificate (
    const gchar *file, guint32 uses, guint64 wall_ns, GError **error);

/** Reads all certificates of a file, each to be trusted.
 * @return with a reference; NULL with @a error set */
X509_STORE *gst_tfrc_pem_read_authorities (const gchar *file, GError **error);

G_END_DECLS
#endif
