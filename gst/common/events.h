/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What there is to tell the application about a stream: one queue for each stream, at both ends.
 *
 * Who decides something adds an event, with the lock of the port: the flow, its keys, its log of
 * handovers, the stream. The element's thread that runs the application's code takes one event at a
 * time.
 *
 * The queue is bounded, and a peer can cause events of some kinds as often as it likes. These kinds
 * share GST_TFRC_EVENTS_OF_PEER places, in which the oldest event gives way. Each other kind has one
 * place of its own, so that the application is told that a stream is broken, whatever a peer causes.
 *
 * Most streams have one event at a time: all places together would be a fifth of the memory of one among many callers.
 *
 * No lock and no clock. */
#ifndef GST_TFRC_EVENTS_H
#define GST_TFRC_EVENTS_H

#include <glib.h>
#include <tfrc/ecn.h>
#include <tfrc/tfrc.h>

G_BEGIN_DECLS

/** Three groups, which differ in what becomes of a new event while another one of its kind waits */
typedef enum
{
  /* Without a value: the new event is not added. */
  GST_TFRC_EVENT_BROKEN,           /**< the circuit breaker has ended the stream. Once */
  GST_TFRC_EVENT_SECURITY_EXPIRED, /**< the key must not be used any more; there is no new one */
  GST_TFRC_EVENT_SECURITY_NO_KEYS, /**< the sender's stream is protected, this end has no keys */
  GST_TFRC_EVENT_MIGRATED,         /**< a sender's data goes to another address */
  /** Another sender is a source's peer; or the peer is lost, or heard again after that. */
  GST_TFRC_EVENT_SENDER,
  GST_TFRC_EVENT_OLD_SOCKET,      /**< a source's old socket can be closed */
  GST_TFRC_EVENT_CE_IGNORED,      /**< CE without ECT, which is no mark. Once for each sender */
  GST_TFRC_EVENT_BITRATE,         /**< the rate for an encoder has changed */
  GST_TFRC_EVENT_PAST_DEADLINE,   /**< a sender has dropped packets that would have been late */
  GST_TFRC_EVENT_KEY_UNIT,        /**< a receiver has lost a picture and asks for a key unit */
  GST_TFRC_EVENT_STATISTICS,      /**< statistics are due */
  GST_TFRC_EVENT_CALL_REFUSED,    /**< the peer has refused the call. Once */
  GST_TFRC_EVENT_CALLERS,         /**< there is news of callers */
  GST_TFRC_EVENT_CALLER_MOVED,    /**< a caller has another address or another link */
  GST_TFRC_EVENT_CALL_UNANSWERED, /**< nobody has answered the call. Once */
  GST_TFRC_EVENT_OTHER_PACKETS, /**< a source gets packets that it cannot play, and no stream. Once */

  /* With a value: the new event replaces the one that waits. */
  GST_TFRC_EVENT_SECURITY_FAILED,       /**< no keys can be agreed on. of.reason */
  GST_TFRC_EVENT_SECURITY_REKEY_FAILED, /**< the peer has not taken new keys. of.reason */
  GST_TFRC_EVENT_SEND_ERROR,            /**< the first of a run of failed sends. of.error */
  GST_TFRC_EVENT_NO_ANSWER,             /**< nobody has answered. Once. of.error */
  GST_TFRC_EVENT_TTL_NOT_RAISED,        /**< not above of.ttl without protection. Once */

  /* Caused by the peer: both wait, one after the other. */
  GST_TFRC_EVENT_PEER_STATE,           /**< of the receiver. of.peer_state */
  GST_TFRC_EVENT_ECN,                  /**< state or problem of ECN have changed. of.ecn */
  GST_TFRC_EVENT_HANDOVER,             /**< of.handover */
  GST_TFRC_EVENT_SECURITY_ESTABLISHED, /**< the peer has the keys */
  GST_TFRC_EVENT_SECURITY_REKEYED      /**< the peer has new keys */
} GstTfrcEventKind;

#define GST_TFRC_EVENT_KINDS (GST_TFRC_EVENT_SECURITY_REKEYED + 1)

/** Places of the events that a peer causes: 24 as the log of handovers lets through at once
 * (handoverlog.h), and 10 as the notifier does of the states of a peer (notifier.h) */
#define GST_TFRC_EVENTS_OF_PEER 34

/** The handovers of one end of a stream, as known at one time */
typedef struct
{
  TfrcHandoverPhase phase;
  guint64 handovers; /**< begun so far */
  guint64 completed; /**< handovers whose adaptation came to its end */
  guint64 rtt_ns;
  gdouble rate_bps;
  guint64 packets_lost;
} GstTfrcHandoverView;

typedef enum
{
  GST_TFRC_HANDOVER_EVENT_STARTED,
  GST_TFRC_HANDOVER_EVENT_PHASE,
  GST_TFRC_HANDOVER_EVENT_COMPLETED
} GstTfrcHandoverEventKind;

typedef struct
{
  GstTfrcHandoverEventKind kind;
  TfrcHandoverPhase phase; /**< the phase that the handover is in now */
  /* of GST_TFRC_HANDOVER_EVENT_COMPLETED */
  guint64 duration_ns;
  GstTfrcHandoverView before, after; /**< packets_lost: since the stream began */
  gboolean completed;                /**< FALSE: the adaptation was given up */
} GstTfrcHandoverEvent;

typedef struct
{
  GstTfrcEventKind kind;
  union
  {
    const gchar
        *reason; /**< static. The first member, so that it is NULL in an event without a value */
    gint peer_state; /**< GstTfrcPeerState */
    gint error;      /**< errno; of NO_ANSWER: of an ICMP error; 0: none has come */
    guint ttl;
    struct
    {
      TfrcEcnState state;
      TfrcEcnProblem problem;
    } ecn;
    GstTfrcHandoverEvent handover;
  } of;
} GstTfrcEvent;

/** For events.c alone; all zero is an empty queue. */
typedef struct
{
  GArray *waiting; /* of GstTfrcEvent, the oldest first; NULL: there was none yet */
  guint64 dropped;
} GstTfrcEvents;

/** Frees what the queue has, which is empty then. */
void gst_tfrc_events_clear (GstTfrcEvents *self);

/** Adds an event.
 * @param self NULL: nobody is to be told */
void gst_tfrc_events_add (GstTfrcEvents *self, const GstTfrcEvent *event);

/** Adds an event of a kind without a value. */
void gst_tfrc_events_add_kind (GstTfrcEvents *self, GstTfrcEventKind kind);

/** Counts an event that a newer one has replaced before it was added. */
void gst_tfrc_events_count_dropped (GstTfrcEvents *self);

/** Do events wait to be taken? */
gboolean gst_tfrc_events_are_waiting (const GstTfrcEvents *self);

/** Takes the oldest event.
 * @return FALSE: none */
gboolean gst_tfrc_events_take (GstTfrcEvents *self, GstTfrcEvent *event);

/** Returns how many events nobody gets, because newer ones have taken their places. */
guint64 gst_tfrc_events_get_dropped (const GstTfrcEvents *self);

G_END_DECLS
#endif
