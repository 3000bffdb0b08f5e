/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Credentials, with which an end proves itself and recognises its peer: a passphrase, or RSA keys
 * and certificates.  Loaded and checked once, then immutable, reference-counted: any thread. */
#ifndef GST_TFRC_CREDENTIALS_H
#define GST_TFRC_CREDENTIALS_H

#include <gio/gio.h>

G_BEGIN_DECLS

/** Bytes of a passphrase, as srtsink has it; of any encoding */
#define GST_TFRC_PASSPHRASE_MIN 10
#define GST_TFRC_PASSPHRASE_MAX 79

typedef enum
{
  GST_TFRC_KEY_EXCHANGE_NONE,
  GST_TFRC_KEY_EXCHANGE_PSK,  /**< MIKEY, pre-shared key (RFC 3830 section 3.1) */
  GST_TFRC_KEY_EXCHANGE_RSA,  /**< MIKEY, RSA (RFC 3830 section 3.2): the sender knows the
                                 receiver's public key */
  GST_TFRC_KEY_EXCHANGE_RSA_R /**< MIKEY, RSA in reverse mode (RFC 4738): the receiver asks */
} GstTfrcKeyExchange;

/** Strings may be NULL: not given.  Files are in PEM. */
typedef struct
{
  const gchar *passphrase;
  const gchar *private_key_file; /**< RSA; readable and writable by its owner alone */
  const gchar *private_key_passphrase;
  const gchar *certificate_file; /**< the own one, of that private key: the first of the file */
  const gchar *peer_public_key_file;
  const gchar *peer_certificate_file;
  const gchar *ca_file;   /**< certificates that the peer's certificate has to be signed by */
  const gchar *peer_name; /**< that the peer's certificate has to have as a subjectAltName */
} GstTfrcCredentialsConfig;

typedef struct _GstTfrcCredentials GstTfrcCredentials;

/** Loads and checks.  Takes some 50 ms for a passphrase that no other credentials of the process have
 * (scrypt): not the I/O loop's thread.
 *
 * @param is_sender decides between RSA and reverse mode: a sender that knows the receiver's public
 *   key or certificate sends keys unasked; with a CA alone it waits until the receiver asks.  A
 *   receiver answers both.
 * @param wall_ns now, for the validity of certificates
 * @return NULL with @a error set (G_IO_ERROR): the message names the file and what is wrong with it
 *   (missing, readable by others, not PEM, not RSA, fewer than 2048 bits, encrypted and no
 *   passphrase given, wrong passphrase, certificate of another key or name, expired, not valid yet,
 *   not for what this end does with it), or
 *   says which properties contradict each other or are missing.  No message has a passphrase or a
 *   key in it */
GstTfrcCredentials *gst_tfrc_credentials_new (
    const GstTfrcCredentialsConfig *config, gboolean is_sender, guint64 wall_ns, GError **error);

GstTfrcCredentials *gst_tfrc_credentials_ref (GstTfrcCredentials *self);

/** The last one wipes the keys.  NULL is allowed. */
void gst_tfrc_credentials_unref (GstTfrcCredentials *self);

/** Returns a name for whoever has the same passphrase, and no other one: hexadecimal digits.
 * @param secret of the caller: who does not know it can try no passphrases against the name
 * @return for g_free(); NULL without a passphrase */
gchar *gst_tfrc_credentials_dup_fingerprint (
    const GstTfrcCredentials *self, const guint8 *secret, gsize secret_bytes);

/** Returns how keys are exchanged.  At a receiver with RSA credentials: RSA_R if the receiver has a
 * certificate to ask with, otherwise RSA. */
GstTfrcKeyExchange gst_tfrc_credentials_get_key_exchange (const GstTfrcCredentials *self);

G_END_DECLS
#endif
