/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keys of a sender's stream: exchanges them with the receiver, protects and unprotects the
 * stream's packets with them, and has them replaced in time.
 *
 * In the modes PSK and RSA the sender *offers* keys: the offer leaves beside the first packet of
 * data, and again until the receiver's answer has come, the verification message with its part of the
 * keys.  Data may leave meanwhile, with provisional keys; then it leaves with the keys that are agreed
 * on, and an empty key packet at once, which the receiver waits for.  In reverse mode (RSA-R) the sender
 * asks the receiver to ask, and data waits for the receiver's request.
 *
 * A *re-keying* is an offer while the stream has keys.  The sender uses the new keys once the
 * receiver's answer has come, in reverse mode a packet that is protected with them.
 *
 * A receiver that has lost its keys, as after a restart, asks for an offer by an empty key packet.
 * Any host can forge that packet, so that it causes at most one re-keying in a second (offerseal.h).
 *
 *                   start                    confirmed
 *      NOT_STARTED -------> AGREEING -----------------------> KEYED
 *                            |    |                            |  ^
 *                     doubts |    | limit   due, asked for,    |  | confirmed,
 *                            v    |         or a request came  v  | given up after 10 s
 *                         FAILED  |                          REKEYING
 *                                 v                            |
 *                              EXPIRED <------------------------
 *                                             limit (also from KEYED)
 *
 * | transition | function in sinkkeys.c |
 * |---|---|
 * | NOT_STARTED -> AGREEING; another SSRC: any -> AGREEING | gst_tfrc_sink_keys_start() |
 * | AGREEING, REKEYING -> KEYED: the receiver has the keys | on_confirmed() |
 * | AGREEING -> AGREEING: the offer is 60 s old | on_end() |
 * | AGREEING -> FAILED, REKEYING -> KEYED: it is over without keys | fail() |
 * | KEYED -> REKEYING | begin(), or on_new_keys() in reverse mode |
 * | AGREEING, KEYED, REKEYING -> EXPIRED: the key may not be used any more | expire() |
 *
 * How the messages of a single exchange follow each other is in exchange.h.
 *
 * No clock, no locks: the caller makes the calls take turns.  gst_tfrc_sink_keys_protect() may run
 * while another thread asks whether data may leave and when what is due, or asks for
 * statistics or a re-keying; nothing else may run then. */
#ifndef GST_TFRC_SINKKEYS_H
#define GST_TFRC_SINKKEYS_H

#include "keypacket.h"
#include "security.h"

G_BEGIN_DECLS

typedef struct _GstTfrcSinkKeys GstTfrcSinkKeys;

typedef enum
{
  GST_TFRC_SINK_KEYS_NOT_STARTED, /**< there is no stream yet */
  GST_TFRC_SINK_KEYS_AGREEING,    /**< the receiver has no keys, as far as is known */
  GST_TFRC_SINK_KEYS_KEYED,       /**< the receiver has the keys in use */
  GST_TFRC_SINK_KEYS_REKEYING,    /**< and is to have other ones */
  GST_TFRC_SINK_KEYS_FAILED,      /**< no keys can be agreed on: nothing leaves */
  GST_TFRC_SINK_KEYS_EXPIRED      /**< the key has protected what it may: nothing leaves */
} GstTfrcSinkKeysState;

/** Takes a reference of the credentials.  Never NULL.
 * @param events gets the events, and lives longer than the keys; NULL: nobody is to be told */
GstTfrcSinkKeys *gst_tfrc_sink_keys_new (
    const GstTfrcSecurityConfig *config, GstTfrcEvents *events);

/** Wipes the keys.  NULL is allowed. */
void gst_tfrc_sink_keys_free (GstTfrcSinkKeys *self);

/** Begins the exchange for the stream with this SSRC.  A call with the SSRC of the stream that runs
 * does nothing.
 * @param next_seq RTP sequence number of the next packet of data */
void gst_tfrc_sink_keys_start (
    GstTfrcSinkKeys *self, guint32 ssrc, guint16 next_seq, const GstTfrcKeyTime *time);

/** Returns whether gst_tfrc_sink_keys_start() has been called. */
gboolean gst_tfrc_sink_keys_is_started (GstTfrcSinkKeys *self);

/** Has the keys replaced, if the stream has any: at once, or when the keys are a second old. */
void gst_tfrc_sink_keys_rekey (GstTfrcSinkKeys *self, guint64 now_ns);

/** A key packet has come from the receiver's address.
 * @return FALSE if the packet is malformed, or its message is refused, which is counted */
gboolean gst_tfrc_sink_keys_on_packet (GstTfrcSinkKeys *self, const guint8 *packet, gsize size,
    guint16 next_seq, const GstTfrcKeyTime *time);

/** Writes the next key packet that is due.
 * @param rtt_ns R; 0: unknown
 * @param buffer GST_TFRC_KEY_PACKET_MAX_BYTES and GST_TFRC_PACKET_TAIL_BYTES
 * @return bytes written; 0: none is due */
gsize gst_tfrc_sink_keys_write (
    GstTfrcSinkKeys *self, guint64 rtt_ns, guint64 now_ns, guint8 *buffer);

/** Returns when gst_tfrc_sink_keys_on_time() or _write() has something to do. */
guint64 gst_tfrc_sink_keys_next_ns (GstTfrcSinkKeys *self);

/** Serves the timers: offers that grow old, exchanges that fail, re-keying. */
void gst_tfrc_sink_keys_on_time (
    GstTfrcSinkKeys *self, guint16 next_seq, const GstTfrcKeyTime *time);

/** With GST_TFRC_PROTECT_RAISED_TTL: the TTL is raised now, so that all packets leave protected from
 * now on. */
void gst_tfrc_sink_keys_seal_from_now_on (GstTfrcSinkKeys *self, guint64 now_ns);

/** Returns whether data may leave: it can be protected, or need not be. */
gboolean gst_tfrc_sink_keys_may_send (GstTfrcSinkKeys *self);

/** As gst_tfrc_srtp_protect(); a packet that need not be protected stays as it is.  Returns 0 also if
 * the key's limit has been reached, which ends the stream: gst_tfrc_sink_keys_on_time() is due then,
 * and an event says so. */
gsize gst_tfrc_sink_keys_protect (
    GstTfrcSinkKeys *self, gboolean is_rtcp, guint8 *packet, gsize size);

/** Unprotects an RTCP packet of the receiver, in place.  A packet that is refused is counted.
 *
 * A host on the path may copy a packet, and its copy may come first.  Packets from the receiver's
 * address therefore have a replay window that no packet from elsewhere changes.
 *
 * @param is_from_peer the packet has come from the receiver's address
 * @return FALSE if the packet is refused, or was a key packet */
gboolean gst_tfrc_sink_keys_unprotect (
    GstTfrcSinkKeys *self, gboolean is_from_peer, guint8 *packet, gsize *size, guint64 now_ns);

void gst_tfrc_sink_keys_get_stats (GstTfrcSinkKeys *self, GstTfrcSecurityStats *stats);

GstTfrcSinkKeysState gst_tfrc_sink_keys_get_state (GstTfrcSinkKeys *self);

/* ---- for tests and gdb --------------------------------------------------- */

/** Returns the text of an invariant that does not hold; NULL: all hold. */
const gchar *gst_tfrc_sink_keys_check (const GstTfrcSinkKeys *self);

/** Prints state and exchange to stderr, without secrets:
 * (gdb) call gst_tfrc_sink_keys_print (stream->keys) */
void gst_tfrc_sink_keys_print (GstTfrcSinkKeys *self);

/** Returns what the stream is protected with, so that a test can set its limits. */
GstTfrcSrtp *gst_tfrc_sink_keys_get_srtp (GstTfrcSinkKeys *self);

G_END_DECLS
#endif
