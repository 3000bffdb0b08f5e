/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The protection of one stream's packets at one end: SRTP and SRTCP (RFC 3711).
 *
 * A GstTfrcSrtp has *generations* of keys.  It receives with the newest generation and, for a grace
 * time, with the one before; it sends with the newest generation that has been switched to.  An
 * installed generation that no packet has used yet replaces nothing.
 *
 * The RTP sequence number goes on across generations, and so does the rollover counter (RFC 3711
 * section 3.3.1).  The media and its repairs have a counter each (srtpindex.h).
 *
 * One thread uses an object: that of the stream's I/O loop, which protects packets without the port's
 * lock and calls all other functions with it.  A thread that holds the port's lock may call
 * gst_tfrc_srtp_can_protect() as well, because protecting does not change the answer.  The thread
 * that frees the stream uses the object when the loop has left the stream.  No lock, no clock and
 * no socket. */
#ifndef GST_TFRC_SRTP_H
#define GST_TFRC_SRTP_H

#include "cipher.h"
#include "replaywindow.h"
#include "srtpindex.h"
#include "srtpresult.h"

G_BEGIN_DECLS

typedef struct _GstTfrcSrtp GstTfrcSrtp;

/** The end that a GstTfrcSrtp stands at, which decides which of the stream's keys it sends with */
typedef enum
{
  GST_TFRC_SRTP_SENDER,  /**< tfrcsink: protects RTP and SRTCP, unprotects SRTCP */
  GST_TFRC_SRTP_RECEIVER /**< tfrcsrc: protects SRTCP, unprotects RTP and SRTCP */
} GstTfrcSrtpEnd;

/** When the sender has to have new keys (RFC 3711 section 9.2, and SRTCP's 31-bit index): packets
 * and bytes under one key.  Tests set less. */
#define GST_TFRC_SRTP_MAX_PACKETS (G_GUINT64_CONSTANT (1) << 31)
#define GST_TFRC_SRTP_MAX_BYTES (G_GUINT64_CONSTANT (1) << 47)

/** The time for which the generation before is still received with, once the newer one is in use */
#define GST_TFRC_SRTP_GRACE_NS (2 * G_GUINT64_CONSTANT (1000000000))

/** Packets that a replay window covers: a packet that is older counts as replayed */
#define GST_TFRC_SRTP_WINDOW_PACKETS GST_TFRC_REPLAY_WINDOW_NUMBERS

/** Without keys: protects and unprotects nothing.  Never NULL. */
GstTfrcSrtp *gst_tfrc_srtp_new (GstTfrcSrtpEnd end);

/** Keys that are installed from now on are for media alone, which takes two thirds of the memory of
 * libsrtp.  Repairs are forged then. */
void gst_tfrc_srtp_leave_out_repairs (GstTfrcSrtp *self);

/** Wipes the keys and frees.  NULL is allowed. */
void gst_tfrc_srtp_free (GstTfrcSrtp *self);

/** Installs a new generation.
 *
 * At the sender, packets are protected with it from gst_tfrc_srtp_switch() on; without an older
 * generation, at once.  At the receiver, packets are protected with it as soon as a packet of the
 * sender has been unprotected with it; without an older generation, at once.
 *
 * A generation that was installed before and has not been used yet is dropped.
 *
 * @param keys copied
 * @param ssrc of the sender's media.  A receiver takes data of this SSRC and its repairs' alone.
 * @param roc, repair_roc rollover counters of the first packet of the media and of the first repair:
 *   the sender's own, or as the key message says.  The receiver also tries the next and the one
 *   before, until a packet of the stream has been unprotected.
 * @return FALSE with @a error set (G_IO_ERROR) if libsrtp or OpenSSL refuses */
gboolean gst_tfrc_srtp_install (GstTfrcSrtp *self, const GstTfrcStreamKeys *keys, guint32 ssrc,
    guint32 roc, guint32 repair_roc, GError **error);

/** Sends with the newest generation from now on.  The rollover counter goes on. */
void gst_tfrc_srtp_switch (GstTfrcSrtp *self, guint64 now_ns);

/** Returns whether there are keys to protect with.  Any thread with the port's lock. */
gboolean gst_tfrc_srtp_can_protect (GstTfrcSrtp *self);

/** Returns whether packets have been unprotected with the newest generation, which so is known to
 * be the peer's. */
gboolean gst_tfrc_srtp_is_confirmed (GstTfrcSrtp *self);

/** Protects a packet in place.
 * @param is_rtcp a compound of RTCP; otherwise a packet of data
 * @param packet at an address that is a multiple of 4, with room for another
 *   GST_TFRC_PACKET_TAIL_BYTES (queue/packet.h)
 * @param size bytes before
 * @return bytes afterwards; 0: there is no key, or the key must not be used any more */
gsize gst_tfrc_srtp_protect (GstTfrcSrtp *self, gboolean is_rtcp, guint8 *packet, gsize size);

/** Unprotects a packet in place.  A packet that fails changes nothing but its own bytes.
 * @param packet may be written to; at an address that is a multiple of 4
 * @param size in: bytes; out: bytes afterwards if the result is OK */
GstTfrcUnprotectResult gst_tfrc_srtp_unprotect (
    GstTfrcSrtp *self, gboolean is_rtcp, guint8 *packet, gsize *size, guint64 now_ns);

/** Returns the rollover counter of the media's packet with this sequence number, if that leaves next;
 * the counter to tell a receiver that begins now. */
guint32 gst_tfrc_srtp_get_roc (GstTfrcSrtp *self, guint16 next_seq);

/** The same of the next repair: repairs leave in the order of their numbers, none left out. */
guint32 gst_tfrc_srtp_get_repair_roc (GstTfrcSrtp *self);

/** Returns the 48-bit index of the packet of data that has been unprotected last, with the rollover
 * counter of its tag.  A counter guessed from the sequence number is another one if the packet is older
 * than half the range of the numbers. */
guint64 gst_tfrc_srtp_get_index (GstTfrcSrtp *self);

/** Takes over how far the data of the same stream has come at another GstTfrcSrtp, so that the
 * rollover counter is right although the packets in between have come there (RFC 3711 section
 * 3.3.1). */
void gst_tfrc_srtp_follow_index (GstTfrcSrtp *self, GstTfrcSrtp *other);

/** Takes over from another GstTfrcSrtp with the same newest keys that the peer has them: the grace time
 * of the keys before ends here when it ends there.  Otherwise keys that were replaced would be received
 * with until a packet with newer ones comes here, as well. */
void gst_tfrc_srtp_follow_keys (GstTfrcSrtp *self, GstTfrcSrtp *other);

typedef struct
{
  guint64 packets; /**< protected with the key that is in use */
  guint64 bytes;
  guint generation; /**< that packets are protected with, from 1; 0: none */
} GstTfrcSrtpUsage;

void gst_tfrc_srtp_get_usage (GstTfrcSrtp *self, GstTfrcSrtpUsage *usage);

/** Returns whether half of what the key that is in use may protect is used up, which leaves time for
 * many attempts to replace the key. */
gboolean gst_tfrc_srtp_is_half_used (GstTfrcSrtp *self);

/* ---- for tests ---------------------------------------------------------- */

/** Replaces GST_TFRC_SRTP_MAX_PACKETS and GST_TFRC_SRTP_MAX_BYTES in this object, so that tests need
 * not protect 2^31 packets. */
void gst_tfrc_srtp_set_limits (GstTfrcSrtp *self, guint64 max_packets, guint64 max_bytes);

G_END_DECLS
#endif
