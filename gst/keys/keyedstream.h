/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender's stream that a receiver has keys of: unprotects its packets, protects those that go to
 * its sender, and remembers how its keys were answered.
 *
 * A host on the path may copy a packet, and its copy may come first.  Packets from the sender's
 * address therefore have a replay window that no packet from elsewhere changes.
 *
 * No clock, no locks. */
#ifndef GST_TFRC_KEYEDSTREAM_H
#define GST_TFRC_KEYEDSTREAM_H

#include "exchange.h"
#include "raisedttl.h"

G_BEGIN_DECLS

typedef struct _GstTfrcKeyedStream GstTfrcKeyedStream;

/** Without keys yet.
 * @param contact with the sender
 * @param raised_ttl of a stream that begins; copied
 * @return never NULL */
GstTfrcKeyedStream *gst_tfrc_keyed_stream_new (
    const GstTfrcExchange *contact, const GstTfrcRaisedTtlReceiver *raised_ttl);

/** Wipes the keys.  NULL is allowed. */
void gst_tfrc_keyed_stream_free (GstTfrcKeyedStream *self);

/** Installs new keys, the first ones or other ones.
 *
 * In reverse mode packets to the sender are protected with them at once, and one leaves now: it tells
 * the sender that the grant has come.  An offer has an answer for that: its keys are in use as soon
 * as the sender uses them, so that an offer that was held back or recorded does no harm.
 *
 * @param news the keys are wiped; the answer stays the caller's
 * @return FALSE if libsrtp refuses */
gboolean gst_tfrc_keyed_stream_install (
    GstTfrcKeyedStream *self, GstTfrcKeyNews *news, guint64 now_ns);

/** The sender has another address, where its packets have come from already. */
void gst_tfrc_keyed_stream_move (GstTfrcKeyedStream *self, const GstTfrcAddress *address);

/** Returns whether the last keys have come with this message, from this address. */
gboolean gst_tfrc_keyed_stream_has_answered (
    const GstTfrcKeyedStream *self, const GstTfrcExchange *contact, guint32 csb_id);

/** Sends the answer to the last keys once more: the sender has not got it. */
void gst_tfrc_keyed_stream_answer_again (GstTfrcKeyedStream *self, GstTfrcExchange *contact);

/** Unprotects a packet in place.
 * @param size in: bytes; out: bytes without protection, if the result is OK */
GstTfrcUnprotectResult gst_tfrc_keyed_stream_unprotect (GstTfrcKeyedStream *self,
    const GstTfrcReceivedPacket *packet, gboolean is_rtcp, gsize *size, guint64 now_ns);

/** Protects an RTCP packet to the sender in place.
 * @return bytes afterwards; 0: it must not leave */
gsize gst_tfrc_keyed_stream_protect (GstTfrcKeyedStream *self, guint8 *packet, gsize size);

/** Writes the packet that confirms a grant, if one is due.
 * @return bytes written; 0: none is due */
gsize gst_tfrc_keyed_stream_write_confirmation (GstTfrcKeyedStream *self, guint32 own_ssrc,
    guint8 *buffer, GstTfrcAddress *to, GstTfrcAddress *local);

/** Writes a packet that asks the sender for other keys. */
gsize gst_tfrc_keyed_stream_write_rekey (GstTfrcKeyedStream *self, guint32 own_ssrc, guint8 *buffer,
    GstTfrcAddress *to, GstTfrcAddress *local);

guint32 gst_tfrc_keyed_stream_get_ssrc (const GstTfrcKeyedStream *self);

/** Returns when the keys came. */
guint64 gst_tfrc_keyed_stream_get_key_ns (const GstTfrcKeyedStream *self);

/** Returns whether packets with these keys have come from this address. */
gboolean gst_tfrc_keyed_stream_is_at (
    const GstTfrcKeyedStream *self, const GstTfrcAddress *address);

/** Returns whether nothing could be unprotected for 2 s: the stream has other keys now. */
gboolean gst_tfrc_keyed_stream_is_lost (const GstTfrcKeyedStream *self, guint64 now_ns);

const GstTfrcRaisedTtlReceiver *gst_tfrc_keyed_stream_get_raised_ttl (
    const GstTfrcKeyedStream *self);

/** Returns the message that comes in protected key packets, which no other host can disturb. */
GstTfrcKeyAssembly *gst_tfrc_keyed_stream_get_assembly (GstTfrcKeyedStream *self);

/** Returns the text of an invariant that does not hold; NULL: all hold.  For tests. */
const gchar *gst_tfrc_keyed_stream_check (const GstTfrcKeyedStream *self);

/** Prints the stream to stderr, without secrets. */
void gst_tfrc_keyed_stream_print (const GstTfrcKeyedStream *self);

G_END_DECLS
#endif
