/* Who owns a source: whose data goes to the pipeline, and who gets feedback.
 * The rules are in docs/decisions.md, "Who owns a source".
 *
 * A packet is the owner's or may make its sender a candidate
 * (srccandidates.h).  After each packet, and when time is up, the owner may
 * have a successor, or may have ended.
 *
 * No socket, no clock, no locks. */
#ifndef GST_TFRC_SRCOWNERSHIP_H
#define GST_TFRC_SRCOWNERSHIP_H

#include <tfrc/wire.h>

#include "srccandidates.h"
#include "srcfilter.h"
#include "srchello.h"
#include "srcowner.h"

G_BEGIN_DECLS

/** An owner that is not proven and has been silent so long gives way to a
 * sender that is not proven either.  An idle tfrcsink is heard more often than
 * that, by its reports (RFC 8083). */
#define GST_TFRC_SRC_TAKEOVER_NS (5 * G_GUINT64_CONSTANT (1000000000))

typedef enum
{
  GST_TFRC_SRC_FOREIGN, /**< to be counted and ignored */
  GST_TFRC_SRC_NOTED,   /**< kept, or of use here: nothing else to do */
  GST_TFRC_SRC_OWNERS   /**< of the owner: to be taken */
} GstTfrcSrcVerdict;

typedef struct
{
  GstTfrcSrcFilter filter;
  gboolean keep_listening; /**< the next stream may follow when one has ended */
  GstTfrcSrcCandidates candidates;
  GstTfrcSrcHello hello;

  GstTfrcSrcOwner owner;
  GstTfrcSrcSender ended; /**< the last owner, which has said BYE; none: it has
                                 * not, or there is another one */
  guint64 ended_ns;
  gboolean has_end;           /**< that has not been told yet */
  GstTfrcSrcSender displaced; /**< the last proven owner that lost the source */
} GstTfrcSrcOwnership;

/** Begins without an owner.
 * @param secret random bytes that no peer can know */
void gst_tfrc_src_ownership_init (GstTfrcSrcOwnership *self, const GstTfrcSrcFilter *filter,
    gboolean keep_listening, const guint8 secret[GST_TFRC_SRC_SECRET_BYTES], guint64 now_ns);

/** Frees the memory of gst_tfrc_src_ownership_init(). */
void gst_tfrc_src_ownership_clear (GstTfrcSrcOwnership *self);

/** A data packet has come. */
GstTfrcSrcVerdict gst_tfrc_src_ownership_on_data (
    GstTfrcSrcOwnership *self, const GstTfrcReceivedPacket *packet, const TfrcWireData *header);

/** An RTCP compound has come.
 * @param rtt_ns R of the owner's stream, 0: unknown */
GstTfrcSrcVerdict gst_tfrc_src_ownership_on_rtcp (GstTfrcSrcOwnership *self,
    const GstTfrcReceivedPacket *packet, const TfrcWireRtcp *rtcp, guint64 rtt_ns);

/** To be called when gst_tfrc_src_ownership_next_ns() is reached. */
void gst_tfrc_src_ownership_on_time (GstTfrcSrcOwnership *self, guint64 now_ns);

/** Makes the candidate that should own the source its owner.  To be called after
 * anything has happened.
 * @return the candidate, whose packets are to be taken before
 *   gst_tfrc_src_candidates_release(); NULL: the owner stays */
GstTfrcSrcCandidate *gst_tfrc_src_ownership_take_successor (
    GstTfrcSrcOwnership *self, guint64 now_ns);

/** The owner cannot be served. */
void gst_tfrc_src_ownership_abandon (GstTfrcSrcOwnership *self);

/** Tells once that the owner's stream has ended. */
gboolean gst_tfrc_src_ownership_take_end (GstTfrcSrcOwnership *self);

/** When gst_tfrc_src_ownership_on_time() or gst_tfrc_src_ownership_write_challenge() has
 * something to do. */
guint64 gst_tfrc_src_ownership_next_ns (const GstTfrcSrcOwnership *self);

/** Writes the next challenge that is due.
 * @param buffer TFRC_WIRE_MAX_RTCP_BYTES
 * @param to where it goes
 * @param local address to send it from; "no address": the one in use
 * @return its size; 0 if none is due */
gsize gst_tfrc_src_ownership_write_challenge (GstTfrcSrcOwnership *self, guint32 own_ssrc,
    guint64 now_ns, guint8 *buffer, GstTfrcAddress *to, GstTfrcAddress *local);

G_END_DECLS
#endif
