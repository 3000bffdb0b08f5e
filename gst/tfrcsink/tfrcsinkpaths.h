/* Where a sender's packets go: to the receiver's address, and to another one if
 * the receiver has moved (RFC 9000 section 9): only when it has answered from
 * there; and back, if that path does not carry packets of data.
 *
 * No socket and no locks.  Whether a packet is the receiver's is the session's
 * business. */
#ifndef TFRC_SINK_PATHS_H
#define TFRC_SINK_PATHS_H

#include <tfrc/path.h>

#include "../common/tfrcaddress.h"
#include "../common/tfrctokenbucket.h"
#include "tfrctspacketizer.h"

G_BEGIN_DECLS

/** Addresses that are validated at a time.  Forged feedback is not to keep the
 * receiver's own from its turn. */
#define TFRC_SINK_CANDIDATES 4

/** The size of a challenge that shows that packets of data get through */
#define TFRC_SINK_CHALLENGE_BYTES (TFRC_WIRE_MAX_HEADER_BYTES + TFRC_TS_PAYLOAD_BYTES)

typedef enum
{
  TFRC_ALLOW_MIGRATION_NEVER,
  TFRC_ALLOW_MIGRATION_AUTHENTICATED, /**< nothing is authenticated yet: never */
  TFRC_ALLOW_MIGRATION_ALWAYS
} TfrcAllowMigration;

/** An address that feedback has come from */
typedef struct
{
  TfrcAddress address; /* "no address": this place is free */
  TfrcPath *path;      /* of the place: goes on with the next candidate there */
  gboolean has_number; /* the next is valid */
  guint32 number;      /* of its newest feedback, or what that has to be above */
  gboolean announced;  /* ... which tells of a handover */
  guint64 heard_ns;
  gboolean was_left; /* it was the receiver's: not to answer is no failure */
} TfrcSinkCandidate;

typedef struct
{
  TfrcAllowMigration allow;
  TfrcAddress peer; /* that data goes to */
  TfrcSinkCandidate candidates[TFRC_SINK_CANDIDATES];
  TfrcTokenBucket challenges; /* to candidates: 10 at once, 10 per second */
  TfrcPath *path;             /* to the peer, while it is only TFRC_PATH_REACHED */
  TfrcAddress fallback;       /* that data went to before; "no address": the path is in order */
  guint64 fallback_rtt_ns;    /* R there */
  gboolean
      is_new_path; /* the last change of the peer was to another host, of which the receiver has not told */
  guint64 migrations; /* to another address, not back */
  guint64 failures;   /* of validation */
} TfrcSinkPaths;

void tfrc_sink_paths_init (TfrcSinkPaths *paths, const TfrcAddress *peer, TfrcAllowMigration allow);

/** Frees what tfrc_sink_paths_init() has allocated. */
void tfrc_sink_paths_clear (TfrcSinkPaths *paths);

/** May the receiver move? */
gboolean tfrc_sink_paths_can_move (const TfrcSinkPaths *paths);

/** Feedback of the receiver that is newer than all that was used has come from
 * another address.
 * @param bytes UDP payload of the packet
 * @param rtcp the feedback, which has a number
 * @param rtt_ns R; 0: unknown */
void tfrc_sink_paths_on_feedback (TfrcSinkPaths *paths, const TfrcAddress *from, gsize bytes,
    const TfrcWireRtcp *rtcp, guint64 rtt_ns, guint64 now_ns);

typedef enum
{
  TFRC_RESPONSE_REFUSED, /**< not to a challenge that was sent there */
  TFRC_RESPONSE_USED,
  TFRC_RESPONSE_MOVED /**< the receiver has another address now */
} TfrcResponseResult;

/** A response has come.
 * @param used_number of the newest feedback that was used: who has said nothing
 *   newer from the new address has not moved there last
 * @param rtt_ns R to where data goes so far; 0: unknown */
TfrcResponseResult tfrc_sink_paths_on_response (TfrcSinkPaths *paths, const TfrcAddress *from,
    const guint8 *data, guint32 used_number, guint64 rtt_ns, guint64 now_ns);

/** When one of the next two has something to do. */
guint64 tfrc_sink_paths_next_ns (const TfrcSinkPaths *paths);

/** Gives up what has taken too long.
 * @return whether data goes to the address before again */
gboolean tfrc_sink_paths_on_time (TfrcSinkPaths *paths, guint64 now_ns);

/** Takes the next challenge that is due.
 * @param to set to where it goes
 * @param data set to what it asks to be repeated
 * @return its size; 0: none is due */
gsize tfrc_sink_paths_take_challenge (
    TfrcSinkPaths *paths, guint64 now_ns, TfrcAddress *to, guint8 *data);

G_END_DECLS
#endif
