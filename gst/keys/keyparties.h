/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* With whose credentials a receiver exchanges keys with an address: those of all senders, or those that a caller has
 * been given for itself (gst/stream/door.h).
 *
 * Each has limits of its own. No clock, no locks. */
#ifndef GST_TFRC_KEYPARTIES_H
#define GST_TFRC_KEYPARTIES_H

#include "../io/address.h"
#include "keyparty.h"

G_BEGIN_DECLS

typedef struct _GstTfrcKeyParties GstTfrcKeyParties;

/** @param common credentials of all senders, of which a reference is taken; NULL: none
 * @param secret random bytes that no peer can know; copied
 * @return never NULL */
GstTfrcKeyParties *gst_tfrc_key_parties_new (
    GstTfrcCredentials *common, const guint8 secret[GST_TFRC_SECRET_BYTES]);

/** After the exchanges of all parties. NULL is allowed. */
void gst_tfrc_key_parties_free (GstTfrcKeyParties *self);

/** Gives an address credentials of its own, of which a reference is taken, in place of earlier ones, which no exchange
 * may use any more; O(n) in the addresses that have some.
 * @param credentials NULL: those of all senders again */
void gst_tfrc_key_parties_set (
    GstTfrcKeyParties *self, const GstTfrcAddress *address, GstTfrcCredentials *credentials);

/** Returns the party for an address; NULL: it has no credentials. O(n) in the addresses that have their own. */
GstTfrcKeyParty *gst_tfrc_key_parties_find (
    const GstTfrcKeyParties *self, const GstTfrcAddress *address);

/** Returns whether an address has credentials of its own. */
gboolean gst_tfrc_key_parties_has_own (
    const GstTfrcKeyParties *self, const GstTfrcAddress *address);

/** Returns how keys are exchanged with an address; NONE: it has no credentials. */
GstTfrcKeyExchange gst_tfrc_key_parties_get_mode (
    const GstTfrcKeyParties *self, const GstTfrcAddress *address);

/** Returns whether the sender at an address is to be asked for keys (RSA-R, RFC 4738), instead of waiting for its offer. */
gboolean gst_tfrc_key_parties_ask (const GstTfrcKeyParties *self, const GstTfrcAddress *address);

/** Returns how keys were agreed on with an address.
 * @param is_granted the receiver asked for them */
GstTfrcKeyExchange gst_tfrc_key_parties_get_agreed_mode (
    const GstTfrcKeyParties *self, const GstTfrcAddress *address, gboolean is_granted);

/** Names the author of keys that were agreed on with an address which has a passphrase of its own; leaves others as they
 * are. Whoever has a passphrase of its own has no keys for the stream of one with another passphrase. */
void gst_tfrc_key_parties_name_author (
    const GstTfrcKeyParties *self, const GstTfrcAddress *address, GstTfrcMikeyStream *stream);

/** Returns whether a packet that is protected with keys of this author may be one of the sender at an address: keys of a
 * passphrase of its own are good at the addresses that have this passphrase, and all others at those that have none. */
gboolean gst_tfrc_key_parties_may_be_author (
    const GstTfrcKeyParties *self, const GstTfrcAddress *address, const gchar *author);

/** Returns the party of all senders; NULL: there are no such credentials. */
GstTfrcKeyParty *gst_tfrc_key_parties_get_common (const GstTfrcKeyParties *self);

G_END_DECLS
#endif
