/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The repair that nobody asks for.
 *
 * A receiver cannot know that the last packet before a silence is missing. So if no feedback has told of that
 * packet within GST_TFRC_SEND_REPAIRS_TAIL_RTTS, it is sent again, as TCP's tail loss probe does (RFC 8985
 * section 7): to a receiver that has asked for packets before.
 *
 * No lock and no clock. */
#ifndef GST_TFRC_SENDREPAIRS_H
#define GST_TFRC_SENDREPAIRS_H

#include "../queue/outbox.h"
#include "sendsession.h"

G_BEGIN_DECLS

/** The silence after which the newest packet is sent again, in R. The way there and back takes one, and feedback
 * waits for up to another (RFC 5348 section 6.2), so with less a packet that has come would be sent again. */
#define GST_TFRC_SEND_REPAIRS_TAIL_RTTS 3

/** At least: below that, the hosts take longer than the path. */
#define GST_TFRC_SEND_REPAIRS_LEAST_TAIL_NS (20 * G_GUINT64_CONSTANT (1000000))

/** Returns when the newest packet is to be sent again; G_MAXUINT64: never. */
guint64 gst_tfrc_send_repairs_probe_ns (GstTfrcSendSession *session, const GstTfrcOutbox *outbox);

/** Queues a repair of the newest packet, if it is time. */
void gst_tfrc_send_repairs_on_time (
    GstTfrcSendSession *session, GstTfrcOutbox *outbox, guint64 now_ns);

/** Returns until when the receiver may still lack what has left last; 0: it has all, or cannot be helped. */
guint64 gst_tfrc_send_repairs_tail_end_ns (
    GstTfrcSendSession *session, const GstTfrcOutbox *outbox);

G_END_DECLS
#endif
