/* Senders that do not own a source, but might: what they sent lately, and
 * whether they have proven that they receive what is sent to their address.
 *
 * A candidate is proven when it repeats the 8 bytes of a challenge (RTCP APP
 * "TFRC", subtype 2, docs/wire-format.md).  The bytes are a keyed hash (HMAC,
 * RFC 2104) of the candidate's address and the time.  So a response proves a sender
 * even if others have taken its place here in the meantime, as SYN cookies do
 * (RFC 4987 section 3.6), or if the challenge was meant for a stream that somebody
 * else has made up at the same address.  It counts for 10 to 20 s.
 *
 * A candidate is plausible when two of its data packets in sequence have come
 * (RFC 3550 appendix A.1), and either they carry no TFRC element, as plain RTP
 * knows no challenges, or it has left challenges unanswered for a second, as
 * older TFRC senders do.
 *
 * Bounds: 4 candidates, 8 packets of each.  An address gets at most as many
 * challenges, and as many bytes, as packets have come from it; a host at most
 * 20 challenges in a second, all hosts at most 500.
 *
 * No socket, no clock, no locks. */
#ifndef GST_TFRC_SRCCANDIDATES_H
#define GST_TFRC_SRCCANDIDATES_H

#include <glib.h>
#include <tfrc/path.h>

#include "../io/datagrams.h"
#include "../common/tokenbucket.h"

G_BEGIN_DECLS

#define GST_TFRC_SRC_CANDIDATES 4
#define GST_TFRC_SRC_HELD_PACKETS 8

/** A candidate that has been silent so long is forgotten.  An idle tfrcsink is
 * heard every 3.9 s. */
#define GST_TFRC_SRC_CANDIDATE_SILENCE_NS (5 * G_GUINT64_CONSTANT (1000000000))

/** A sender that leaves challenges unanswered for so long knows none. */
#define GST_TFRC_SRC_UNANSWERED_NS G_GUINT64_CONSTANT (1000000000)

#define GST_TFRC_SRC_SECRET_BYTES 32
#define GST_TFRC_SRC_HOST_BUCKETS 64

/** A data packet, with copies of all that it points to */
typedef struct
{
  TfrcWireData header;
  GstTfrcReceivedPacket packet;
  GstTfrcAddress from;
  guint8 data[GST_TFRC_MAX_PACKET_BYTES];
} GstTfrcSrcHeldPacket;

typedef struct
{
  gboolean in_use;
  GstTfrcAddress address;
  guint32 ssrc;
  GstTfrcAddress local; /**< of this host, that its last packet came to */
  gboolean proven;
  gboolean has_data;    /**< a data packet has come */
  gboolean tfrc;        /**< the last one carried what TFRC needs */
  gboolean in_sequence; /**< two in sequence have come */
  guint16 seq;          /**< of the last one */
  guint64 heard_ns;
  guint64 challenged_ns; /**< the first challenge; G_MAXUINT64: none yet */
  gboolean is_mute;      /**< it has left challenges unanswered for long */

  TfrcPath *path; /**< its challenges */
  guint host_bucket;
  guint64 blocked_ns; /**< no token for a challenge before */

  TfrcWireRtcp report;      /**< its last sender report, if that has_sr */
  guint64 report_ns;        /**< when it came */
  guint first_held, n_held; /**< a ring */
  GstTfrcSrcHeldPacket held[GST_TFRC_SRC_HELD_PACKETS];
} GstTfrcSrcCandidate;

typedef struct
{
  guint8 secret[GST_TFRC_SRC_SECRET_BYTES];
  GstTfrcSrcCandidate candidates[GST_TFRC_SRC_CANDIDATES];
  GstTfrcTokenBucket all;
  GstTfrcTokenBucket hosts[GST_TFRC_SRC_HOST_BUCKETS];
  guint64 dropped_packets; /**< that were held, and never taken */
} GstTfrcSrcCandidates;

/** Begins with no candidate.
 * @param secret random bytes that no peer can know */
void gst_tfrc_src_candidates_init (
    GstTfrcSrcCandidates *self, const guint8 secret[GST_TFRC_SRC_SECRET_BYTES]);

/** Frees the memory of gst_tfrc_src_candidates_init(). */
void gst_tfrc_src_candidates_clear (GstTfrcSrcCandidates *self);

/** Writes what a challenge to this address asks to be repeated. */
void gst_tfrc_src_candidates_get_cookie (const GstTfrcSrcCandidates *self,
    const GstTfrcAddress *address, guint64 now_ns, guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES]);

/** Begins challenges to this address, which ask for its cookie. */
void gst_tfrc_src_candidates_start_path (const GstTfrcSrcCandidates *self, TfrcPath *path,
    const GstTfrcAddress *address, guint64 now_ns);

/** A data packet of a candidate, which is copied.
 * @return the candidate */
GstTfrcSrcCandidate *gst_tfrc_src_candidates_on_data (
    GstTfrcSrcCandidates *self, const GstTfrcReceivedPacket *packet, const TfrcWireData *header);

/** A sender report of a candidate, which is kept.  One that has nothing else to send is
 * challenged again each time: that tells it that somebody is here. */
void gst_tfrc_src_candidates_on_sender_report (
    GstTfrcSrcCandidates *self, const GstTfrcReceivedPacket *packet, const TfrcWireRtcp *report);

/** Tells whether this is a cookie of the address, and not too old. */
gboolean gst_tfrc_src_candidates_is_cookie (const GstTfrcSrcCandidates *self,
    const GstTfrcAddress *address, guint64 now_ns, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES]);

/** A response with the right data: its sender is proven from now on, whether it
 * has a place already or not. */
void gst_tfrc_src_candidates_on_proof (GstTfrcSrcCandidates *self,
    const GstTfrcReceivedPacket *packet, guint32 ssrc,
    const guint8 data[TFRC_WIRE_PATH_DATA_BYTES]);

/** Time has passed: candidates that have been silent for too long are
 * forgotten. */
void gst_tfrc_src_candidates_on_time (GstTfrcSrcCandidates *self, guint64 now_ns);

/** When gst_tfrc_src_candidates_on_time() or gst_tfrc_src_candidates_take_challenge()
 * has something to do. */
guint64 gst_tfrc_src_candidates_next_ns (const GstTfrcSrcCandidates *self);

/** Returns the candidate that should own the source, among those of which data
 * has come: one that is proven, otherwise one that is plausible; NULL: none. */
const GstTfrcSrcCandidate *gst_tfrc_src_candidates_get_best (const GstTfrcSrcCandidates *self);

/** Returns the packet number @a i of those that are held, 0 being the oldest. */
const GstTfrcSrcHeldPacket *gst_tfrc_src_candidate_get_held (
    const GstTfrcSrcCandidate *candidate, guint i);

/** Forgets the candidate, as its packets have been taken. */
void gst_tfrc_src_candidates_release (GstTfrcSrcCandidate *candidate);

/** Forgets the candidate; what is still held counts as dropped. */
void gst_tfrc_src_candidates_drop (GstTfrcSrcCandidates *self, GstTfrcSrcCandidate *candidate);
void gst_tfrc_src_candidates_drop_all (GstTfrcSrcCandidates *self);

/** Takes the challenge that is due, to be sent at once.
 * @param data what it says
 * @return the candidate that it is for; NULL: none is due */
const GstTfrcSrcCandidate *gst_tfrc_src_candidates_take_challenge (
    GstTfrcSrcCandidates *self, guint64 now_ns, guint8 data[TFRC_WIRE_PATH_DATA_BYTES]);

G_END_DECLS
#endif
