/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hosts that a source exchanges key messages with, see srccontacts.h. */
#include "srccontacts.h"

#include <string.h>

#define MAX_CREDIT_BYTES 65536

/* The bytes of a message that came in part need not be cleared. They are 8 KiB, and every packet of
 * a flood clears a contact. */
static void
clear (GstTfrcSrcContact *contact)
{
  g_clear_pointer (&contact->message, g_bytes_unref);
  g_clear_pointer (&contact->request, g_bytes_unref);
  g_clear_pointer (&contact->exchange, gst_tfrc_mikey_exchange_free);
  memset (contact, 0, G_STRUCT_OFFSET (GstTfrcSrcContact, assembly.message));
}

void
gst_tfrc_src_contacts_clear (GstTfrcSrcContacts *self)
{
  for (guint i = 0; i < GST_TFRC_SRC_MAX_CONTACTS; i++)
    clear (&self->contacts[i]);
}

static gboolean
is_weaker (const GstTfrcSrcContact *a, const GstTfrcSrcContact *b)
{
  if (a->in_use != b->in_use)
    return !a->in_use;
  if ((a->exchange != NULL) != (b->exchange != NULL))
    return a->exchange == NULL;
  return a->heard_ns < b->heard_ns;
}

static GstTfrcSrcContact *
find (GstTfrcSrcContacts *self, const GstTfrcAddress *address)
{
  for (guint i = 0; i < GST_TFRC_SRC_MAX_CONTACTS; i++) {
    GstTfrcSrcContact *contact = &self->contacts[i];

    if (contact->in_use && gst_tfrc_address_equal (&contact->address, address))
      return contact;
  }
  return NULL;
}

static GstTfrcSrcContact *
make_room (GstTfrcSrcContacts *self)
{
  GstTfrcSrcContact *weakest = &self->contacts[0];

  for (guint i = 1; i < GST_TFRC_SRC_MAX_CONTACTS; i++) {
    if (is_weaker (&self->contacts[i], weakest))
      weakest = &self->contacts[i];
  }
  clear (weakest);
  return weakest;
}

GstTfrcSrcContact *
gst_tfrc_src_contacts_on_packet (
    GstTfrcSrcContacts *self, const GstTfrcReceivedPacket *packet, guint64 now_ns)
{
  GstTfrcSrcContact *contact = find (self, packet->from);

  if (contact == NULL) {
    contact = make_room (self);
    contact->in_use = TRUE;
    contact->address = *packet->from;
  }
  contact->local = packet->local;
  contact->heard_ns = now_ns;
  contact->credit_bytes = MIN (contact->credit_bytes + packet->size, MAX_CREDIT_BYTES);
  return contact;
}

void
gst_tfrc_src_contact_send (GstTfrcSrcContact *contact, GBytes *message)
{
  g_clear_pointer (&contact->message, g_bytes_unref);
  contact->message = message;
  contact->message_number++;
  contact->offset = 0;
}

static gsize
write_message (GstTfrcSrcContact *contact, guint32 own_ssrc, guint8 *buffer)
{
  gsize size = gst_tfrc_key_packet_write (
      buffer, own_ssrc, contact->message_number, contact->message, contact->offset);

  if (size > contact->credit_bytes)
    return 0;
  contact->offset += GST_TFRC_KEY_FRAGMENT_BYTES;
  if (contact->offset >= g_bytes_get_size (contact->message))
    g_clear_pointer (&contact->message, g_bytes_unref);
  return size;
}

static gsize
write_to (GstTfrcSrcContact *contact, guint32 own_ssrc, guint8 *buffer)
{
  gsize size = 0;

  if (contact->wants_ask && contact->credit_bytes >= GST_TFRC_KEY_PACKET_HEADER_BYTES)
    size = gst_tfrc_key_packet_write_request (buffer, own_ssrc, GST_TFRC_KEY_PACKET_HEADER_BYTES);
  else if (contact->message)
    size = write_message (contact, own_ssrc, buffer);
  contact->wants_ask = FALSE;
  contact->credit_bytes -= size;
  return size;
}

gsize
gst_tfrc_src_contacts_write (GstTfrcSrcContacts *self, guint32 own_ssrc, guint8 *buffer,
    GstTfrcAddress *to, GstTfrcAddress *local)
{
  for (guint i = 0; i < GST_TFRC_SRC_MAX_CONTACTS; i++) {
    GstTfrcSrcContact *contact = &self->contacts[i];
    gsize size = contact->in_use ? write_to (contact, own_ssrc, buffer) : 0;

    if (size == 0)
      continue;
    *to = contact->address;
    *local = contact->local;
    return size;
  }
  return 0;
}
