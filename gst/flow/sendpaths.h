/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Migration of the receiver (RFC 9000 section 9): where the sender's packets go.  The places of other
 * addresses, their challenges and limits are gst/strangers/candidates.h's.
 *
 * Terms, as in RFC 9000:
 *
 * - A path is an address of the receiver. The active path is the one that data goes to.
 * - A probed path is an address that newer feedback has come from. The sender validates the path
 *   (section 8.2): it sends challenges there and waits for a response. Until the response, no more
 *   bytes are sent there than came from there (the anti-amplification limit, with a factor of 1).
 * - A migration makes a probed path the active path, after the first response.
 * - The active path is validated when a challenge of full size has been answered, too. Until then
 *   the path that was active before is the fallback: data goes there again if validation fails.
 * - The previous path is the one that a migration has left. The sender challenges it as well
 *   (section 9.3.3): if the receiver answers from there with newer feedback, it has not moved, and
 *   the migration was caused by copied feedback. Once there was a response from there, newer feedback
 *   leads back at once: copies that come right after it cannot hold the stream.
 *
 * A sender that was called has a local address for each path: the one of this host that the receiver has called, or that
 * its newest feedback from there has come to. What goes to the path leaves from there, because a NAT or a firewall before
 * the receiver, and the receiver itself, expect it from there. At another sender the system chooses, as its routes say.
 *
 * The active path:
 *
 *                      migration (A)
 *        VALIDATED --------------------> ON TRIAL --+ migration: the fallback
 *          ^   ^                          |  |  ^   | stays as it is
 *          |   |     full-size response   |  |  +---+
 *          |   +--------------------------+  |
 *          |     none in time: data goes     |
 *          +--- to the fallback again -------+
 *
 *        (A) straight to VALIDATED, if the address has carried a challenge of full size, or is the
 *        fallback
 *
 * Any other address:
 *
 *                   newer feedback                      a response
 *        FREE -------------------------> PROBED -------------------------> the active path
 *                                          ^
 *                                          | newer feedback
 *                   migration              |                    newer feedback
 *        the active path -----------> PREVIOUS -----> ANSWERED -----------------> the active path
 *                                             a response
 *        any of them -> FREE: no response in time, the place is needed, or a response when newer
 *        feedback has been used already
 *
 *     transition                               function
 *     FREE, PREVIOUS -> PROBED                 gst_tfrc_send_paths_on_feedback()
 *     PROBED -> active                         gst_tfrc_send_paths_on_response()
 *     PREVIOUS -> ANSWERED                     gst_tfrc_send_paths_on_response()
 *     ANSWERED -> active                       gst_tfrc_send_paths_on_feedback()
 *     active -> PREVIOUS, VALIDATED, ON TRIAL  with the migration, by the function that has it
 *     ON TRIAL -> VALIDATED                    gst_tfrc_send_paths_on_response()
 *     ON TRIAL -> VALIDATED, at the fallback   gst_tfrc_send_paths_on_time()
 *     any place -> FREE                        gst_tfrc_send_paths_on_time(), .._on_response(),
 *                                              .._on_feedback() for another address
 *
 * Only the last previous path becomes ANSWERED. gst_tfrc_send_paths_check() has what always holds;
 * scripts/gdb-tfrc.py prints the paths in gdb.
 *
 * No socket and no lock. The session decides whether a packet is the receiver's. */
#ifndef GST_TFRC_SENDPATHS_H
#define GST_TFRC_SENDPATHS_H

#include "../io/datagrams.h"
#include "../queue/packet.h"
#include "../strangers/candidates.h"
#include "flow.h"

G_BEGIN_DECLS

/** The size of a challenge that proves that packets of data get through, with or without element 3.
 * Protection adds 4 bytes more to a challenge
 * than to data. */
#define GST_TFRC_SEND_CHALLENGE_BYTES \
  (TFRC_WIRE_MAX_HEADER_BYTES + GST_TFRC_PACKET_MAX_PAYLOAD_BYTES)

typedef enum
{
  GST_TFRC_ALLOW_MIGRATION_NEVER,
  GST_TFRC_ALLOW_MIGRATION_AUTHENTICATED, /**< if the receiver's packets are authenticated */
  GST_TFRC_ALLOW_MIGRATION_ALWAYS
} GstTfrcAllowMigration;

typedef struct
{
  GstTfrcCandidate base; /* the first field; the SSRC is 0, as the address alone counts */
  gboolean has_number;   /* number is valid */
  guint32 number;        /* of the newest feedback from there; of a previous path: the number that
                          feedback has to exceed */
  gboolean announced;    /* the newest feedback notifies of a handover */
  gboolean is_previous;  /* a previous path: a missing response is not a failure */
  GstTfrcAddress local;  /* of this host, that the newest feedback from there has come to */
} GstTfrcSendProbedPath;

typedef struct
{
  gboolean can_migrate;
  GstTfrcAddress peer; /* the active path */
  GstTfrcAddress
      local; /* of this host, for that path; "no address": the system chooses for all paths */
  gboolean is_local_lost; /* packets leave from elsewhere, as the host has lost that address */
  GstTfrcCandidates candidates; /* the pool of the places in probed */
  GstTfrcSendProbedPath probed[GST_TFRC_CANDIDATES];
  GstTfrcAddress previous; /* the last previous path; "no address": none */
  TfrcPath *path;          /* the active path, while fallback is set */
  GstTfrcAddress fallback; /* "no address": the active path is validated */
  GstTfrcAddress fallback_local;
  guint64 fallback_rtt_ns; /* R on the fallback */
  gboolean is_new_path;    /* the last change was to another host, and no handover announced it */
  guint64 new_path_rtt_ns; /* R there; 0: unknown */
  guint64 migrations;      /* to another address; without the returns to a fallback */
  guint64 failures;        /* of path validation */
} GstTfrcSendPaths;

/** Begins with the active path alone. Must not be copied afterwards.
 * @param local the address of this host that the receiver has called; "no address": the system chooses
 * @param is_authenticated feedback is known to be the receiver's before the session reads it */
void gst_tfrc_send_paths_init (GstTfrcSendPaths *paths, const GstTfrcAddress *peer,
    const GstTfrcAddress *local, GstTfrcAllowMigration allow, gboolean is_authenticated);

/** Frees the memory of gst_tfrc_send_paths_init(). */
void gst_tfrc_send_paths_clear (GstTfrcSendPaths *paths);

/** May the receiver migrate? */
gboolean gst_tfrc_send_paths_can_migrate (const GstTfrcSendPaths *paths);

/** Returns the address of the active path, where data goes. */
const GstTfrcAddress *gst_tfrc_send_paths_get_peer (const GstTfrcSendPaths *paths);

/** Returns the address of this host that packets to the active path leave from; "no address": the system chooses. */
const GstTfrcAddress *gst_tfrc_send_paths_get_local (const GstTfrcSendPaths *paths);

/** The receiver has called this address of the host, or its newest feedback on the active path has come there. Without
 * effect if the system chooses. */
void gst_tfrc_send_paths_set_local (GstTfrcSendPaths *paths, const GstTfrcAddress *local);

/** Datagrams have left, or not. That the host has lost the local address is logged once. */
void gst_tfrc_send_paths_on_sent (GstTfrcSendPaths *paths, const GstTfrcPolled *polled);

/** Says whether the last change was to another host, and no handover had announced it.
 * @param rtt_ns set to R there; 0: unknown */
gboolean gst_tfrc_send_paths_is_new_path (const GstTfrcSendPaths *paths, guint64 *rtt_ns);

/** Returns whether the active path is validated: challenges of full size get through. */
gboolean gst_tfrc_send_paths_is_validated (const GstTfrcSendPaths *paths);

/** Returns how often data went to another address, without the returns to a fallback; and how often
 * a validation failed. */
guint64 gst_tfrc_send_paths_get_migrations (const GstTfrcSendPaths *paths);
guint64 gst_tfrc_send_paths_get_failures (const GstTfrcSendPaths *paths);

/** Feedback of the receiver has come from another address than the active path's, and is newer than
 * all feedback that was used: probes that address.
 * @param packet with the feedback
 * @param rtcp the feedback, which has a number
 * @param rtt_ns R; 0: unknown
 * @return TRUE if that address is the active path now: it was the previous path, and there has been
 *   a response from there */
gboolean gst_tfrc_send_paths_on_feedback (GstTfrcSendPaths *paths,
    const GstTfrcReceivedPacket *packet, const TfrcWireRtcp *rtcp, guint64 rtt_ns);

typedef enum
{
  GST_TFRC_RESPONSE_REFUSED, /**< not to a challenge that was sent there */
  GST_TFRC_RESPONSE_USED,
  GST_TFRC_RESPONSE_MIGRATED /**< another path is active now */
} GstTfrcResponseResult;

/** Handles the response to a challenge.
 * @param used_number the number of the newest feedback that was used. A probed path that has
 *   brought no newer feedback is not where the receiver moved last.
 * @param rtt_ns R on the active path; 0: unknown */
GstTfrcResponseResult gst_tfrc_send_paths_on_response (GstTfrcSendPaths *paths,
    const GstTfrcAddress *from, const guint8 *data, guint32 used_number, guint64 rtt_ns,
    guint64 now_ns);

/** Returns when one of the next two functions has something to do. */
guint64 gst_tfrc_send_paths_next_ns (const GstTfrcSendPaths *paths);

/** Gives up paths whose validation has taken too long.
 * @return TRUE if data goes to the fallback again */
gboolean gst_tfrc_send_paths_on_time (GstTfrcSendPaths *paths, guint64 now_ns);

/** Takes the next challenge that is due.
 * @param to set to the destination
 * @param local set to the address of this host to send from; "no address": the system chooses
 * @param data set to the bytes that the response has to repeat, TFRC_WIRE_PATH_DATA_BYTES
 * @return the size of the challenge; 0: no challenge is due */
gsize gst_tfrc_send_paths_take_challenge (GstTfrcSendPaths *paths, guint64 now_ns,
    GstTfrcAddress *to, GstTfrcAddress *local, guint8 *data);

/** Returns the invariant that does not hold, as text; NULL: all hold. For tests and gdb. */
const gchar *gst_tfrc_send_paths_check (const GstTfrcSendPaths *paths);

G_END_DECLS
#endif
