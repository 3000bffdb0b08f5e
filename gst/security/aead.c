/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AES-GCM, see aead.h. */
#include "aead.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <string.h>

struct _GstTfrcAead
{
  EVP_CIPHER_CTX *context; /* has the expanded key, and frees it wiped */
  guint8 salt[GST_TFRC_AEAD_NONCE_BYTES];
};

GstTfrcAead *
gst_tfrc_aead_new (const guint8 *key, gsize key_bytes, const guint8 *salt, gboolean seals)
{
  const EVP_CIPHER *cipher = key_bytes == 32 ? EVP_aes_256_gcm () : EVP_aes_128_gcm ();
  GstTfrcAead *self = g_new0 (GstTfrcAead, 1);

  memcpy (self->salt, salt, sizeof self->salt);
  self->context = EVP_CIPHER_CTX_new ();
  /* The length of the nonce is 12 unless another one is set. */
  if (self->context != NULL
      && EVP_CipherInit_ex (self->context, cipher, NULL, key, NULL, seals ? 1 : 0) == 1)
    return self;
  ERR_clear_error ();
  gst_tfrc_aead_free (self);
  return NULL;
}

void
gst_tfrc_aead_free (GstTfrcAead *self)
{
  if (self == NULL)
    return;
  EVP_CIPHER_CTX_free (self->context);
  OPENSSL_cleanse (self->salt, sizeof self->salt);
  g_free (self);
}

/* Without text OpenSSL is not called: a length of 0 means the end to some versions. */
static gboolean
update (EVP_CIPHER_CTX *context, guint8 *to, const guint8 *from, gsize bytes)
{
  int written;

  return bytes == 0 || EVP_CipherUpdate (context, to, &written, from, (int) bytes) == 1;
}

/* The key stays: -1 keeps the direction as well. */
static gboolean
begin (GstTfrcAead *self, const guint8 *unique)
{
  guint8 nonce[GST_TFRC_AEAD_NONCE_BYTES];

  for (gsize i = 0; i < sizeof nonce; i++)
    nonce[i] = self->salt[i] ^ unique[i];
  return EVP_CipherInit_ex (self->context, NULL, NULL, NULL, nonce, -1) == 1;
}

static gboolean
go_through (EVP_CIPHER_CTX *context, const GstTfrcAeadPacket *packet)
{
  return update (context, NULL, packet->header, packet->header_bytes)
      && update (context, NULL, packet->trailer, packet->trailer_bytes)
      && update (context, packet->text, packet->text, packet->text_bytes);
}

static gboolean
finish (EVP_CIPHER_CTX *context)
{
  guint8 nothing[GST_TFRC_AEAD_TAG_BYTES]; /* GCM has no bytes left, but OpenSSL wants a place */
  int written;

  return EVP_CipherFinal_ex (context, nothing, &written) == 1;
}

/* A forged packet leaves errors of OpenSSL, which would be taken for those of a later call. */
static gboolean
end (gboolean is_ok)
{
  if (!is_ok)
    ERR_clear_error ();
  return is_ok;
}

gboolean
gst_tfrc_aead_seal (GstTfrcAead *self, const GstTfrcAeadPacket *packet)
{
  return end (begin (self, packet->unique) && go_through (self->context, packet)
      && finish (self->context)
      && EVP_CIPHER_CTX_ctrl (self->context, EVP_CTRL_AEAD_GET_TAG, GST_TFRC_AEAD_TAG_BYTES,
             packet->text + packet->text_bytes)
          == 1);
}

gboolean
gst_tfrc_aead_open (GstTfrcAead *self, const GstTfrcAeadPacket *packet)
{
  return end (begin (self, packet->unique)
      && EVP_CIPHER_CTX_ctrl (self->context, EVP_CTRL_AEAD_SET_TAG, GST_TFRC_AEAD_TAG_BYTES,
             packet->text + packet->text_bytes)
          == 1
      && go_through (self->context, packet) && finish (self->context));
}
