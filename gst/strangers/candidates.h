/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Candidates: addresses at which a peer may be, in a fixed number of places. A receiver has the
 * senders that could become its peer (pending.h), a sender the addresses that its receiver may have
 * moved to (gst/flow/sendpaths.h). What a candidate has to show, and what follows, is the role's.
 *
 * - A further address takes a free place, or else that of the weakest candidate: candidates that are
 *   not validated give way first, and of them the one that has been silent for the longest time.
 *   Forged packets from many addresses so cannot keep a host out that goes on sending.
 * - The address is challenged (validation.h). Until it has responded, no more packets and bytes leave
 *   for it than came from there (tfrc/path.h).
 * - A challenge takes a token of its host and of all (hostlimits.h), and waits while there is none.
 *
 * A role embeds GstTfrcCandidate as the first field of its own places, so that the pool knows nothing
 * else of them. No clock, no locks. */
#ifndef GST_TFRC_CANDIDATES_H
#define GST_TFRC_CANDIDATES_H

#include "hostlimits.h"

G_BEGIN_DECLS

/** Places of either role. A receiver that has moved, or a sender that begins, needs one; three more
 * leave it the time for a response while others forge packets. Each costs a few kB at a receiver. */
#define GST_TFRC_CANDIDATES 4

/** One stream of one host; all zero: none */
typedef struct
{
  gboolean exists;
  GstTfrcAddress address;
  guint32 ssrc; /**< 0 where the address alone identifies */
} GstTfrcPeerId;

/** Returns whether this is the peer's address and SSRC. */
gboolean gst_tfrc_peer_id_is (const GstTfrcPeerId *id, const GstTfrcAddress *address, guint32 ssrc);

/** Returns whether this is the peer's address, whichever the SSRC. */
gboolean gst_tfrc_peer_id_is_at (const GstTfrcPeerId *id, const GstTfrcAddress *address);

/** A place. The role changes @a validated, @a heard_ns, @a is_mute and what @a path has to be told. */
typedef struct
{
  GstTfrcPeerId id;   /**< exists is FALSE: the place is free */
  gboolean validated; /**< gives way after those that are not */
  guint64 heard_ns;   /**< when the last packet of any kind came */
  gboolean is_mute;   /**< cannot respond, and so gets no challenges */
  TfrcPath *path;     /**< the challenges; belongs to the place, and stays for its next address */
  guint host;         /**< its bucket, of gst_tfrc_host_limits_find() */
  gboolean waits;     /**< a challenge is due and has no token */
} GstTfrcCandidate;

/** For candidates.c alone. Points to the role's places, and so must not be copied. */
typedef struct
{
  GstTfrcHostLimits challenges;
  GstTfrcCandidate *places[GST_TFRC_CANDIDATES];
} GstTfrcCandidates;

/** Begins without places; gst_tfrc_candidates_set_place() is to be called for each. To be cleared with
 * gst_tfrc_candidates_clear().
 * @param rates of challenges
 * @param key as gst_tfrc_host_limits_init() has it */
void gst_tfrc_candidates_init (
    GstTfrcCandidates *self, const GstTfrcHostRates *rates, const GstTfrcCookies *key);

/** Frees the paths of the places as well. */
void gst_tfrc_candidates_clear (GstTfrcCandidates *self);

/** Gives the pool a place.
 * @param i 0 .. GST_TFRC_CANDIDATES - 1
 * @param place all zero; the role's, valid as long as the pool */
void gst_tfrc_candidates_set_place (GstTfrcCandidates *self, guint i, GstTfrcCandidate *place);

/** Returns the candidate with this address and SSRC; NULL: none. */
GstTfrcCandidate *gst_tfrc_candidates_find (
    const GstTfrcCandidates *self, const GstTfrcAddress *address, guint32 ssrc);

/** Returns whether the first gives way before the second does. */
gboolean gst_tfrc_candidate_is_weaker (const GstTfrcCandidate *a, const GstTfrcCandidate *b);

/** Returns the place that the next candidate takes. If it is not free, the role first ends what it
 * has with the candidate there, and calls gst_tfrc_candidate_leave(). */
GstTfrcCandidate *gst_tfrc_candidates_get_weakest (const GstTfrcCandidates *self);

/** Gives a free place to an address. The role starts its challenges. */
void gst_tfrc_candidates_enter (GstTfrcCandidates *self, GstTfrcCandidate *place,
    const GstTfrcAddress *address, guint32 ssrc, guint64 now_ns);

/** Makes a place free. */
void gst_tfrc_candidate_leave (GstTfrcCandidate *place);

/** Returns when a candidate's challenge may leave, or the time for its validation is up;
 * G_MAXUINT64: never. While a challenge waits for a token, the end of the validation may
 * wait, too, for one token at most. */
guint64 gst_tfrc_candidates_next_of_ns (
    const GstTfrcCandidates *self, const GstTfrcCandidate *place);

/** Returns the earliest of these times of all candidates. */
guint64 gst_tfrc_candidates_next_ns (const GstTfrcCandidates *self);

/** Takes the next challenge that is due. The caller sends the challenge at once.
 * @param data set to the challenge's data
 * @param size set to its size
 * @return the candidate that the challenge goes to; NULL: none is due */
GstTfrcCandidate *gst_tfrc_candidates_take_challenge (
    GstTfrcCandidates *self, guint64 now_ns, guint8 data[TFRC_WIRE_PATH_DATA_BYTES], gsize *size);

/** Takes a token for a challenge to a host without a place.
 * @return FALSE: there is none */
gboolean gst_tfrc_candidates_take_token (
    GstTfrcCandidates *self, const GstTfrcAddress *host, guint64 now_ns);

/** Returns the invariant that does not hold, as text; NULL: all hold. For tests and gdb. */
const gchar *gst_tfrc_candidates_check (const GstTfrcCandidates *self);

G_END_DECLS
#endif
