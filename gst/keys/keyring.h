/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keys that a receiver has: of two streams, the peer's and the one of a sender that follows; and of
 * offers that it has answered (offers.h).
 *
 * A packet is unprotected with the keys of the stream with its SSRC.  If they do not fit, the
 * packet may be the first one with the agreed keys of an offer, which then become the keys of the
 * stream.
 *
 *                     a grant, or a packet with the agreed        packets with the keys
 *                     keys of an offer
 *      no stream -------------------------------------> KEYED -------------------------.
 *          ^                                           |  ^  ^                         |
 *          |       another stream needs the place      |  |  '-------------------------'
 *          '-------------------------------------------'  |
 *                                                         '-- new keys: a re-keying
 *
 * | transition | function |
 * |---|---|
 * | no stream -> KEYED, and a re-keying | gst_tfrc_keyring_grant(), gst_tfrc_keyring_unprotect() |
 * | KEYED -> no stream | the same, of another stream: the older one that is not the peer's gives way |
 *
 * No clock, no locks. */
#ifndef GST_TFRC_KEYRING_H
#define GST_TFRC_KEYRING_H

#include "keyedstream.h"
#include "offers.h"

G_BEGIN_DECLS

typedef struct _GstTfrcKeyring GstTfrcKeyring;

/** Without keys.  Never NULL. */
GstTfrcKeyring *gst_tfrc_keyring_new (void);

/** Wipes the keys.  NULL is allowed. */
void gst_tfrc_keyring_free (GstTfrcKeyring *self);

/** Says which packets of streams without keys have to be protected. */
void gst_tfrc_keyring_set_protect (GstTfrcKeyring *self, GstTfrcProtect protect);

/** Says whose stream is played.  The keys of that stream are kept. */
void gst_tfrc_keyring_set_peer (GstTfrcKeyring *self, const GstTfrcAddress *address, guint32 ssrc);

/* ---- keys that come ------------------------------------------------------ */

/** As gst_tfrc_offers_add().  An offer for a stream that has keys of another author is refused. */
gboolean gst_tfrc_keyring_offer (
    GstTfrcKeyring *self, const GstTfrcExchange *contact, GstTfrcKeyNews *news, guint64 now_ns);

/** Installs the keys of a grant, which have the part that was in this end's request.
 * @param news the keys are wiped
 * @return FALSE if libsrtp or OpenSSL refuses, or the stream has keys of another author */
gboolean gst_tfrc_keyring_grant (
    GstTfrcKeyring *self, const GstTfrcExchange *contact, GstTfrcKeyNews *news, guint64 now_ns);

/** As gst_tfrc_offers_find_answer() */
GBytes *gst_tfrc_keyring_find_answer (
    GstTfrcKeyring *self, const GstTfrcExchange *contact, guint32 csb_id, guint64 now_ns);

/** Keys that both ends have since the last call */
typedef struct
{
  GstTfrcCipher cipher;
  gboolean is_granted;
  GstTfrcAddress from; /**< the address that they were agreed on with */
  gboolean is_rekeyed; /**< the stream had other keys before */
} GstTfrcNewKeys;

/** Returns TRUE once after a stream has got keys. */
gboolean gst_tfrc_keyring_take_new_keys (GstTfrcKeyring *self, GstTfrcNewKeys *keys);

/** Forgets the keys and the offers of an address that are not by the credentials which it has now; all of them if it has
 * none. */
void gst_tfrc_keyring_forget_others_at (
    GstTfrcKeyring *self, const GstTfrcAddress *address, const GstTfrcKeyParties *parties);

/* ---- packets ------------------------------------------------------------- */

typedef enum
{
  GST_TFRC_KEYRING_USE, /**< the packet is used */
  GST_TFRC_KEYRING_WAIT, /**< gst_tfrc_keyring_take_held() gives it out when its sender has proved that
                             it has this end's part of the keys */
  GST_TFRC_KEYRING_REFUSE
} GstTfrcKeyringVerdict;

typedef struct
{
  GstTfrcKeyedStream *stream;    /**< of the packet's SSRC; NULL: none */
  gboolean was_plaintext;        /**< it could be read without a key */
  gboolean is_sealed;            /**< it was protected, and has been unprotected */
  GstTfrcUnprotectResult result; /**< why it is refused */
} GstTfrcKeyringFinding;

/** Unprotects a packet in place, if it was protected.
 * @param plain in: the packet; out: without protection, with what its keys show */
GstTfrcKeyringVerdict gst_tfrc_keyring_unprotect (GstTfrcKeyring *self,
    const GstTfrcReceivedPacket *packet, gboolean is_rtcp, GstTfrcReceivedPacket *plain,
    GstTfrcKeyringFinding *finding, guint64 now_ns);

/** As gst_tfrc_src_keys_take_held() */
gboolean gst_tfrc_keyring_take_held (GstTfrcKeyring *self, GstTfrcReceivedPacket *packet);

/** As gst_tfrc_src_keys_play(), without the count */
gboolean gst_tfrc_keyring_play (
    GstTfrcKeyring *self, const GstTfrcReceivedPacket *packet, guint32 ssrc);

/** As gst_tfrc_src_keys_protect() */
gsize gst_tfrc_keyring_protect (
    GstTfrcKeyring *self, const GstTfrcAddress *to, guint8 *packet, gsize size);

/** As gst_tfrc_keyed_stream_write_confirmation(), of any stream */
gsize gst_tfrc_keyring_write_confirmation (GstTfrcKeyring *self, guint32 own_ssrc, guint8 *buffer,
    GstTfrcAddress *to, GstTfrcAddress *local);

/* ---- queries and time ---------------------------------------------------- */

/** Returns the stream whose media or repairs have this SSRC; NULL: none. */
GstTfrcKeyedStream *gst_tfrc_keyring_find (const GstTfrcKeyring *self, guint32 ssrc);

/** Returns whether the stream that an RTP or RTCP packet belongs to has no keys, or keys that are good at the address which
 * the packet has come from. Key packets without protection may come from everywhere. */
gboolean gst_tfrc_keyring_may_be_from (const GstTfrcKeyring *self,
    const GstTfrcReceivedPacket *packet, const GstTfrcKeyParties *parties);

/** Returns whether a stream at this address has keys. */
gboolean gst_tfrc_keyring_has_at (const GstTfrcKeyring *self, const GstTfrcAddress *address);

/** Returns the peer's stream; NULL: there is no peer, or no keys of its stream. */
GstTfrcKeyedStream *gst_tfrc_keyring_find_peer (const GstTfrcKeyring *self);

/** Returns the stream whose last keys are of the exchange with this number; NULL: none. */
GstTfrcKeyedStream *gst_tfrc_keyring_find_exchange (const GstTfrcKeyring *self, guint32 csb_id);

/** Returns whether there is neither a stream with keys nor an offer whose sender may have the answer. */
gboolean gst_tfrc_keyring_is_empty (const GstTfrcKeyring *self);

/** Returns how many packets were held and never taken. */
guint64 gst_tfrc_keyring_get_dropped (const GstTfrcKeyring *self);

/** Forgets offers whose time is over, as gst_tfrc_offers_on_time(). */
void gst_tfrc_keyring_on_time (GstTfrcKeyring *self, guint64 now_ns);

/** Returns the text of an invariant that does not hold; NULL: all hold.  For tests. */
const gchar *gst_tfrc_keyring_check (const GstTfrcKeyring *self);

/** Prints streams and offers to stderr, without secrets. */
void gst_tfrc_keyring_print (const GstTfrcKeyring *self);

G_END_DECLS
#endif
