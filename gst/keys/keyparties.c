/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The credentials of a receiver's senders, see keyparties.h. */
#include "keyparties.h"

#include <string.h>

/* The ID of a public key is in hexadecimal digits, and so begins with none of these. */
#define OWN_PASSPHRASE "psk:"

typedef struct
{
  GstTfrcAddress address;
  GstTfrcKeyParty *party;
  gchar name[GST_TFRC_MIKEY_ID_BYTES]; /* of the author of keys */
} Own;

struct _GstTfrcKeyParties
{
  GstTfrcKeyParty *common; /* NULL: none */
  GQueue own;              /* of Own */
  guint8 secret[GST_TFRC_SECRET_BYTES];
};

GstTfrcKeyParties *
gst_tfrc_key_parties_new (GstTfrcCredentials *common, const guint8 secret[GST_TFRC_SECRET_BYTES])
{
  GstTfrcKeyParties *self = g_new0 (GstTfrcKeyParties, 1);

  memcpy (self->secret, secret, sizeof self->secret);
  if (common)
    self->common = gst_tfrc_key_party_new (GST_TFRC_SRTP_RECEIVER, common, secret);
  g_queue_init (&self->own);
  return self;
}

static void
free_own (gpointer data)
{
  Own *own = data;

  gst_tfrc_key_party_free (own->party);
  g_free (own);
}

void
gst_tfrc_key_parties_free (GstTfrcKeyParties *self)
{
  if (self == NULL)
    return;
  g_queue_clear_full (&self->own, free_own);
  gst_tfrc_key_party_free (self->common);
  g_free (self);
}

static GList *
find (const GstTfrcKeyParties *self, const GstTfrcAddress *address)
{
  GList *link = self->own.head;

  while (link && !gst_tfrc_address_equal (&((const Own *) link->data)->address, address))
    link = link->next;
  return link;
}

void
gst_tfrc_key_parties_set (
    GstTfrcKeyParties *self, const GstTfrcAddress *address, GstTfrcCredentials *credentials)
{
  GList *link = find (self, address);
  gchar *fingerprint;
  Own *own;

  if (link) {
    free_own (link->data);
    g_queue_delete_link (&self->own, link);
  }
  if (credentials == NULL)
    return;
  fingerprint = gst_tfrc_credentials_dup_fingerprint (
      credentials, self->secret, sizeof self->secret);
  own = g_new0 (Own, 1);
  own->address = *address;
  own->party = gst_tfrc_key_party_new (GST_TFRC_SRTP_RECEIVER, credentials, self->secret);
  g_snprintf (own->name, sizeof own->name, OWN_PASSPHRASE "%s", fingerprint);
  g_free (fingerprint);
  g_queue_push_tail (&self->own, own);
}

GstTfrcKeyParty *
gst_tfrc_key_parties_find (const GstTfrcKeyParties *self, const GstTfrcAddress *address)
{
  const GList *link = find (self, address);

  return link ? ((const Own *) link->data)->party : self->common;
}

GstTfrcKeyParty *
gst_tfrc_key_parties_get_common (const GstTfrcKeyParties *self)
{
  return self->common;
}

gboolean
gst_tfrc_key_parties_has_own (const GstTfrcKeyParties *self, const GstTfrcAddress *address)
{
  return find (self, address) != NULL;
}

GstTfrcKeyExchange
gst_tfrc_key_parties_get_mode (const GstTfrcKeyParties *self, const GstTfrcAddress *address)
{
  const GstTfrcKeyParty *party = gst_tfrc_key_parties_find (self, address);

  return party ? gst_tfrc_credentials_get_key_exchange (gst_tfrc_key_party_get_credentials (party))
               : GST_TFRC_KEY_EXCHANGE_NONE;
}

gboolean
gst_tfrc_key_parties_ask (const GstTfrcKeyParties *self, const GstTfrcAddress *address)
{
  return gst_tfrc_key_parties_get_mode (self, address) == GST_TFRC_KEY_EXCHANGE_RSA_R;
}

/* An address whose credentials were taken back meanwhile had a passphrase. */
GstTfrcKeyExchange
gst_tfrc_key_parties_get_agreed_mode (
    const GstTfrcKeyParties *self, const GstTfrcAddress *address, gboolean is_granted)
{
  GstTfrcKeyExchange mode = gst_tfrc_key_parties_get_mode (self, address);

  if (mode == GST_TFRC_KEY_EXCHANGE_NONE || mode == GST_TFRC_KEY_EXCHANGE_PSK)
    return GST_TFRC_KEY_EXCHANGE_PSK;
  return is_granted ? GST_TFRC_KEY_EXCHANGE_RSA_R : GST_TFRC_KEY_EXCHANGE_RSA;
}

void
gst_tfrc_key_parties_name_author (
    const GstTfrcKeyParties *self, const GstTfrcAddress *address, GstTfrcMikeyStream *stream)
{
  const GList *link = find (self, address);

  if (link)
    g_strlcpy (stream->author, ((const Own *) link->data)->name, sizeof stream->author);
}

gboolean
gst_tfrc_key_parties_may_be_author (
    const GstTfrcKeyParties *self, const GstTfrcAddress *address, const gchar *author)
{
  const GList *link = find (self, address);

  return link ? g_str_equal (author, ((const Own *) link->data)->name)
              : !g_str_has_prefix (author, OWN_PASSPHRASE);
}
