/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An exchange of key messages with one address: which message leaves, again until when, and what a
 * message that comes means.  Both ends use this unit; tables in exchange.c say what an end does.
 *
 * In the modes PSK and RSA the sender of data *offers* keys.  In reverse mode (RSA-R) the sender
 * asks the receiver to ask, the receiver *requests* keys, and the sender *grants* them.
 *
 *                       end                         a packet of the receiver
 *      sender     .------------> IDLE <-------------------.    protected with the keys
 *                 |             /    \                     |
 *                 |        ask /      \ offer              |
 *                 |           v        v      verification |
 *                 '------ ASKING     OFFERED ----------> PROVING
 *                           |                              |
 *                           |  request     .--.            |
 *                           '-----------> GRANTED ---------'
 *                                          '->'  another request
 *
 *      receiver    IDLE ---- asked, in reverse mode ----> REQUESTED
 *                  ^  ^                                   |    .--.
 *                  |  '------- grant, or end -------------'    '->'  asked again, the request is old
 *                  '-- offer: the answer leaves once
 *
 * | transition | function |
 * |---|---|
 * | any -> ASKING | gst_tfrc_exchange_ask() of a sender |
 * | any -> OFFERED | gst_tfrc_exchange_offer() |
 * | OFFERED -> PROVING | gst_tfrc_exchange_read() of the verification, once for an offer |
 * | any -> GRANTED | gst_tfrc_exchange_read() of a request |
 * | any -> REQUESTED | gst_tfrc_exchange_request() |
 * | REQUESTED -> IDLE | gst_tfrc_exchange_read() of the grant |
 * | any -> IDLE | gst_tfrc_exchange_end() |
 *
 * How often a message leaves is in keysending.h.
 *
 * No clock, no locks. */
#ifndef GST_TFRC_EXCHANGE_H
#define GST_TFRC_EXCHANGE_H

#include "../io/datagrams.h"
#include "keypacket.h"
#include "keyparty.h"
#include "keysending.h"
#include "security.h"

G_BEGIN_DECLS

typedef enum
{
  GST_TFRC_EXCHANGE_IDLE,     /**< no message waits for an answer */
  GST_TFRC_EXCHANGE_ASKING,   /**< a sender in reverse mode asks the receiver to ask */
  GST_TFRC_EXCHANGE_OFFERED,  /**< a sender's offer waits for the receiver's part of the keys */
  GST_TFRC_EXCHANGE_PROVING,  /**< a sender shows that it has that part: empty key packets, to be
                                  protected with the keys */
  GST_TFRC_EXCHANGE_GRANTED,  /**< a sender's grant waits for a confirmation */
  GST_TFRC_EXCHANGE_REQUESTED /**< a receiver's request waits for the grant */
} GstTfrcExchangeState;

typedef struct _GstTfrcExchange GstTfrcExchange;

/** @param party borrowed; NULL: of a receiver, to which gst_tfrc_exchange_begin_with() gives one
 * @return never NULL */
GstTfrcExchange *gst_tfrc_exchange_new (GstTfrcSrtpEnd end, GstTfrcKeyParty *party);

/** Wipes and frees.  NULL is allowed. */
void gst_tfrc_exchange_free (GstTfrcExchange *self);

/** Forgets what is under way.  Messages go on with their numbers. */
void gst_tfrc_exchange_end (GstTfrcExchange *self);

/* ---- the address of a receiver's exchange -------------------------------- */

/** Begins anew with another address.
 * @param party borrowed: whose credentials are for this address. Until it is set, nothing may be asked, requested or
 *   read; NULL with "no address" */
void gst_tfrc_exchange_begin_with (
    GstTfrcExchange *self, const GstTfrcAddress *address, GstTfrcKeyParty *party);

/** A packet of the address has come, which gets credit for it. */
void gst_tfrc_exchange_on_packet (
    GstTfrcExchange *self, const GstTfrcReceivedPacket *packet, guint64 now_ns);

/** The address has returned a cookie, and is proven for 20 s. */
void gst_tfrc_exchange_prove (GstTfrcExchange *self, guint64 now_ns);

gboolean gst_tfrc_exchange_is_proven (const GstTfrcExchange *self, guint64 now_ns);

/** Returns whether a part of a message or a packet that asks has come in the last second, so that the rest
 * or the grant is to be expected. */
gboolean gst_tfrc_exchange_is_busy (const GstTfrcExchange *self, guint64 now_ns);

/** Returns whether this exchange gives way before another one: proven ones give way last, then those
 * that are busy, then those that were heard lately. */
gboolean gst_tfrc_exchange_is_weaker (
    const GstTfrcExchange *self, const GstTfrcExchange *other, guint64 now_ns);

/** Returns the address that the exchange is with. */
const GstTfrcAddress *gst_tfrc_exchange_get_address (const GstTfrcExchange *self);

/** Returns the address of this host that the last packet came to. */
const GstTfrcAddress *gst_tfrc_exchange_get_local (const GstTfrcExchange *self);

/* ---- messages that this end begins with ---------------------------------- */

/** A sender makes keys and offers them from now on, in place of what is under way.
 * @param stream csb_id is set
 * @param keys set; the caller wipes them
 * @return FALSE if the cryptographic library fails: IDLE then */
gboolean gst_tfrc_exchange_offer (GstTfrcExchange *self, GstTfrcMikeyStream *stream,
    GstTfrcStreamKeys *keys, const GstTfrcKeyTime *time);

/** Asks the other end for a message by empty key packets: a sender from now on, in place of what is
 * under way, until a request comes; a receiver once, and at most once a second. */
void gst_tfrc_exchange_ask (GstTfrcExchange *self, guint64 now_ns);

/** A sender in reverse mode has asked, and the receiver requests keys.  Making a request costs an RSA
 * operation, so that the last one leaves again until it is 30 s old.
 * @param cookie that the question gave; NULL: none
 * @param is_sealed the question has come protected with the stream's keys, and so needs no token */
void gst_tfrc_exchange_request (
    GstTfrcExchange *self, const guint8 *cookie, gboolean is_sealed, const GstTfrcKeyTime *time);

/** Sends an answer, in place of a message that is leaving. */
void gst_tfrc_exchange_answer (GstTfrcExchange *self, GBytes *answer);

/* ---- messages that come -------------------------------------------------- */

/** Returns the message that comes in key packets without protection.  At a sender, those with the cookie
 * that its questions give are a message of their own, with tokens of their own.
 * @param cookie of the key packet; NULL: none */
GstTfrcKeyAssembly *gst_tfrc_exchange_get_assembly (GstTfrcExchange *self, const guint8 *cookie);

typedef enum
{
  GST_TFRC_EXCHANGE_REFUSED, /**< counts as refused: forged, malformed, not for this end, too many */
  GST_TFRC_EXCHANGE_TAKEN,   /**< nothing is to be done */
  GST_TFRC_EXCHANGE_NEW_KEYS, /**< the news have keys */
  GST_TFRC_EXCHANGE_CONFIRMED /**< of a sender: its receiver has the keys in the news */
} GstTfrcExchangeResult;

typedef struct
{
  GstTfrcMikeyStream stream; /**< given by a sender, as for a grant; set at a receiver */
  GstTfrcStreamKeys keys; /**< to be installed and wiped, if the result is NEW_KEYS or CONFIRMED */
  GstTfrcStreamKeys provisional; /**< of an offer, at a receiver: to be wiped as well */
  gboolean is_sealed;            /**< an offer has come protected with the stream's keys */
  GBytes *answer;     /**< to an offer, for the caller to send and to unref; NULL: none */
  const gchar *doubt; /**< why the keys may not fit, which any host can cause; NULL: no doubt */
} GstTfrcKeyNews;

/** Reads a message that is complete.
 * @param is_sealed the message has come protected with the stream's keys, and so needs no token
 * @param news all zero, but for the sender's stream */
GstTfrcExchangeResult gst_tfrc_exchange_read (GstTfrcExchange *self,
    const GstTfrcKeyAssembly *message, gboolean is_sealed, GstTfrcKeyNews *news,
    const GstTfrcKeyTime *time);

/* ---- packets that leave -------------------------------------------------- */

/** Returns when a sender's next packet leaves; G_MAXUINT64: none does. */
guint64 gst_tfrc_exchange_next_ns (const GstTfrcExchange *self);

/** The sender's next packet leaves now. */
void gst_tfrc_exchange_hurry (GstTfrcExchange *self, guint64 now_ns);

/** A packet that gives a cookie has come to a sender: the message leaves with it, at once if it has
 * not done so lately. */
void gst_tfrc_exchange_take_cookie (
    GstTfrcExchange *self, const GstTfrcKeyPacket *packet, guint64 now_ns);

/** Writes the next key packet, without looking at the time.
 * @param rtt_ns R, for the time of a sender's next one; 0: unknown
 * @param buffer GST_TFRC_KEY_PACKET_MAX_BYTES
 * @return bytes written; 0: none waits, or a receiver's credit does not suffice */
gsize gst_tfrc_exchange_write (
    GstTfrcExchange *self, guint32 own_ssrc, guint64 rtt_ns, guint64 now_ns, guint8 *buffer);

/* ---- queries ------------------------------------------------------------- */

GstTfrcExchangeState gst_tfrc_exchange_get_state (const GstTfrcExchange *self);

/** Returns when the state was entered; valid unless IDLE. */
guint64 gst_tfrc_exchange_get_since_ns (const GstTfrcExchange *self);

/** Returns the text of an invariant that does not hold; NULL: all hold.  For tests. */
const gchar *gst_tfrc_exchange_check (const GstTfrcExchange *self);

/** Prints the exchange to stderr, without secrets: (gdb) call gst_tfrc_exchange_print (self) */
void gst_tfrc_exchange_print (const GstTfrcExchange *self);

G_END_DECLS
#endif
