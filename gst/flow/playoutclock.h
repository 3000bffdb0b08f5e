/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the packets of a sender were due and are played, and what the sender is told of that.
 *
 * The sender's wait and the network's delay are told apart by the send time in the packet and by the
 * sender's reports (delays.h).  The clock of the movie (rtpclock.h) is recovered from the network's
 * delays alone, as far as they are known.  What a packet takes in the network beyond that clock is its
 * queueing: played in time is what left in time, and has no more queueing than the time that is left.
 * queueing.h has the forecast of it that the sender is told.
 *
 * No socket, no clock, no locks. */
#ifndef GST_TFRC_PLAYOUTCLOCK_H
#define GST_TFRC_PLAYOUTCLOCK_H

#include <tfrc/wire.h>

#include "../common/delays.h"
#include "../io/datagrams.h"
#include "playout.h"
#include "queueing.h"
#include "rtpclock.h"

G_BEGIN_DECLS

/** For playoutclock.c alone */
typedef struct
{
  GstTfrcDelays delays;
  GstTfrcRtpClock rtp_clock;
  guint8 path_id;       /* of the path that the clock measures */
  guint64 due_ns;       /* of the last packet */
  guint64 plain_due_ns; /* the latest of packets without TFRC */

  guint64 delay_ns;
  gboolean is_told;
  guint64 ahead_ns, ahead_bytes; /* the window for packets that run ahead */
  gboolean has_timestamp;
  guint32 timestamp;      /* of the newest packet */
  gboolean has_gone_back; /* that packet was due before the one before */

  GstTfrcQueueing queueing;
} GstTfrcPlayoutClock;

void gst_tfrc_playout_clock_init (GstTfrcPlayoutClock *self);

/** Sets the playout delay.
 * @param is_told the sender is told it */
void gst_tfrc_playout_clock_set_delay (
    GstTfrcPlayoutClock *self, guint64 delay_ns, gboolean is_told);

/** Sets the window that the sender is told with the playout delay: how long before they are due packets may
 * come, and how many bytes of them.  It is told from the first report of the sender on: only with that can
 * packets that are early be told from a network that has become faster. */
void gst_tfrc_playout_clock_set_ahead (GstTfrcPlayoutClock *self, guint64 time_ns, guint64 bytes);

/** A report of the sender has come, with the sender's clock. */
void gst_tfrc_playout_clock_on_sender_report (GstTfrcPlayoutClock *self, const TfrcWireRtcp *rtcp);

/** A packet has come that is used.
 * @param path_id of the path that it has come over, if that is the active one; nothing is learnt of
 *   the active path from packets over another one
 * @param is_active it has come over the active path */
void gst_tfrc_playout_clock_on_data (GstTfrcPlayoutClock *self, const TfrcWireData *header,
    const GstTfrcReceivedPacket *packet, const TfrcArrival *arrival, guint8 path_id,
    gboolean is_active);

/** Returns when the last packet that was no duplicate was due, on the monotonic clock of this host; after
 * its arrival only by what the window allows. */
guint64 gst_tfrc_playout_clock_get_due_ns (const GstTfrcPlayoutClock *self);

/** Returns when a packet was due that others have brought back, likewise (gst_tfrc_rtp_clock_get_due_ns()). */
guint64 gst_tfrc_playout_clock_get_due_of (
    const GstTfrcPlayoutClock *self, guint32 timestamp, guint64 arrival_ns);

/** Returns whether the last packet follows a break of the sender's time: the newest of all, it was due before
 * the one before, as after a flush. */
gboolean gst_tfrc_playout_clock_has_gone_back (const GstTfrcPlayoutClock *self);

/** Returns what the sender would be told now. */
GstTfrcPlayout gst_tfrc_playout_clock_get_playout (const GstTfrcPlayoutClock *self);

/** The sender is told that, at this time. */
void gst_tfrc_playout_clock_on_told (GstTfrcPlayoutClock *self, guint64 now_ns);

/** Returns the delays of the packets; valid as long as @a self. */
const GstTfrcDelays *gst_tfrc_playout_clock_get_delays (const GstTfrcPlayoutClock *self);

/** Returns how often the clock of the movie has started again. */
guint64 gst_tfrc_playout_clock_get_restarts (const GstTfrcPlayoutClock *self);

G_END_DECLS
#endif
