/* Who owns a source: whose data goes to the pipeline, and who gets feedback.
 * The rules are in docs/decisions.md, "Who owns a source".
 *
 * A packet is the owner's or may make its sender a candidate
 * (tfrcsrccandidates.h).  After each packet, and when time is up, the owner may
 * have a successor, or may have ended.
 *
 * No socket, no clock, no locks. */
#ifndef TFRC_SRC_OWNERSHIP_H
#define TFRC_SRC_OWNERSHIP_H

#include <tfrc/wire.h>

#include "tfrcsrccandidates.h"
#include "tfrcsrcfilter.h"
#include "tfrcsrchello.h"
#include "tfrcsrcowner.h"

G_BEGIN_DECLS

/** An owner that is not proven and has been silent so long gives way to a
 * sender that is not proven either.  An idle tfrcsink is heard more often than
 * that, by its reports (RFC 8083). */
#define TFRC_SRC_TAKEOVER_NS (5 * G_GUINT64_CONSTANT (1000000000))

typedef enum
{
  TFRC_SRC_FOREIGN, /**< to be counted and ignored */
  TFRC_SRC_NOTED,   /**< kept, or of use here: nothing else to do */
  TFRC_SRC_OWNERS   /**< of the owner: to be taken */
} TfrcSrcVerdict;

typedef struct
{
  TfrcSrcFilter filter;
  gboolean keep_listening; /**< the next stream may follow when one has ended */
  TfrcSrcCandidates candidates;
  TfrcSrcHello hello;

  TfrcSrcOwner owner;
  TfrcSrcSender ended; /**< the last owner, which has said BYE; none: it has
                                 * not, or there is another one */
  guint64 ended_ns;
  gboolean has_end;        /**< that has not been told yet */
  TfrcSrcSender displaced; /**< the last proven owner that lost the source */
} TfrcSrcOwnership;

/** Begins without an owner.
 * @param secret random bytes that no peer can know */
void tfrc_src_ownership_init (TfrcSrcOwnership *self, const TfrcSrcFilter *filter,
    gboolean keep_listening, const guint8 secret[TFRC_SRC_SECRET_BYTES], guint64 now_ns);

/** Frees what tfrc_src_ownership_init() has allocated. */
void tfrc_src_ownership_clear (TfrcSrcOwnership *self);

/** A data packet has come. */
TfrcSrcVerdict tfrc_src_ownership_on_data (
    TfrcSrcOwnership *self, const TfrcReceivedPacket *packet, const TfrcWireData *header);

/** An RTCP compound has come.
 * @param rtt_ns R of the owner's stream, 0: unknown */
TfrcSrcVerdict tfrc_src_ownership_on_rtcp (TfrcSrcOwnership *self, const TfrcReceivedPacket *packet,
    const TfrcWireRtcp *rtcp, guint64 rtt_ns);

/** To be called when tfrc_src_ownership_next_ns() is reached. */
void tfrc_src_ownership_on_time (TfrcSrcOwnership *self, guint64 now_ns);

/** Makes the candidate that should own the source its owner.  To be called after
 * anything has happened.
 * @return the candidate, whose packets are to be taken before
 *   tfrc_src_candidates_release(); NULL: the owner stays */
TfrcSrcCandidate *tfrc_src_ownership_take_successor (TfrcSrcOwnership *self, guint64 now_ns);

/** The owner cannot be served. */
void tfrc_src_ownership_abandon (TfrcSrcOwnership *self);

/** Tells once that the owner's stream has ended. */
gboolean tfrc_src_ownership_take_end (TfrcSrcOwnership *self);

/** When tfrc_src_ownership_on_time() or tfrc_src_ownership_write_challenge() has
 * something to do. */
guint64 tfrc_src_ownership_next_ns (const TfrcSrcOwnership *self);

/** Writes the next challenge that is due.
 * @param buffer TFRC_WIRE_MAX_RTCP_BYTES
 * @param to where it goes
 * @param local address to send it from; "no address": the one in use
 * @return its size; 0 if none is due */
gsize tfrc_src_ownership_write_challenge (TfrcSrcOwnership *self, guint32 own_ssrc, guint64 now_ns,
    guint8 *buffer, TfrcAddress *to, TfrcAddress *local);

G_END_DECLS
#endif
