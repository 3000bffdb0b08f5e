/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The key packets that leave to one address: the fragments of a message, and empty packets that ask
 * for one.
 *
 * A sender repeats: after 2 R at first, within 100 ms to 2 s, and then after twice the time; with a new
 * cookie it begins so again.  A receiver sends a message once, and no more bytes to an address than have
 * come from there (anti-amplification limit, RFC 9000 section 8.1).
 *
 * A receiver under load gives a cookie, and a sender gives one when it asks: a random one, the same until
 * it begins to ask anew.  The packets of the other end have the last one in them from then on.
 *
 * No clock, no locks. */
#ifndef GST_TFRC_KEYSENDING_H
#define GST_TFRC_KEYSENDING_H

#include "../security/srtp.h"
#include "keypacket.h"

G_BEGIN_DECLS

typedef struct _GstTfrcKeySending GstTfrcKeySending;

/** Never NULL. */
GstTfrcKeySending *gst_tfrc_key_sending_new (GstTfrcSrtpEnd end);

void gst_tfrc_key_sending_free (GstTfrcKeySending *self);

/** Forgets the message, and asks no longer.  Messages go on with their numbers. */
void gst_tfrc_key_sending_stop (GstTfrcKeySending *self);

/** As stop, for another address: numbers and credit begin anew. */
void gst_tfrc_key_sending_restart (GstTfrcKeySending *self);

/** Sends a message from now on, in place of the one before.  Takes over the reference. */
void gst_tfrc_key_sending_send (GstTfrcKeySending *self, GBytes *message, guint64 now_ns);

/** Asks from now on: a sender in place of a message, with packets of full size, so that a receiver
 * can answer with a certificate; a receiver once. */
void gst_tfrc_key_sending_ask (GstTfrcKeySending *self, guint64 now_ns);

/** A sender says from now on that it has the receiver's answer: at the times at which it would ask, by
 * one packet without padding, which the caller protects. */
void gst_tfrc_key_sending_prove (GstTfrcKeySending *self, guint64 now_ns);

/** This number of bytes has come from the address. */
void gst_tfrc_key_sending_add_credit (GstTfrcKeySending *self, gsize bytes);

/** Returns when a sender's next packet leaves; G_MAXUINT64: none does. */
guint64 gst_tfrc_key_sending_next_ns (const GstTfrcKeySending *self);

/** The sender's next packet leaves now, if there is one. */
void gst_tfrc_key_sending_hurry (GstTfrcKeySending *self, guint64 now_ns);

/** A packet that gives a cookie has come to a sender.
 * @return TRUE if the cookie is for the message or question that is leaving, and another one than the
 *   one before: the message leaves again from its start, and the caller may hurry it */
gboolean gst_tfrc_key_sending_take_cookie (GstTfrcKeySending *self, const GstTfrcKeyPacket *packet);

/** Returns whether messages do not leave with this cookie already. */
gboolean gst_tfrc_key_sending_is_other_cookie (
    const GstTfrcKeySending *self, const guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES]);

/** A sender's question has given a receiver another cookie: the request leaves with it, and begins anew if
 * it is leaving. */
void gst_tfrc_key_sending_set_cookie (
    GstTfrcKeySending *self, const guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES]);

/** Returns whether this is the cookie that a sender's last questions have given.  The comparison takes the
 * same time for all data. */
gboolean gst_tfrc_key_sending_has_given (
    const GstTfrcKeySending *self, const guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES]);

/** Returns whether this is the message that is leaving. */
gboolean gst_tfrc_key_sending_is_busy_with (const GstTfrcKeySending *self, GBytes *message);

/** Writes the next key packet, without looking at the time.
 * @param rtt_ns R, for the time of a sender's next one; 0: unknown
 * @param buffer GST_TFRC_KEY_PACKET_MAX_BYTES
 * @return bytes written; 0: none waits, or a receiver's credit does not suffice */
gsize gst_tfrc_key_sending_write (
    GstTfrcKeySending *self, guint32 own_ssrc, guint64 rtt_ns, guint64 now_ns, guint8 *buffer);

/** Prints to stderr what leaves. */
void gst_tfrc_key_sending_print (const GstTfrcKeySending *self);

/** Returns the text of an invariant that does not hold; NULL: all hold.  For tests. */
const gchar *gst_tfrc_key_sending_check (const GstTfrcKeySending *self);

G_END_DECLS
#endif
