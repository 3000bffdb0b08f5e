/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender that listens: takes calls (gst/flow/callflow.h), asks the application about each, and has a flow
 * for each caller that was accepted (audience.h).
 *
 *     call with a cookie ----> CONNECTING: the application is asked; gst_tfrc_listening_answer(),
 *                                 |  |     gst_tfrc_listening_add_guest()
 *                        accepted |  | refused, there is no room, or the answer was put off too long
 *                                 v  v
 *                             ADDED  REJECTED
 *                                 |
 *                                 | BYE, silence, nothing but silence since the call, too much loss, the
 *                                 v application drops it, another program has the port, or its guest leaves
 *                             REMOVED
 *
 * A caller may be served by another stream, which is then a guest of this one: the guest has packets, rate and
 * events of its own, over the same port, and the caller is this stream's.
 *
 * What happens to callers the application takes as news, one at a time and in order.
 *
 * No clock. All functions with the port's lock; the port's calls are on the thread of its loop. */
#ifndef GST_TFRC_LISTENING_H
#define GST_TFRC_LISTENING_H

#include "../flow/callflow.h"
#include "audience.h"
#include "callnews.h"

G_BEGIN_DECLS

/** An accepted caller has gone that for so long has neither sent feedback nor called (GST_TFRC_CALL_AGAIN_NS). */
#define GST_TFRC_LISTENING_NO_FEEDBACK_NS (10 * G_GUINT64_CONSTANT (1000000000))

/** An application that has put off its answer has so long to give the call to another stream. */
#define GST_TFRC_LISTENING_DEFER_NS (10 * G_GUINT64_CONSTANT (1000000000))

typedef struct _GstTfrcListening GstTfrcListening;

/** What a guest knows of its caller; part of the guest. The port's lock guards it. */
typedef struct
{
  GstTfrcListening *listening; /**< NULL: no caller, or no more */
  guint64 id;
  gboolean is_dismissed; /**< the caller has gone: the port serves the flow no more */
} GstTfrcGuest;

/** @param tenant that flows of the audience belong to
 * @param flow what the flow of a caller begins with; the peer and the limits are the caller's. Copied,
 *   with a reference to the credentials
 * @param secret random bytes that no peer can know; copied
 * @param own_ssrc random
 * @return to be freed with gst_tfrc_listening_free() */
GstTfrcListening *gst_tfrc_listening_new (GstTfrcPort *port, GstTfrcTenant *tenant,
    GstTfrcAudience *audience, const GstTfrcSendFlowConfig *flow, guint max_callers,
    const guint8 secret[GST_TFRC_SECRET_BYTES], guint32 own_ssrc);

/** The stream leaves the port: no caller has an address any more, guests are dismissed, and served() has no effect. */
void gst_tfrc_listening_leave (GstTfrcListening *self, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** After the port has stopped. The flows are the audience's. NULL is allowed. */
void gst_tfrc_listening_free (GstTfrcListening *self);

/** Returns the flow of strangers, which the port gets and loses with the owner. */
GstTfrcFlow *gst_tfrc_listening_get_base (GstTfrcListening *self);

/** A flow of this stream or of a guest has been served (GstTfrcPortOwner). */
void gst_tfrc_listening_flow_served (GstTfrcListening *self, GstTfrcFlow *flow, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** The port has been served: removes the callers that have gone.
 * @return TRUE if news waits, or statistics are due */
gboolean gst_tfrc_listening_served (GstTfrcListening *self, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Returns when gst_tfrc_listening_served() has something to do. */
guint64 gst_tfrc_listening_next_ns (const GstTfrcListening *self);

/** The application has decided. A caller that does not wait any more is left alone. Any thread.
 * @param refusal why not; NULL: the caller is accepted
 * @param credentials for this caller; NULL: those of the configuration */
void gst_tfrc_listening_answer (GstTfrcListening *self, guint64 id, const gchar *refusal,
    GstTfrcCredentials *credentials, guint64 now_ns) GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** The application puts off its decision, for GST_TFRC_LISTENING_DEFER_NS at most. Any thread. */
void gst_tfrc_listening_defer (GstTfrcListening *self, guint64 id, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Finds a caller that waits for an answer. Any thread.
 * @param session set to where the caller is, which address it has called, and the first sample of R
 * @return FALSE: none waits with this id */
gboolean gst_tfrc_listening_find_waiting (GstTfrcListening *self, guint64 id,
    GstTfrcSendSessionConfig *session) GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Accepts a caller that waits, for a guest. Any thread.
 * @param guest set; stays in its place until it is dismissed or removed
 * @param flow of the guest, which the port has */
void gst_tfrc_listening_add_guest (GstTfrcListening *self, guint64 id, GstTfrcGuest *guest,
    GstTfrcSendFlow *flow, guint64 now_ns) GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** The guest leaves. Any thread. */
void gst_tfrc_listening_remove_guest (GstTfrcGuest *guest, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Has a caller dropped once it has been sent a BYE. Any thread.
 * @return FALSE: there is no such caller */
gboolean gst_tfrc_listening_drop (GstTfrcListening *self, guint64 id)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Statistics are due this often; 0: never. */
void gst_tfrc_listening_set_stats_interval (
    GstTfrcListening *self, guint64 interval_ns, guint64 now_ns);

/** Takes what is to be told: statistics, a key unit, a caller of this stream that has moved, a send that the system has
 * refused to one, or GST_TFRC_EVENT_CALLERS while news waits, which comes last: any host can cause news, and so cannot keep back the rest.
 * FALSE: nothing. Any thread. */
gboolean gst_tfrc_listening_take_event (GstTfrcListening *self, GstTfrcEvent *event);

/** Takes the oldest news, for gst_tfrc_call_news_free(). NULL: none. Any thread. */
GstTfrcCallNews *gst_tfrc_listening_take_news (GstTfrcListening *self);

/** Says how many callers there may be. Any thread. */
void gst_tfrc_listening_set_max_callers (GstTfrcListening *self, guint max_callers);

/** Says which TTL the socket has, for present callers and further ones. */
void gst_tfrc_listening_set_ttl (GstTfrcListening *self, guint ttl)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** An accepted caller, for statistics */
typedef struct
{
  gchar *stream_id; /**< for g_free() */
  GstTfrcSinkStreamStats stats;
} GstTfrcCallerStats;

typedef struct
{
  GstTfrcCallersStats calls;
  guint64 foreign_packets;
  /* of all callers so far, also those that have gone: packets unless the name says bytes */
  guint64 sent, bytes_sent, lost, dropped, past_deadline;
} GstTfrcListeningStats;

void gst_tfrc_listening_get_stats (
    const GstTfrcListening *self, guint64 now_ns, GstTfrcListeningStats *stats);

/** Returns the ids of the accepted callers, guint64, for g_array_unref(). */
GArray *gst_tfrc_listening_list_callers (const GstTfrcListening *self);

/** Gets the statistics of one caller, as all of a thousand would keep the lock from the streams for milliseconds.
 * @return FALSE: it has gone */
gboolean gst_tfrc_listening_get_caller (
    const GstTfrcListening *self, guint64 id, guint64 now_ns, GstTfrcCallerStats *caller);

G_END_DECLS
#endif
