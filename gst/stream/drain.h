/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The end of a sender's stream: the streaming thread waits until all has left, and says BYE. */
#ifndef GST_TFRC_DRAIN_H
#define GST_TFRC_DRAIN_H

#include "audience.h"
#include "streamingthread.h"

G_BEGIN_DECLS

/** Waits until all packets are sent, drops the rest after drain_timeout_ns of the audience's limits, and says BYE until
 * the receivers have answered. Without a receiver the wait is no longer than max_queue_time_ns, unless that is 0. New
 * limits count for a wait that has begun, too. Streaming thread, with the port's lock.
 * @param has_nobody says with @a user that there is nobody any more to wait for, nor to say BYE to
 * @param dropped set to the number of packets that were dropped
 * @return FALSE if flushing has interrupted the wait; no packet is dropped then */
gboolean gst_tfrc_drain (GstTfrcAudience *audience, GstTfrcStreamingThread *thread,
    gboolean (*has_nobody) (gpointer user), gpointer user, guint *dropped)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

G_END_DECLS
#endif
