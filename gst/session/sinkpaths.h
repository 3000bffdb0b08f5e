/* Where a sender's packets go: to the receiver's address, and to another one if
 * the receiver has moved (RFC 9000 section 9): only when it has answered from
 * there; and back, if that path does not carry packets of data.
 *
 * No socket and no locks.  Whether a packet is the receiver's is the session's
 * business. */
#ifndef GST_TFRC_SINKPATHS_H
#define GST_TFRC_SINKPATHS_H

#include <tfrc/path.h>

#include "../io/address.h"
#include "../common/tokenbucket.h"
#include "../tfrcsink/tspacketizer.h"

G_BEGIN_DECLS

/** Addresses that are validated at a time.  Forged feedback is not to keep the
 * receiver's own from its turn. */
#define GST_TFRC_SINK_CANDIDATES 4

/** The size of a challenge that shows that packets of data get through */
#define GST_TFRC_SINK_CHALLENGE_BYTES (TFRC_WIRE_MAX_HEADER_BYTES + GST_TFRC_TS_PAYLOAD_BYTES)

typedef enum
{
  GST_TFRC_ALLOW_MIGRATION_NEVER,
  GST_TFRC_ALLOW_MIGRATION_AUTHENTICATED, /**< nothing is authenticated yet: never */
  GST_TFRC_ALLOW_MIGRATION_ALWAYS
} GstTfrcAllowMigration;

/** An address that feedback has come from */
typedef struct
{
  GstTfrcAddress address; /* "no address": this place is free */
  TfrcPath *path;
  gboolean has_number; /* the next is valid */
  guint32 number;      /* of its newest feedback, or what that has to be above */
  gboolean announced;  /* ... which tells of a handover */
  guint64 heard_ns;
  gboolean was_left; /* it was the receiver's: not to answer is no failure */
} GstTfrcSinkCandidate;

typedef struct
{
  GstTfrcAllowMigration allow;
  GstTfrcAddress peer; /* that data goes to */
  GstTfrcSinkCandidate candidates[GST_TFRC_SINK_CANDIDATES];
  GstTfrcTokenBucket challenges; /* to candidates: 10 at once, 10 per second */
  TfrcPath *path;                /* to the peer, while it is only TFRC_PATH_REACHED */
  GstTfrcAddress fallback;       /* that data went to before; "no address": the path is in order */
  guint64 fallback_rtt_ns;       /* R there */
  gboolean
      is_new_path; /* the last change of the peer was to another host, of which the receiver has not told */
  guint64 migrations; /* to another address, not back */
  guint64 failures;   /* of validation */
} GstTfrcSinkPaths;

void gst_tfrc_sink_paths_init (
    GstTfrcSinkPaths *paths, const GstTfrcAddress *peer, GstTfrcAllowMigration allow);

/** Frees the memory of gst_tfrc_sink_paths_init(). */
void gst_tfrc_sink_paths_clear (GstTfrcSinkPaths *paths);

/** May the receiver move? */
gboolean gst_tfrc_sink_paths_can_move (const GstTfrcSinkPaths *paths);

/** Feedback of the receiver that is newer than all that was used has come from
 * another address.
 * @param bytes UDP payload of the packet
 * @param rtcp the feedback, which has a number
 * @param rtt_ns R; 0: unknown */
void gst_tfrc_sink_paths_on_feedback (GstTfrcSinkPaths *paths, const GstTfrcAddress *from,
    gsize bytes, const TfrcWireRtcp *rtcp, guint64 rtt_ns, guint64 now_ns);

typedef enum
{
  GST_TFRC_RESPONSE_REFUSED, /**< not to a challenge that was sent there */
  GST_TFRC_RESPONSE_USED,
  GST_TFRC_RESPONSE_MOVED /**< the receiver has another address now */
} GstTfrcResponseResult;

/** A response has come.
 * @param used_number of the newest feedback that was used: who has said nothing
 *   newer from the new address has not moved there last
 * @param rtt_ns R to where data goes so far; 0: unknown */
GstTfrcResponseResult gst_tfrc_sink_paths_on_response (GstTfrcSinkPaths *paths,
    const GstTfrcAddress *from, const guint8 *data, guint32 used_number, guint64 rtt_ns,
    guint64 now_ns);

/** When one of the next two has something to do. */
guint64 gst_tfrc_sink_paths_next_ns (const GstTfrcSinkPaths *paths);

/** Gives up what has taken too long.
 * @return whether data goes to the address before again */
gboolean gst_tfrc_sink_paths_on_time (GstTfrcSinkPaths *paths, guint64 now_ns);

/** Takes the next challenge that is due.
 * @param to set to where it goes
 * @param data set to what it asks to be repeated
 * @return its size; 0: none is due */
gsize gst_tfrc_sink_paths_take_challenge (
    GstTfrcSinkPaths *paths, guint64 now_ns, GstTfrcAddress *to, guint8 *data);

G_END_DECLS
#endif
