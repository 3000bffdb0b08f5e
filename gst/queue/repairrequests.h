/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which packets a receiver asks its sender for, and when (RFC 4585 section 6.2.1).
 *
 * A packet is missing once a later one has come. It is asked for
 *
 *     at once               while no packet has overtaken another;
 *     after the reordering  that the path has shown, but R/4 at most: to ask for what comes anyway costs a
 *                           packet, and to ask late may cost the viewer one;
 *     again                 when the repair has not come within the time that repairs take, measured as TCP
 *                           measures its retransmission timeout (RFC 6298, Karn's algorithm), at least R; the
 *                           wait doubles with each request that is repeated, until a repair is measured;
 *     no more               when a repair could not be played in time.
 *
 * Numbers are those of the movie's RTP packets, extended to 64 bits.
 *
 * No lock and no clock. */
#ifndef GST_TFRC_REPAIRREQUESTS_H
#define GST_TFRC_REPAIRREQUESTS_H

#include <glib.h>

G_BEGIN_DECLS

/** Packets that are asked for at the same time, at most: what one NACK can name in a row. After a longer outage
 * the newest are asked for, which have the most time. */
#define GST_TFRC_REPAIR_REQUESTS_MAX 256

/** A sender that has answered none of so many requests in a row does not know repairs, or the way back is
 * broken: it is asked no more for GST_TFRC_REPAIR_REQUESTS_PAUSE_NS, so that requests cost next to nothing. Of
 * the requests within the time that a repair may take one counts, as none can have been answered yet. */
#define GST_TFRC_REPAIR_REQUESTS_UNANSWERED 32
#define GST_TFRC_REPAIR_REQUESTS_PAUSE_NS (10 * G_GUINT64_CONSTANT (1000000000))

/** A request counts among these if it is one of the first so many for one of its packets. Later ones say that the
 * sender does not have this packet, as it knows better than the receiver what is too late. */
#define GST_TFRC_REPAIR_REQUESTS_FRESH 4

/** For repairrequests.c alone */
typedef struct
{
  guint64 seq;
  guint64 missed_ns;   /* when it was found to be missing */
  guint64 deadline_ns; /* when it is to be played: as the packet behind the gap */
  guint64 asked_ns;    /* the last time; 0: never */
  guint n_asked;
} GstTfrcMissingPacket;

typedef struct
{
  guint64 requested; /**< packets that were asked for, each once */
  guint64 requests;  /**< how often they were, in all */
  guint64 repaired;  /**< packets that have come as repairs in time, and were missing */
  guint64 late;      /**< repairs that came when their time was over */
  guint64 duplicate; /**< repairs of what was there */
} GstTfrcRepairRequestsStats;

/** For repairrequests.c alone; all zero has asked for nothing. */
typedef struct
{
  gboolean is_on;
  gboolean has_begun;
  guint64 highest;
  GstTfrcMissingPacket missing[GST_TFRC_REPAIR_REQUESTS_MAX]; /* by number */
  guint n;
  guint64 rtt_ns, least_rtt_ns;     /* R; 0: unknown */
  guint64 reordering_ns;            /* by how much packets have been overtaken */
  guint64 repair_ns, repair_var_ns; /* how long repairs take; 0: not measured */
  guint doublings;                  /* of the wait for a repair, since one was measured */
  guint64 doubled_ns;               /* the last time */
  guint unanswered;                 /* of the requests since a repair has come */
  guint64 counted_ns;               /* when the last of these was sent; 0: none */
  guint64 pause_end_ns;             /* nothing is asked for until then */
  GstTfrcRepairRequestsStats stats;
} GstTfrcRepairRequests;

/** Begins to ask, or ends. */
void gst_tfrc_repair_requests_set_on (GstTfrcRepairRequests *self, gboolean is_on);

/** The numbers begin anew, or what is missing is not wanted any more: nothing is missing. */
void gst_tfrc_repair_requests_restart (GstTfrcRepairRequests *self);

/** The path or the sender is another one: what was measured holds no more. */
void gst_tfrc_repair_requests_change_path (GstTfrcRepairRequests *self);

/** Sets R as the sender tells it; 0: unknown. */
void gst_tfrc_repair_requests_set_rtt (GstTfrcRepairRequests *self, guint64 rtt_ns);

/** A packet of the movie has come, whichever way.
 * @param is_repair a repair brought it
 * @param deadline_ns when the packet is to be played, at the latest */
void gst_tfrc_repair_requests_on_packet (GstTfrcRepairRequests *self, guint64 seq,
    gboolean is_repair, guint64 deadline_ns, guint64 now_ns);

/** Finds the place of a repair, of which only the number is known, as that of RTP.
 * @param extended set to the number
 * @param deadline_ns set to when the packet is to be played; 0: it is not missing, or no longer
 * @return FALSE: there was no such packet, or nothing is asked for */
gboolean gst_tfrc_repair_requests_place (
    GstTfrcRepairRequests *self, guint16 seq, guint64 *extended, guint64 *deadline_ns);

/** Forward error correction has brought a packet of the movie back. */
void gst_tfrc_repair_requests_on_recovered (
    GstTfrcRepairRequests *self, guint64 seq, guint64 deadline_ns, guint64 now_ns);

/** Counts a repair by what became of it: it was too late, or there already. */
void gst_tfrc_repair_requests_count_late (GstTfrcRepairRequests *self);
void gst_tfrc_repair_requests_count_duplicate (GstTfrcRepairRequests *self);

/** Returns when gst_tfrc_repair_requests_get_due() has something; G_MAXUINT64: never. */
guint64 gst_tfrc_repair_requests_next_ns (const GstTfrcRepairRequests *self);

/** Copies the numbers that are to be asked for now, in their order; none is there twice.
 * @param seqs room for GST_TFRC_REPAIR_REQUESTS_MAX
 * @return how many */
guint gst_tfrc_repair_requests_get_due (GstTfrcRepairRequests *self, guint64 now_ns, guint16 *seqs);

/** The first @a n of these, 1 or more, are asked for now in one request. */
void gst_tfrc_repair_requests_on_asked (GstTfrcRepairRequests *self, guint n, guint64 now_ns);

/** Copies the numbers that were asked for and have not come, for a packet that leaves anyway: the request may
 * have been lost.
 * @param seqs room for GST_TFRC_REPAIR_REQUESTS_MAX */
guint gst_tfrc_repair_requests_get_open (
    const GstTfrcRepairRequests *self, guint64 now_ns, guint16 *seqs);

void gst_tfrc_repair_requests_get_stats (
    const GstTfrcRepairRequests *self, GstTfrcRepairRequestsStats *stats);

G_END_DECLS
#endif
