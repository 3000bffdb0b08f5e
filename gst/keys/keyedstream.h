/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender's stream that a receiver has keys of, its media and its repairs: unprotects its packets, protects those that go to
 * its sender, and remembers how its keys were answered.
 *
 * A host on the path may copy a packet, and its copy may come first.  Packets from the sender's
 * address therefore have a replay window that no packet from elsewhere changes.  So a packet may be read
 * twice, and gst_tfrc_keyed_stream_play() says whether it is played.
 *
 * No clock, no locks. */
#ifndef GST_TFRC_KEYEDSTREAM_H
#define GST_TFRC_KEYEDSTREAM_H

#include "../io/datagrams.h"
#include "../security/mikey.h"
#include "keypacket.h"
#include "raisedttl.h"

G_BEGIN_DECLS

typedef struct _GstTfrcKeyedStream GstTfrcKeyedStream;

/** Without keys yet.
 * @param from, local addresses of the sender, and of this host
 * @param raised_ttl of a stream that begins; copied
 * @return never NULL */
GstTfrcKeyedStream *gst_tfrc_keyed_stream_new (const GstTfrcAddress *from,
    const GstTfrcAddress *local, const GstTfrcRaisedTtlReceiver *raised_ttl);

/** Wipes the keys.  NULL is allowed. */
void gst_tfrc_keyed_stream_free (GstTfrcKeyedStream *self);

/** Installs the first keys or other keys: those of a grant, or of an offer whose sender uses them.
 * Packets to the sender are protected with them at once.  After a grant, a packet that confirms it
 * leaves now.
 *
 * @param keys wiped
 * @param from the address that this end's part of the keys went to, and which is proved by that
 * @return FALSE if libsrtp or OpenSSL refuses */
gboolean gst_tfrc_keyed_stream_install (GstTfrcKeyedStream *self, const GstTfrcMikeyStream *said,
    GstTfrcStreamKeys *keys, const GstTfrcAddress *from, gboolean is_granted, guint64 now_ns);

/** Returns whether the keys are by the owner of the public key with this ID. */
gboolean gst_tfrc_keyed_stream_is_by (const GstTfrcKeyedStream *self, const gchar *author);

/** Takes over the extended sequence number that the data has reached with the provisional keys. */
void gst_tfrc_keyed_stream_follow (GstTfrcKeyedStream *self, GstTfrcSrtp *provisional);

/** The sender has another address, where its packets have come from already. */
void gst_tfrc_keyed_stream_move (GstTfrcKeyedStream *self, const GstTfrcAddress *address);

/** Returns whether the last keys are of the exchange with this number. */
gboolean gst_tfrc_keyed_stream_is_of (const GstTfrcKeyedStream *self, guint32 csb_id);

/** A grant has come again: the sender has not got the confirmation, which leaves once more. */
void gst_tfrc_keyed_stream_confirm_again (GstTfrcKeyedStream *self);

/** Unprotects a packet in place.
 * @param plain in: the packet; out, if the result is OK: without protection, with what its keys show */
GstTfrcUnprotectResult gst_tfrc_keyed_stream_unprotect (GstTfrcKeyedStream *self,
    const GstTfrcReceivedPacket *packet, gboolean is_rtcp, GstTfrcReceivedPacket *plain,
    guint64 now_ns);

/** A packet of the stream has been unprotected with provisional keys (offers.h). */
void gst_tfrc_keyed_stream_take (
    GstTfrcKeyedStream *self, gboolean is_rtcp, GstTfrcReceivedPacket *plain, guint64 now_ns);

/** A packet of data with this index is to be played now.
 * @param ssrc of the packet: a repair has an index of its own
 * @return FALSE: it has been played before, from whichever address, or is too old to tell */
gboolean gst_tfrc_keyed_stream_play (GstTfrcKeyedStream *self, guint32 ssrc, guint64 index);

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

/** Of the media */
guint32 gst_tfrc_keyed_stream_get_ssrc (const GstTfrcKeyedStream *self);

/** Returns which of the sender's packets have this SSRC. */
GstTfrcSrtpStream gst_tfrc_keyed_stream_find (const GstTfrcKeyedStream *self, guint32 ssrc);

/** Returns when the keys came. */
guint64 gst_tfrc_keyed_stream_get_key_ns (const GstTfrcKeyedStream *self);

/** Returns who made the keys: the ID of a public key, or a name of gst_tfrc_key_parties_name_author(). */
const gchar *gst_tfrc_keyed_stream_get_author (const GstTfrcKeyedStream *self);

/** Returns whether this is the sender's address, as far as is known. */
gboolean gst_tfrc_keyed_stream_is_from (
    const GstTfrcKeyedStream *self, const GstTfrcAddress *address);

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
