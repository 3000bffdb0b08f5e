/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits of what other hosts can make an end do by key packets: how many messages are read, which
 * costs about a millisecond with RSA and a few microseconds with a passphrase, and how many cheap
 * answers leave.
 *
 * An offer of another mode than the receiver's, such as one by a private key for one that has a
 * passphrase, is no message that is read, and costs no token. 10 of them a second (10 at once) are
 * refused with an answer, so that the sender can tell its user.
 *
 * | end | messages read a second | from one host (or some that share its bucket) | cheap answers a second |
 * |---|---|---|---|
 * | sender | 1, burst 2 | no limit of its own: one peer | 1, burst 2 |
 * | receiver, passphrase | 500, burst 500 | 20, burst 40 | 50, burst 50 |
 * | receiver, RSA | 20, burst 20 | 2, burst 4 | 50, burst 50 |
 *
 * Hosts that have returned a receiver's cookie (contacts.h) have tokens of their own, as many, so that a
 * flood from forged addresses takes none of theirs; so have requests with the cookie of the sender's
 * question (keysending.h). The places of a receiver's contacts are taken at the
 * same rates as messages are read.
 *
 * No clock, no locks. */
#ifndef GST_TFRC_KEYLIMITS_H
#define GST_TFRC_KEYLIMITS_H

#include "../security/srtp.h"
#include "../strangers/cookies.h"

G_BEGIN_DECLS

typedef struct _GstTfrcKeyLimits GstTfrcKeyLimits;

/** @param has_psk messages are made with a passphrase
 * @param secret of a receiver: random bytes that no peer can know; GST_TFRC_SECRET_BYTES; copied. NULL
 *   is allowed for a sender
 * @return never NULL; to be freed with gst_tfrc_key_limits_free() */
GstTfrcKeyLimits *gst_tfrc_key_limits_new (
    GstTfrcSrtpEnd end, gboolean has_psk, const guint8 *secret);

/** NULL is allowed. */
void gst_tfrc_key_limits_free (GstTfrcKeyLimits *self);

/** A message is to be read, or a request to be made.
 * @param from of a receiver: the host that causes it
 * @param is_proven the host has returned a cookie of this end
 * @return FALSE if the limit of the host or of all is reached */
gboolean gst_tfrc_key_limits_may_read (
    GstTfrcKeyLimits *self, const GstTfrcAddress *from, gboolean is_proven, guint64 now_ns);

/** Returns what gst_tfrc_key_limits_may_read() would for a host that is not proven, and takes
 * nothing. */
gboolean gst_tfrc_key_limits_could_read (
    const GstTfrcKeyLimits *self, const GstTfrcAddress *from, guint64 now_ns);

/** A host is to take a place among a receiver's contacts. */
gboolean gst_tfrc_key_limits_may_take_place (
    GstTfrcKeyLimits *self, const GstTfrcAddress *from, gboolean is_proven, guint64 now_ns);

/** A cheap answer is to leave: an offer or an answer once more, or an empty key packet. */
gboolean gst_tfrc_key_limits_may_answer (GstTfrcKeyLimits *self, guint64 now_ns);

/** Returns what gst_tfrc_key_limits_may_answer() would, and takes nothing. */
gboolean gst_tfrc_key_limits_could_answer (const GstTfrcKeyLimits *self, guint64 now_ns);

/** A sender's message is to leave at once, with a cookie. */
gboolean gst_tfrc_key_limits_may_hurry (GstTfrcKeyLimits *self, guint64 now_ns);

/** An offer of another mode is to be refused with an answer. */
gboolean gst_tfrc_key_limits_may_refuse (GstTfrcKeyLimits *self, guint64 now_ns);

G_END_DECLS
#endif
