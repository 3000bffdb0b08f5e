/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender that listens, from inside: listening.c has the life of a caller, listeningcallers.c what the
 * application answers, streams that serve one, their end, statistics, and what is told. */
#ifndef GST_TFRC_LISTENING_PRIVATE_H
#define GST_TFRC_LISTENING_PRIVATE_H

#include "../flow/keyunits.h"
#include "listening.h"

G_BEGIN_DECLS

/* An accepted caller */
typedef struct
{
  guint64 id;
  guint32 ssrc; /* of the caller */
  gchar *stream_id;
  GstTfrcAddress address;          /* that the flow is bound to */
  GstTfrcSendFlow *flow;           /* the audience's, or the guest's */
  GstTfrcGuest *guest;             /* NULL: this stream serves the caller */
  GstTfrcCredentials *credentials; /* of this caller alone, which its flow uses; NULL: none */
  guint64 called_ns;               /* when it was accepted, or called again since */
  gboolean is_dropped;             /* it is to be removed once it has been told */
  const gchar *end;                /* why the caller is to be removed; NULL: it stays */
} GstTfrcServed;

/* A caller whose answer was put off */
typedef struct
{
  guint64 id;
  guint64 end_ns;
} GstTfrcDeferred;

struct _GstTfrcListening
{
  GstTfrcPort *port;
  GstTfrcTenant *tenant;
  GstTfrcAudience *audience;
  GstTfrcSendFlowConfig config;
  GstTfrcCallFlow *strangers;
  GHashTable *by_id;          /* of GstTfrcServed, which it owns */
  GHashTable *by_flow;        /* the same by GstTfrcFlow */
  GHashTable *by_ssrc;        /* where feedback from elsewhere goes: one caller with each SSRC */
  guint n_not_followed;       /* callers that are not in by_ssrc, as another one has their SSRC */
  gboolean has_left;          /* the port: no caller is looked at any more */
  guint n_ends;               /* callers to be removed */
  GstTfrcListeningStats gone; /* what the callers that have gone add to the counts of all */
  guint64 sweep_ns;
  guint64 stats_ns, stats_interval_ns; /* when statistics are due next; G_MAXUINT64: never */
  GstTfrcKeyUnits key_units;           /* of all callers */
  GstTfrcEvents to_tell;               /* beside the news */
  GQueue news;                         /* of GstTfrcCallNews */
  GQueue deferred;                     /* of GstTfrcDeferred, by end */
};

/** A caller was accepted: flow and guest are its own, of which the port has the flow. Takes over the reference
 * to the credentials. */
void gst_tfrc_listening_add_caller (GstTfrcListening *self, const GstTfrcCaller *accepted,
    GstTfrcSendFlow *flow, GstTfrcGuest *guest, GstTfrcCredentials *credentials, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Removes a caller whose @a end says why, and frees it. */
void gst_tfrc_listening_remove_caller (GstTfrcListening *self, GstTfrcServed *caller,
    guint64 now_ns) GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Nothing that comes is for the flow of this caller any more. */
void gst_tfrc_listening_unbind_caller (GstTfrcListening *self, GstTfrcServed *caller)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Adds the counts of a caller. */
void gst_tfrc_listening_add_counts (
    const GstTfrcServed *caller, guint64 now_ns, GstTfrcListeningStats *all);

/** The caller's guest has no caller any more. */
void gst_tfrc_listening_dismiss (GstTfrcListening *self, GstTfrcServed *caller)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

G_END_DECLS
#endif
