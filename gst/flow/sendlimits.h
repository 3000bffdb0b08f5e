/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the settings of a flow and the word of its receiver mean for the outbox: whether there is a receiver, how
 * fast packets leave, how late and how early they may leave, what is kept for repairs, and how packets are protected.
 *
 * No lock and no clock. */
#ifndef GST_TFRC_SENDLIMITS_H
#define GST_TFRC_SENDLIMITS_H

#include "../queue/outbox.h"
#include "fecchoice.h"
#include "slack.h"

G_BEGIN_DECLS

/** L of a receiver that tells no playout delay: it records, or plays without a clock, and waits for what is
 * missing for its own delay, whose default is 200 ms. Few wait longer than this. */
#define GST_TFRC_SEND_LIMITS_UNTOLD_PLAYOUT_NS (500 * G_GUINT64_CONSTANT (1000000))

/** The part of the settings that can change while the stream runs. */
typedef struct
{
  guint64 min_bitrate; /**< bit/s; 0: none */
  guint64 max_bitrate;
  guint max_queue_packets;
  guint64 max_queue_time_ns;
  GstTfrcLeaky leaky;
  gboolean deadline;        /**< what cannot be played in time does not leave */
  guint64 playout_delay_ns; /**< of the player, where the receiver does not tell it; 0: unknown */
  guint64 ahead_ns; /**< how long before it is due a packet may leave, if the receiver allows it */
  guint64 lookahead_ns;      /**< how long before it may leave a packet is queued */
  guint64 drain_timeout_ns;  /**< how long the end of the stream waits for packets */
  guint64 stats_interval_ns; /**< 0: none */
  gsize repair_bytes;        /**< what is kept for repairs; 0: nothing is repaired */
  GstTfrcFecSetting fec;
} GstTfrcSinkLimits;

/** For sendlimits.c alone; all zero: nothing is known */
typedef struct
{
  GstTfrcSlack slack;
  GstTfrcFecChoice fec;
  gboolean has_deadline; /* is wanted: of the settings, as are the next three */
  gboolean repairs_nothing;
  guint64 playout_delay_ns;
  guint64 ahead_ns;
} GstTfrcSendLimits;

/** Passes new settings to the outbox. */
void gst_tfrc_send_limits_set (
    GstTfrcSendLimits *self, const GstTfrcSinkLimits *limits, GstTfrcOutbox *outbox);

/** Passes to the outbox what is known of the receiver now. The end of a stream does not wait for an absent
 * receiver, and nothing runs ahead for one. */
void gst_tfrc_send_limits_update (
    GstTfrcSendLimits *self, GstTfrcSendSession *session, GstTfrcOutbox *outbox);

/** RTCP of the receiver has come: passes to the outbox what repairs and forward error correction depend on. */
void gst_tfrc_send_limits_on_rtcp (
    GstTfrcSendLimits *self, GstTfrcSendSession *session, GstTfrcOutbox *outbox, guint64 now_ns);

G_END_DECLS
#endif
