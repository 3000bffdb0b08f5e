/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The addresses that a receiver exchanges key messages with, and the cookies that it gives.
 *
 * A key packet of an address that has proved nothing is taken while there is a token for its message and
 * one for its place (keylimits.h), and a place in which no message has come in part lately, and no request
 * waits for its grant. Otherwise it is answered by a cookie (strangers/cookies.h), and no memory is kept of
 * it. What comes with the right cookie has tokens of its own, and a place that no packet without a cookie
 * takes: one of its own host first, if all are in use. From then on, for 20 s, the address needs the
 * cookie: whoever forges it has none. (RFC 7296 section 2.6; RFC 6347 section 4.2.1)
 *
 * An answer with a cookie has 28 bytes, and no packet with fewer is answered.  While the source has a
 * stream, whose sender needs no cookie, 1000 a second leave: an answer costs more than all the rest of a
 * packet of a flood, and what is not read in time loses packets of the stream.
 *
 * No clock, no locks. */
#ifndef GST_TFRC_CONTACTS_H
#define GST_TFRC_CONTACTS_H

#include "exchange.h"
#include "keyparties.h"

G_BEGIN_DECLS

typedef struct _GstTfrcContacts GstTfrcContacts;

/** @param parties borrowed: whose credentials are for which address
 * @param secret of the cookies: random bytes that no peer can know; copied
 * @return never NULL */
GstTfrcContacts *gst_tfrc_contacts_new (
    const GstTfrcKeyParties *parties, const guint8 secret[GST_TFRC_SECRET_BYTES]);

/** NULL is allowed. */
void gst_tfrc_contacts_free (GstTfrcContacts *self);

/** Ends the exchange with an address, whose credentials are other ones from now on. */
void gst_tfrc_contacts_forget (GstTfrcContacts *self, const GstTfrcAddress *address);

/** A key packet without protection has come, from an address that has credentials.
 * @param parsed the same packet
 * @param has_stream a stream with keys plays
 * @return the exchange with its address; NULL: the packet is not to be read, and a cookie may leave */
GstTfrcExchange *gst_tfrc_contacts_admit (GstTfrcContacts *self,
    const GstTfrcReceivedPacket *packet, const GstTfrcKeyPacket *parsed, gboolean has_stream,
    guint64 now_ns);

/** Another packet has come, whose address has credentials and is to be answered.
 * @param is_sealed protected by keys of a stream, and so sure of a place
 * @return the exchange with its address; NULL: all places are those of proven addresses */
GstTfrcExchange *gst_tfrc_contacts_get (
    GstTfrcContacts *self, const GstTfrcReceivedPacket *packet, gboolean is_sealed, guint64 now_ns);

/** Returns whether the address has a place. */
gboolean gst_tfrc_contacts_has (const GstTfrcContacts *self, const GstTfrcAddress *address);

/** Writes the next key packet to one of the addresses.
 * @param buffer GST_TFRC_KEY_PACKET_MAX_BYTES
 * @param to set to the destination
 * @param local set to the address that the packet leaves from
 * @return bytes written; 0: none is due */
gsize gst_tfrc_contacts_write (GstTfrcContacts *self, guint32 own_ssrc, guint8 *buffer,
    GstTfrcAddress *to, GstTfrcAddress *local);

/** Returns the text of an invariant that does not hold; NULL: all hold.  For tests. */
const gchar *gst_tfrc_contacts_check (const GstTfrcContacts *self);

/** Prints the exchanges to stderr, without secrets. */
void gst_tfrc_contacts_print (const GstTfrcContacts *self);

G_END_DECLS
#endif
