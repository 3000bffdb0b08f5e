/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender that listens: takes calls (gst/flow/callflow.h), asks the application about each, and has a flow
 * for each caller that was accepted (audience.h).
 *
 *     call with a cookie ----> CONNECTING: the application is asked; gst_tfrc_listening_answer()
 *                                 |  |
 *                        accepted |  | refused, or there is no room
 *                                 v  v
 *                             ADDED  REJECTED
 *                                 |
 *                                 | BYE, silence, nothing but silence since the call, too much loss, the
 *                                 v application drops it, or another program has the port
 *                             REMOVED
 *
 * What happens to callers the application takes as news, one at a time and in order.
 *
 * No clock. All functions with the port's lock; the port's calls are on the thread of its loop. */
#ifndef GST_TFRC_LISTENING_H
#define GST_TFRC_LISTENING_H

#include "../flow/callflow.h"
#include "audience.h"

G_BEGIN_DECLS

/** An accepted caller of which no feedback has come for so long has gone. */
#define GST_TFRC_LISTENING_NO_FEEDBACK_NS (10 * G_GUINT64_CONSTANT (1000000000))

/** While so much news waits, no more of rejected callers is added: any host can cause these, and an
 * application that hangs does not take them. */
#define GST_TFRC_LISTENING_MAX_REJECTED 256

typedef enum
{
  GST_TFRC_CALL_CONNECTING, /**< wants an answer */
  GST_TFRC_CALL_ADDED,
  GST_TFRC_CALL_REMOVED,
  GST_TFRC_CALL_REJECTED
} GstTfrcCallNewsKind;

/** What has happened to a caller */
typedef struct
{
  GstTfrcCallNewsKind kind;
  guint64 id; /**< of the call */
  GstTfrcAddress address;
  gchar *stream_id;
  gchar *reason; /**< of REMOVED and REJECTED; NULL otherwise */
} GstTfrcCallNews;

/** NULL is allowed. */
void gst_tfrc_call_news_free (GstTfrcCallNews *news);

typedef struct _GstTfrcListening GstTfrcListening;

/** @param flow what the flow of a caller begins with; the peer and the limits are the caller's. Copied,
 *   with a reference to the credentials
 * @param secret random bytes that no peer can know; copied
 * @param own_ssrc random
 * @return to be freed with gst_tfrc_listening_free() */
GstTfrcListening *gst_tfrc_listening_new (GstTfrcPort *port, GstTfrcAudience *audience,
    const GstTfrcSendFlowConfig *flow, guint max_callers,
    const guint8 secret[GST_TFRC_SECRET_BYTES], guint32 own_ssrc);

/** After the port has stopped. The flows are the audience's. NULL is allowed. */
void gst_tfrc_listening_free (GstTfrcListening *self);

/** Returns the flow of strangers, which the port gets and loses with the owner. */
GstTfrcFlow *gst_tfrc_listening_get_base (GstTfrcListening *self);

/** A flow of the port has been served (GstTfrcPortOwner). */
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

/** Has a caller dropped soon. Any thread.
 * @return FALSE: there is no such caller */
gboolean gst_tfrc_listening_drop (GstTfrcListening *self, guint64 id)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Statistics are due this often; 0: never. */
void gst_tfrc_listening_set_stats_interval (
    GstTfrcListening *self, guint64 interval_ns, guint64 now_ns);

/** Returns TRUE once each time that statistics are due. Any thread. */
gboolean gst_tfrc_listening_take_stats_due (GstTfrcListening *self);

/** Does news wait? Any thread. */
gboolean gst_tfrc_listening_has_news (const GstTfrcListening *self);

/** Takes the oldest news, for gst_tfrc_call_news_free(). NULL: none. Any thread. */
GstTfrcCallNews *gst_tfrc_listening_take_news (GstTfrcListening *self);

void gst_tfrc_listening_set_max_callers (GstTfrcListening *self, guint max_callers);

/** An accepted caller, for statistics */
typedef struct
{
  guint64 id;
  const gchar *stream_id;
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

/** Calls @a func for each accepted caller. */
void gst_tfrc_listening_foreach_caller (const GstTfrcListening *self, guint64 now_ns,
    void (*func) (gpointer user, const GstTfrcCallerStats *caller), gpointer user);

G_END_DECLS
#endif
