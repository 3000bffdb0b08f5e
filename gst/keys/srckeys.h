/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keys of a source: exchanges them with senders, and protects and unprotects packets.
 *
 * Each sender's stream has keys of its own, found by the sender's SSRC.  A source keeps the keys of
 * two streams: the peer's, and those of a sender that follows.  Both ends have a part in the keys: those
 * of an offer count when its sender uses the source's answer (offers.h), so that nothing that was
 * recorded plays again.
 *
 * Key messages of hosts that are not the peer are read no more often than two token buckets allow,
 * one for each host and one for all.  The peer's messages come protected, and need no token.
 *
 * An address gets no more bytes than have come from there.
 *
 * Which streams have keys is in keyring.h.  Senders that cannot be understood, while no stream has keys
 * and no offer has been answered, give the event FAILED, once (gst_tfrc_src_keys_on_time()).  A sender of
 * which nothing could be unprotected for 2 s is asked for keys.
 *
 * How the messages of a single exchange follow each other is in exchange.h.
 *
 * No clock. The caller makes the calls take turns. gst_tfrc_src_keys_protect() may run while another thread asks for
 * statistics or a re-keying, or replaces credentials, and while nothing else does. */
#ifndef GST_TFRC_SRCKEYS_H
#define GST_TFRC_SRCKEYS_H

#include "../io/datagrams.h"
#include "keylimits.h"
#include "security.h"

G_BEGIN_DECLS

typedef struct _GstTfrcSrcKeys GstTfrcSrcKeys;

/** Takes a reference of the credentials.
 * @param config without credentials: nothing is protected, and key packets of senders give an event
 * @param secret random bytes that no peer can know
 * @param ssrc of the source
 * @param events gets the events, and lives longer than the keys; NULL: nobody is to be told */
GstTfrcSrcKeys *gst_tfrc_src_keys_new (const GstTfrcSecurityConfig *config,
    const guint8 secret[GST_TFRC_SECRET_BYTES], guint32 ssrc, GstTfrcEvents *events);

/** Wipes the keys.  NULL is allowed. */
void gst_tfrc_src_keys_free (GstTfrcSrcKeys *self);

/** A sender begins at an address. It may have credentials of its own, of which a reference is taken, in place of those
 * of the configuration. As those, they have no effect if the configuration protects nothing (GST_TFRC_PROTECT_NONE).
 * @param credentials a passphrase; NULL: those of the configuration. If there are none either, keys of an earlier
 *   sender at this address are forgotten */
void gst_tfrc_src_keys_set_credentials (
    GstTfrcSrcKeys *self, const GstTfrcAddress *address, GstTfrcCredentials *credentials);

/** The sender at this address has gone: takes its own credentials back. What still leaves for it is protected with
 * the keys that it had. */
void gst_tfrc_src_keys_remove_credentials (GstTfrcSrcKeys *self, const GstTfrcAddress *address);

/** Returns whether packets of all senders have to be protected. */
gboolean gst_tfrc_src_keys_is_protected (GstTfrcSrcKeys *self);

/** Says whose stream is played.  The keys of that stream are kept.
 *
 * A host on the path may copy a packet, and its copy may come first.  Packets from the peer's
 * address therefore have a replay window that no packet from elsewhere changes. */
void gst_tfrc_src_keys_set_peer (GstTfrcSrcKeys *self, const GstTfrcAddress *address, guint32 ssrc);

/** A packet of any kind has come.
 * @param packet whose data are changed in place
 * @param plain set to the packet without protection, with what its keys show
 * @return TRUE if the packet is to be used; FALSE if it was a key packet, waits, or is refused, which is
 *   counted */
gboolean gst_tfrc_src_keys_receive (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet,
    GstTfrcReceivedPacket *plain, const GstTfrcKeyTime *time);

/** Takes the next packet that waited, and is to be used now; before those that were received since.
 * @param packet set to the packet as it came, without protection; its data are valid until the next call
 * @return FALSE: there is none */
gboolean gst_tfrc_src_keys_take_held (GstTfrcSrcKeys *self, GstTfrcReceivedPacket *packet);

/** A packet of data is to be played now.
 * @param ssrc of the packet: of the media, or of a repair, which has numbers of its own
 * @return FALSE: the same packet has been played before, from whichever address; which is counted */
gboolean gst_tfrc_src_keys_play (
    GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet, guint32 ssrc);

/** Protects an RTCP packet to this address, in place.
 * @param packet with room for GST_TFRC_PACKET_TAIL_BYTES more
 * @return bytes afterwards; 0: the packet must not leave, as there are no keys */
gsize gst_tfrc_src_keys_protect (
    GstTfrcSrcKeys *self, const GstTfrcAddress *to, guint8 *packet, gsize size);

/** Writes the next key packet that is due.
 * @param buffer GST_TFRC_KEY_PACKET_MAX_BYTES and GST_TFRC_PACKET_TAIL_BYTES, at an
 *   address that is a multiple of 4
 * @param to set to the destination
 * @param local set to the address that the packet leaves from
 * @return bytes written; 0: none is due */
gsize gst_tfrc_src_keys_write (
    GstTfrcSrcKeys *self, guint8 *buffer, GstTfrcAddress *to, GstTfrcAddress *local);

/** Asks the peer to replace the keys, by a packet that gst_tfrc_src_keys_write() writes. */
void gst_tfrc_src_keys_rekey (GstTfrcSrcKeys *self);

/** Returns when gst_tfrc_src_keys_on_time() has something to do; G_MAXUINT64: never.  Answers leave
 * at once: gst_tfrc_src_keys_write() is to be called after each packet. */
guint64 gst_tfrc_src_keys_next_ns (GstTfrcSrcKeys *self);

/** Serves the timer: senders whose keys do not fit. */
void gst_tfrc_src_keys_on_time (GstTfrcSrcKeys *self, guint64 now_ns);

void gst_tfrc_src_keys_get_stats (GstTfrcSrcKeys *self, GstTfrcSecurityStats *stats);

/** Returns whether there are keys of the stream whose media have this SSRC. */
gboolean gst_tfrc_src_keys_has_stream (GstTfrcSrcKeys *self, guint32 ssrc);

/* ---- for tests and gdb --------------------------------------------------- */

/** Returns the text of an invariant that does not hold; NULL: all hold. */
const gchar *gst_tfrc_src_keys_check (const GstTfrcSrcKeys *self);

/** Prints streams and contacts to stderr, without secrets:
 * (gdb) call gst_tfrc_src_keys_print (stream->keys) */
void gst_tfrc_src_keys_print (GstTfrcSrcKeys *self);

G_END_DECLS
#endif
