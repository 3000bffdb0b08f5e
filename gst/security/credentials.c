/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Credentials, see credentials.h. */
#include "credentials-private.h"

#include <openssl/err.h>
#include <openssl/x509_vfy.h>
#include <string.h>

#include "mikeyerror.h"
#include "pemfiles.h"

/* Of OpenSSL: keys and signatures with at least 112 bits of security, so no SHA-1 */
#define SECURITY_LEVEL 2

/* The uses that the ends' certificates have to be for.  The receiver signs its request with its
 * own, and gets the keys in an envelope. */
#define SENDERS_USES GST_TFRC_CERTIFICATE_SIGNS
#define RECEIVERS_USES (GST_TFRC_CERTIFICATE_SIGNS | GST_TFRC_CERTIFICATE_TAKES_KEYS)

/* ---- combinations -------------------------------------------------------- */

/* Returns the name of an option that needs RSA, NULL if there is none. */
static const gchar *
find_rsa_option (const GstTfrcCredentialsConfig *config)
{
  if (config->private_key_file != NULL)
    return "private-key-file";
  if (config->private_key_passphrase != NULL)
    return "private-key-passphrase";
  if (config->certificate_file != NULL)
    return "certificate-file";
  if (config->peer_public_key_file != NULL)
    return "peer-public-key-file";
  if (config->peer_certificate_file != NULL)
    return "peer-certificate-file";
  if (config->ca_file != NULL)
    return "ca-file";
  return config->peer_name != NULL ? "peer-name" : NULL;
}

static gboolean
knows_peer_key (const GstTfrcCredentialsConfig *config)
{
  return config->peer_public_key_file != NULL || config->peer_certificate_file != NULL;
}

G_GNUC_PRINTF (2, 3)
static gboolean
refuse (GError **error, const gchar *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  if (error != NULL)
    *error = g_error_new_valist (G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, format, arguments);
  va_end (arguments);
  return FALSE;
}

/* A name is in a certificate, and a peer that is known by its public key need not have one. */
static gboolean
check_peer_name (const GstTfrcCredentialsConfig *config, GError **error)
{
  /* OpenSSL would take ".example.org" for every name below. */
  if (*config->peer_name == '\0' || *config->peer_name == '.')
    return refuse (error, "peer-name is empty or begins with a dot");
  if (config->peer_public_key_file != NULL && config->peer_certificate_file == NULL)
    return refuse (error,
        "peer-name is set, but peer-public-key-file has no name: set peer-certificate-file, or "
        "ca-file alone");
  return TRUE;
}

static gboolean
check_options (const GstTfrcCredentialsConfig *config, gboolean is_sender, GError **error)
{
  const gchar *rsa_option = find_rsa_option (config);

  if (config->passphrase != NULL && rsa_option != NULL)
    return refuse (
        error, "passphrase and %s are both set: a stream has either of them", rsa_option);
  if (config->passphrase != NULL)
    return TRUE;
  if (rsa_option == NULL)
    return refuse (error, "neither passphrase nor private-key-file is set");
  if (config->private_key_file == NULL)
    return refuse (error, "%s is set, but private-key-file is not", rsa_option);
  if (!knows_peer_key (config) && config->ca_file == NULL)
    return refuse (error,
        "private-key-file is set, but nothing that the peer is known by: set "
        "peer-public-key-file, peer-certificate-file or ca-file");
  if (is_sender && !knows_peer_key (config) && config->certificate_file == NULL)
    return refuse (error,
        "certificate-file is not set: a sender that knows the receiver by "
        "ca-file alone needs a certificate of its own");
  return config->peer_name == NULL || check_peer_name (config, error);
}

/* ---- loading ------------------------------------------------------------- */

/* A passphrase is bytes, not characters: the ends compare equal if the bytes are equal, whatever
 * their encoding. */
static gboolean
load_passphrase (GstTfrcCredentials *self, const gchar *passphrase, GError **error)
{
  gsize length = strlen (passphrase);

  if (length < GST_TFRC_PASSPHRASE_MIN || length > GST_TFRC_PASSPHRASE_MAX)
    return refuse (error, "passphrase has %" G_GSIZE_FORMAT " bytes: it needs %d to %d", length,
        GST_TFRC_PASSPHRASE_MIN, GST_TFRC_PASSPHRASE_MAX);
  self->key_exchange = GST_TFRC_KEY_EXCHANGE_PSK;
  self->passphrase_key = gst_tfrc_passphrase_key_get (passphrase, length);
  if (self->passphrase_key != NULL) {
    self->psk = gst_tfrc_passphrase_key_peek (self->passphrase_key);
    return TRUE;
  }
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
      "passphrase cannot be made into a key: OpenSSL's scrypt fails");
  return FALSE;
}

static gboolean
load_own (GstTfrcCredentials *self, const GstTfrcCredentialsConfig *config, gboolean is_sender,
    guint64 wall_ns, GError **error)
{
  guint32 uses = is_sender ? SENDERS_USES : RECEIVERS_USES;

  self->private_key = gst_tfrc_pem_read_private_key (
      config->private_key_file, config->private_key_passphrase, error);
  if (self->private_key == NULL)
    return FALSE;
  if (config->certificate_file == NULL)
    return TRUE;
  self->certificate = gst_tfrc_pem_read_certificate (
      config->certificate_file, uses, wall_ns, error);
  if (self->certificate == NULL)
    return FALSE;
  if (EVP_PKEY_eq (X509_get0_pubkey (self->certificate), self->private_key) != 1)
    return refuse (error,
        "the certificate of certificate-file does not belong to the key of private-key-file");
  return TRUE;
}

/* The key of a certificate that the peer is to have */
static gboolean
load_peer_certificate (GstTfrcCredentials *self, const GstTfrcCredentialsConfig *config,
    gboolean is_sender, guint64 wall_ns, GError **error)
{
  /* A receiver that does not ask for keys signs nothing. */
  guint32 uses = is_sender ? GST_TFRC_CERTIFICATE_TAKES_KEYS : SENDERS_USES;
  X509 *certificate = gst_tfrc_pem_read_certificate (
      config->peer_certificate_file, uses, wall_ns, error);
  gboolean is_same, is_named;
  EVP_PKEY *key;

  if (certificate == NULL)
    return FALSE;
  key = X509_get0_pubkey (certificate);
  is_same = self->peer_key == NULL || EVP_PKEY_eq (key, self->peer_key) == 1;
  if (self->peer_key == NULL && EVP_PKEY_up_ref (key) == 1)
    self->peer_key = key;
  is_named = config->peer_name == NULL
      || gst_tfrc_certificate_has_name (certificate, config->peer_name);
  X509_free (certificate);
  if (!is_same)
    return refuse (error, "peer-public-key-file and peer-certificate-file have different keys");
  return is_named
      || refuse (
          error, "the certificate of peer-certificate-file does not have the name of peer-name");
}

static gboolean
load_peer (GstTfrcCredentials *self, const GstTfrcCredentialsConfig *config, gboolean is_sender,
    guint64 wall_ns, GError **error)
{
  if (config->peer_public_key_file != NULL) {
    self->peer_key = gst_tfrc_pem_read_public_key (config->peer_public_key_file, error);
    if (self->peer_key == NULL)
      return FALSE;
  }
  if (config->peer_certificate_file != NULL
      && !load_peer_certificate (self, config, is_sender, wall_ns, error))
    return FALSE;
  if (config->ca_file != NULL) {
    self->authorities = gst_tfrc_pem_read_authorities (config->ca_file, error);
    if (self->authorities == NULL)
      return FALSE;
  }
  self->peer_name = g_strdup (config->peer_name);
  return TRUE;
}

static gboolean
load (GstTfrcCredentials *self, const GstTfrcCredentialsConfig *config, gboolean is_sender,
    guint64 wall_ns, GError **error)
{
  gboolean is_reverse;

  if (!check_options (config, is_sender, error))
    return FALSE;
  if (config->passphrase != NULL)
    return load_passphrase (self, config->passphrase, error);
  is_reverse = is_sender ? !knows_peer_key (config) : config->certificate_file != NULL;
  self->key_exchange = is_reverse ? GST_TFRC_KEY_EXCHANGE_RSA_R : GST_TFRC_KEY_EXCHANGE_RSA;
  return load_own (self, config, is_sender, wall_ns, error)
      && load_peer (self, config, is_sender, wall_ns, error);
}

/* ---- the object ---------------------------------------------------------- */

GstTfrcCredentials *
gst_tfrc_credentials_new (
    const GstTfrcCredentialsConfig *config, gboolean is_sender, guint64 wall_ns, GError **error)
{
  GstTfrcCredentials *self = g_new0 (GstTfrcCredentials, 1);

  self->references = 1;
  if (load (self, config, is_sender, wall_ns, error))
    return self;
  gst_tfrc_credentials_unref (self);
  return NULL;
}

GstTfrcCredentials *
gst_tfrc_credentials_ref (GstTfrcCredentials *self)
{
  g_atomic_int_inc (&self->references);
  return self;
}

void
gst_tfrc_credentials_unref (GstTfrcCredentials *self)
{
  if (self == NULL || !g_atomic_int_dec_and_test (&self->references))
    return;
  EVP_PKEY_free (self->private_key);
  X509_free (self->certificate);
  EVP_PKEY_free (self->peer_key);
  X509_STORE_free (self->authorities);
  g_free (self->peer_name);
  gst_tfrc_passphrase_key_release (self->passphrase_key);
  g_free (self);
}

GstTfrcKeyExchange
gst_tfrc_credentials_get_key_exchange (const GstTfrcCredentials *self)
{
  return self->key_exchange;
}

gchar *
gst_tfrc_credentials_dup_fingerprint (
    const GstTfrcCredentials *self, const guint8 *secret, gsize secret_bytes)
{
  if (self->key_exchange != GST_TFRC_KEY_EXCHANGE_PSK)
    return NULL;
  return g_compute_hmac_for_data (
      G_CHECKSUM_SHA256, secret, secret_bytes, self->psk, GST_TFRC_PSK_BYTES);
}

EVP_PKEY *
gst_tfrc_credentials_peek_private_key (const GstTfrcCredentials *self)
{
  return self->private_key;
}

X509 *
gst_tfrc_credentials_peek_certificate (const GstTfrcCredentials *self)
{
  return self->certificate;
}

EVP_PKEY *
gst_tfrc_credentials_peek_known_key (const GstTfrcCredentials *self)
{
  return self->peer_key;
}

const guint8 *
gst_tfrc_credentials_peek_psk (const GstTfrcCredentials *self)
{
  return self->psk;
}

/* ---- the peer ------------------------------------------------------------ */

/* Every certificate of the CA file is trusted by itself, so that a file may have an intermediate CA
 * without the one above. */
static gboolean
verify (X509_STORE *authorities, X509 *certificate, guint64 wall_ns, GError **error)
{
  X509_STORE_CTX *context = X509_STORE_CTX_new ();
  X509_VERIFY_PARAM *parameters;
  gboolean is_valid = FALSE;

  if (context == NULL || X509_STORE_CTX_init (context, authorities, certificate, NULL) != 1)
    g_set_error (error, GST_TFRC_MIKEY_ERROR, GST_TFRC_MIKEY_FAILED,
        "OpenSSL cannot verify the peer's certificate");
  else {
    parameters = X509_STORE_CTX_get0_param (context);
    X509_VERIFY_PARAM_set_time (parameters, wall_ns / G_GUINT64_CONSTANT (1000000000));
    X509_VERIFY_PARAM_set_flags (parameters, X509_V_FLAG_PARTIAL_CHAIN);
    X509_VERIFY_PARAM_set_auth_level (parameters, SECURITY_LEVEL);
    is_valid = X509_verify_cert (context) == 1;
    if (!is_valid)
      g_set_error (error, GST_TFRC_MIKEY_ERROR, GST_TFRC_MIKEY_BAD_CERTIFICATE,
          "the peer's certificate is refused: %s",
          X509_verify_cert_error_string (X509_STORE_CTX_get_error (context)));
  }
  X509_STORE_CTX_free (context);
  ERR_clear_error ();
  return is_valid;
}

static gboolean
check_certificate (const GstTfrcCredentials *self, X509 *certificate, guint32 uses, guint64 wall_ns,
    GError **error)
{
  gchar *fault;

  if (self->peer_key != NULL && EVP_PKEY_eq (X509_get0_pubkey (certificate), self->peer_key) != 1) {
    g_set_error (error, GST_TFRC_MIKEY_ERROR, GST_TFRC_MIKEY_UNKNOWN_KEY,
        "the peer's certificate has another key than the known one");
    ERR_clear_error ();
    return FALSE;
  }
  fault = gst_tfrc_certificate_find_fault (certificate, uses, wall_ns);
  if (fault != NULL) {
    g_set_error (error, GST_TFRC_MIKEY_ERROR, GST_TFRC_MIKEY_BAD_CERTIFICATE, "the peer %s", fault);
    g_free (fault);
    return FALSE;
  }
  if (self->authorities != NULL && !verify (self->authorities, certificate, wall_ns, error))
    return FALSE;
  if (self->peer_name == NULL || gst_tfrc_certificate_has_name (certificate, self->peer_name))
    return TRUE;
  g_set_error (error, GST_TFRC_MIKEY_ERROR, GST_TFRC_MIKEY_WRONG_NAME,
      "the peer's certificate has no subjectAltName %s", self->peer_name);
  return FALSE;
}

EVP_PKEY *
gst_tfrc_credentials_get_peer_key (const GstTfrcCredentials *self, X509 *certificate, guint32 uses,
    guint64 wall_ns, GError **error)
{
  EVP_PKEY *key = self->peer_key;

  if (self->key_exchange == GST_TFRC_KEY_EXCHANGE_PSK) {
    g_set_error (error, GST_TFRC_MIKEY_ERROR, GST_TFRC_MIKEY_UNSUPPORTED,
        "this end has a passphrase and no RSA keys");
    return NULL;
  }
  if (certificate == NULL && key == NULL) {
    g_set_error (error, GST_TFRC_MIKEY_ERROR, GST_TFRC_MIKEY_BAD_CERTIFICATE,
        "the peer sends no certificate, and is known by its CA alone");
    return NULL;
  }
  if (certificate != NULL && !check_certificate (self, certificate, uses, wall_ns, error))
    return NULL;
  if (key == NULL)
    key = X509_get0_pubkey (certificate);
  EVP_PKEY_up_ref (key);
  return key;
}
