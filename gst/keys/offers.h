/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The offers that a receiver has answered, until their senders use the keys that the answer has made.
 *
 * Each answer has a random part of the keys.  A host that plays a recorded stream again has the offer
 * and packets with its provisional keys, and never one with the agreed keys: so nothing of an offer is
 * used before a packet with the agreed keys has come.  What comes with the provisional keys until then
 * is held, from the offer's address alone, and follows in its order.
 *
 *                  answered          a packet with the agreed keys           2 s
 *     no offer --------------> OPEN --------------------------------> USED ------> no offer
 *                               |                                      |
 *                               '---- 10 s of silence, or another -----'
 *                                     offer takes the place
 *
 * | transition | function |
 * |---|---|
 * | no offer -> OPEN | gst_tfrc_offers_add() |
 * | OPEN -> USED | gst_tfrc_offers_read() |
 * | any -> no offer | gst_tfrc_offers_add(), gst_tfrc_offers_on_time() |
 *
 * Packets with the provisional keys of a USED offer were overtaken, and are used.
 *
 * No clock, no locks. */
#ifndef GST_TFRC_OFFERS_H
#define GST_TFRC_OFFERS_H

#include "exchange.h"
#include "keyparties.h"

G_BEGIN_DECLS

/** Offers at a time.  If there is no place left, one that came without protection gives way first: the
 * sender of one that came protected uses its keys as soon as it has the answer.  Then one of the same host
 * does, and otherwise the one that has been silent for longest.  Copies of one offer from many addresses
 * take half of the places.
 *
 * Only packets with the agreed keys tell the original from its copies, and they come one R after the
 * answer. So the answers to all of them have to be remembered for that time: an attacker needs 32
 * addresses of its own, and as many tokens (keylimits.h), to displace the original.  Each place takes some
 * 600 bytes. */
#define GST_TFRC_MAX_OFFERS 64

/** Packets that are held for one offer: what a sender with min-bitrate=4000000 sends in 160 ms.  Others
 * send one packet a second until they know R, and three in R after that (RFC 5348 section 4.2).  The
 * oldest gives way. */
#define GST_TFRC_OFFER_MAX_HELD 64

typedef struct _GstTfrcOffers GstTfrcOffers;

/** Never NULL. */
GstTfrcOffers *gst_tfrc_offers_new (void);

/** Wipes the keys.  NULL is allowed. */
void gst_tfrc_offers_free (GstTfrcOffers *self);

/** An offer has been answered.
 * @param contact with the sender, to whose address the answer goes
 * @param news the keys are wiped; the answer stays the caller's */
void gst_tfrc_offers_add (
    GstTfrcOffers *self, const GstTfrcExchange *contact, GstTfrcKeyNews *news, guint64 now_ns);

/** An address has other credentials now: forgets the offers from there that are not by them. */
void gst_tfrc_offers_forget_others_at (
    GstTfrcOffers *self, const GstTfrcAddress *address, const GstTfrcKeyParties *parties);

/** A stream has keys: forgets the offers of other authors for its SSRC. */
void gst_tfrc_offers_forget_others (GstTfrcOffers *self, const GstTfrcMikeyStream *stream);

/** The offer with this number has come again.  Returns the answer that its address has had, borrowed;
 * NULL: none. */
GBytes *gst_tfrc_offers_find_answer (
    GstTfrcOffers *self, const GstTfrcExchange *contact, guint32 csb_id, guint64 now_ns);

/** Returns whether a packet with this SSRC could be one of an offer. */
gboolean gst_tfrc_offers_has_stream (const GstTfrcOffers *self, guint32 ssrc);

/** Returns whether an offer is OPEN. */
gboolean gst_tfrc_offers_has_open (const GstTfrcOffers *self);

typedef enum
{
  GST_TFRC_OFFER_NOTHING,  /**< the packet is of no offer */
  GST_TFRC_OFFER_REPLAYED, /**< it has come before */
  GST_TFRC_OFFER_HELD,     /**< it waits for one with the agreed keys */
  GST_TFRC_OFFER_LATE,     /**< it has been unprotected with provisional keys, and is to be used */
  GST_TFRC_OFFER_AGREED    /**< it has the agreed keys, and is unchanged: the offer is USED now */
} GstTfrcOfferResult;

/** Keys that both ends have: of an offer that is USED.  Valid until the next call of a function that
 * changes the offers. */
typedef struct
{
  const GstTfrcMikeyStream *stream;
  GstTfrcStreamKeys *keys; /**< to be installed and wiped */
  const GstTfrcAddress *from, *local;
  GstTfrcSrtp *provisional; /**< knows how far the stream has come */
} GstTfrcAgreement;

/** Reads a packet that is protected, and not with the keys of the stream with its SSRC.
 * @param plain in: the packet; out, if the result is LATE: without protection, with its index
 * @param agreement set if the result is AGREED */
GstTfrcOfferResult gst_tfrc_offers_read (GstTfrcOffers *self, const GstTfrcReceivedPacket *packet,
    gboolean is_rtcp, GstTfrcReceivedPacket *plain, GstTfrcAgreement *agreement, guint64 now_ns);

/** Takes the next packet that was held for an offer that is USED.
 * @param packet set; its data stay valid until the next call
 * @return FALSE: there is none */
gboolean gst_tfrc_offers_take (GstTfrcOffers *self, GstTfrcReceivedPacket *packet);

/** Forgets offers whose time is over: see "no offer" in the picture above. */
void gst_tfrc_offers_on_time (GstTfrcOffers *self, guint64 now_ns);

/** Returns how many packets were held and never taken. */
guint64 gst_tfrc_offers_get_dropped (const GstTfrcOffers *self);

/** Returns the text of an invariant that does not hold; NULL: all hold.  For tests. */
const gchar *gst_tfrc_offers_check (const GstTfrcOffers *self);

/** Prints the offers to stderr, without secrets. */
void gst_tfrc_offers_print (const GstTfrcOffers *self);

G_END_DECLS
#endif
