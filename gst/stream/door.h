/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The door of a receiver: a sender has to call (gst/flow/callflow.h), and packets of others are dropped. One that names
 * another stream id than the receiver takes is refused; about each other one the application is asked. The receiver
 * chooses among those that were let in as among all senders otherwise (gst/strangers/selection.h).
 *
 *     call with a cookie ----> CONNECTING: the application is asked; gst_tfrc_door_answer()
 *                                 |  |
 *                        accepted |  | refused, another stream id, or there is no room
 *                                 v  v
 *                             ADDED  REJECTED
 *                                 |
 *                                 | its stream has ended, another sender needs its place, another program has
 *                                 v its port, or the application drops the sender: gst_tfrc_door_drop()
 *                             REMOVED
 *
 * What happens to callers the application takes as news, one at a time and in order.
 *
 * Of a sender that has not proven its address nothing is kept, and of a refused one the refusal, for 5 s
 * (gst/strangers/callers.h).
 *
 * No clock. All functions with the port's lock. */
#ifndef GST_TFRC_DOOR_H
#define GST_TFRC_DOOR_H

#include "../flow/receiveflow.h"
#include "../port/port.h"
#include "callnews.h"

G_BEGIN_DECLS

/** Senders that are let in at a time. A receiver plays one, and another one may take over: more than these are those
 * that have gone, of which the oldest makes room. Who still sends calls again. */
#define GST_TFRC_DOOR_SENDERS 8

typedef struct _GstTfrcDoor GstTfrcDoor;

/** Calls come to the door from now on, and all else only from senders that were let in.
 * @param tenant whose flows these are
 * @param flow of the receiver, which the port has
 * @param stream_id that is taken; "": any. Copied
 * @param secret random bytes that no peer can know; copied
 * @param own_ssrc of the answers
 * @return to be freed with gst_tfrc_door_free() */
GstTfrcDoor *gst_tfrc_door_new (GstTfrcPort *port, GstTfrcTenant *tenant, GstTfrcReceiveFlow *flow,
    const gchar *stream_id, const guint8 secret[GST_TFRC_SECRET_BYTES], guint32 own_ssrc)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** After the port has stopped. NULL is allowed. */
void gst_tfrc_door_free (GstTfrcDoor *self);

/** The port has been served: removes a sender whose stream has ended. NULL is allowed.
 * @return TRUE if news waits */
gboolean gst_tfrc_door_served (GstTfrcDoor *self) GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** The application has decided. A sender that does not wait any more is left alone. Any thread.
 * @param refusal why not; NULL: the sender is let in
 * @param credentials for this sender, of which a reference is taken; NULL: those of the receiver */
void gst_tfrc_door_answer (GstTfrcDoor *self, guint64 id, const gchar *refusal,
    GstTfrcCredentials *credentials, guint64 now_ns) GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Has a sender removed that was let in. Its stream ends as if the sender had said BYE, and the sender gets a BYE. It may
 * call again, and is then a new caller. Any thread.
 * @return FALSE: there is no such sender */
gboolean gst_tfrc_door_drop (GstTfrcDoor *self, guint64 id, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Does news wait? NULL is allowed. Any thread. */
gboolean gst_tfrc_door_has_news (const GstTfrcDoor *self);

/** Takes the oldest news, for gst_tfrc_call_news_free(). NULL: none. Any thread. */
GstTfrcCallNews *gst_tfrc_door_take_news (GstTfrcDoor *self);

/** A sender that was let in, for statistics */
typedef struct
{
  guint64 id; /**< of its call */
  GstTfrcAddress address;
  gchar *stream_id;
  gboolean is_played; /**< its stream is the receiver's */
} GstTfrcDoorSender;

/** Returns the senders that were let in, the oldest first: an array of GstTfrcDoorSender for g_array_unref(). Any
 * thread. */
GArray *gst_tfrc_door_list_senders (const GstTfrcDoor *self);

/** Sets what is counted of calls. Any thread. */
void gst_tfrc_door_get_stats (const GstTfrcDoor *self, GstTfrcCallersStats *stats);

/** Returns how many packets were dropped; 0 without a door (NULL). */
guint64 gst_tfrc_door_get_dropped (const GstTfrcDoor *self);

G_END_DECLS
#endif
