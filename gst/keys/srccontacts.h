/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hosts that a source exchanges key messages with, though none of them has proved anything yet:
 * what has come from each address, and what waits to leave.
 *
 * Bounds: 8 contacts.  An address gets no more bytes than have come from there (anti-amplification
 * limit, RFC 9000 section 8.1).
 *
 * No clock, no locks. */
#ifndef GST_TFRC_SRCCONTACTS_H
#define GST_TFRC_SRCCONTACTS_H

#include "../io/datagrams.h"
#include "../security/mikey.h"
#include "keypacket.h"

G_BEGIN_DECLS

#define GST_TFRC_SRC_MAX_CONTACTS 8

typedef struct
{
  gboolean in_use;
  GstTfrcAddress address;
  GstTfrcAddress local; /* of this host, that the last packet came to */
  guint64 heard_ns;
  gsize credit_bytes; /* that may still leave to this address */

  gboolean wants_ask; /* an empty key packet is to leave */
  guint64 asked_ns;   /* when the last one left, or was not allowed to */
  GBytes *message;    /* that is to leave; NULL: none */
  guint32 message_number;
  gsize offset; /* of the next fragment of the message */

  GstTfrcMikeyExchange *exchange; /* reverse mode: of the last request; NULL: none */
  GBytes *request;                /* the last request, as it may have to leave again */
  guint64 requested_ns;           /* when the request was made */

  GstTfrcKeyAssembly assembly;
} GstTfrcSrcContact;

typedef struct
{
  GstTfrcSrcContact contacts[GST_TFRC_SRC_MAX_CONTACTS];
} GstTfrcSrcContacts;

/** Frees what the contacts hold. */
void gst_tfrc_src_contacts_clear (GstTfrcSrcContacts *self);

/** Returns the contact of the packet's address, which is a new one if need be, and gives it credit
 * for the packet.  The contact that has been silent for longest gives way to a new one; a contact
 * with a request under way gives way last. */
GstTfrcSrcContact *gst_tfrc_src_contacts_on_packet (
    GstTfrcSrcContacts *self, const GstTfrcReceivedPacket *packet, guint64 now_ns);

/** Has a message leave to the contact, in place of one that waits.  Takes over the reference. */
void gst_tfrc_src_contact_send (GstTfrcSrcContact *contact, GBytes *message);

/** Writes the next key packet to any of the contacts.
 * @param buffer GST_TFRC_KEY_PACKET_MAX_BYTES
 * @return its size; 0: none waits, or the credit does not suffice */
gsize gst_tfrc_src_contacts_write (GstTfrcSrcContacts *self, guint32 own_ssrc, guint8 *buffer,
    GstTfrcAddress *to, GstTfrcAddress *local);

G_END_DECLS
#endif
