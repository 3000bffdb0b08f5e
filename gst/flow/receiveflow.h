/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The flow of a receiver: takes the stream of one sender at a time, puts its packets in order, and
 * sends feedback, reports, challenges and key messages.
 *
 *     datagrams -> keys -> selection (whose is it?) -> intake: reception, queue -> the thread that pulls
 *     timers    -> poll: key messages, feedback and reports, responses to challenges, challenges
 *
 * Who the sender is, gst/strangers/selection.h decides; a sender that is displaced or has ended makes
 * room for the next one (intake.h).
 *
 * No socket, no clock, no lock, no thread; the port of the flow (gst/port/port.h) has all of them. */
#ifndef GST_TFRC_RECEIVEFLOW_H
#define GST_TFRC_RECEIVEFLOW_H

#include "../io/addressfilter.h"
#include "../keys/srckeys.h"
#include "../strangers/selection.h"
#include "flow.h"
#include "intake.h"
#include "udpts.h"

G_BEGIN_DECLS

typedef struct _GstTfrcReceiveFlow GstTfrcReceiveFlow;

/** What may change while the flow runs */
typedef struct
{
  guint64 window_ns;     /**< playout delay: how long after a packet was due it is played */
  guint64 max_time_ns;   /**< how much may wait for the pipeline; 0: no limit */
  guint64 timeout_ns;    /**< a sender that is silent for this time is lost; 0: never */
  gboolean tells_window; /**< the sender is told the playout delay and the next two */
  guint64 ahead_ns;      /**< how long before it is due a packet may come; 0: not at all */
  guint64 ahead_bytes;   /**< that may be held for that */
  gboolean repairs;      /**< the sender is asked for what is missing */
  gboolean key_units; /**< the sender is asked for a key unit when something is missing for good */
} GstTfrcReceiveFlowLimits;

typedef struct
{
  GstTfrcReceiveFlowLimits limits;
  gboolean keep_listening;      /**< another stream may follow when one has ended */
  GstTfrcAddressFilter senders; /**< which senders can become the peer */
  TfrcReceiverConfig receiver;
  GstTfrcSecurityConfig security;
  gboolean accept_udp_ts; /**< plain transport streams over UDP are played; not with keys */
  guint32 ssrc;           /**< our own */
  const gchar *cname;     /**< copied */
  const gchar
      *stream_id;       /**< valid: the receiver calls the only address in senders for this stream;
                                  NULL: it calls nobody */
  guint32 call_number;  /**< random */
  const guint8 *secret; /**< GST_TFRC_SECRET_BYTES that no peer can know; copied */
  guint64 (*wall_ns) (void); /**< the wall clock, for the time in key messages */
} GstTfrcReceiveFlowConfig;

typedef struct
{
  gboolean has_sender;
  gboolean sender_has_ended;       /**< the sender has said BYE */
  gboolean sender_is_lost;         /**< nothing has come from the sender for the timeout */
  GstTfrcReceptionStats reception; /**< of the sender, if there is one; counts: of all senders */
  TfrcReceiverConfig receiver;     /**< as the flow was made with */
  GstTfrcSecurityStats security;
  GstTfrcReorderStats queue;
  GstTfrcRepairRequestsStats repairs;
  GstTfrcFecDecoderStats fec;
  guint64 foreign_packets; /**< of other streams */
  guint64 malformed_packets;
  guint64 byes_refused;      /**< forged BYEs: the sender is still there */
  guint64 messages_dropped;  /**< events that nobody got */
  GstTfrcOtherPackets other; /**< of GST_TFRC_EVENT_OTHER_PACKETS */
} GstTfrcReceiveFlowStats;

/** Begins without a sender.
 * @return to be freed with gst_tfrc_receive_flow_free() */
GstTfrcReceiveFlow *gst_tfrc_receive_flow_new (
    const GstTfrcReceiveFlowConfig *config, guint64 now_ns);

/** Frees the flow and the packets of its queue. NULL is allowed. */
void gst_tfrc_receive_flow_free (GstTfrcReceiveFlow *self);

/** Returns the flow for its port. */
GstTfrcFlow *gst_tfrc_receive_flow_base (GstTfrcReceiveFlow *self);

void gst_tfrc_receive_flow_set_limits (
    GstTfrcReceiveFlow *self, const GstTfrcReceiveFlowLimits *limits);

/** Has a BYE leave at the next poll, if there is a TFRC sender, and nothing else from then on. */
void gst_tfrc_receive_flow_say_bye (GstTfrcReceiveFlow *self);

/** Ends with who is at this address: the stream of a sender ends as if the sender had said BYE, and a BYE leaves to
 * that sender. The caller has the flow served, and lets no more packets of the address in. */
void gst_tfrc_receive_flow_end_sender (
    GstTfrcReceiveFlow *self, const GstTfrcAddress *address, guint64 now_ns);

/* ---- the queue --------------------------------------------------------------- */

/** Returns whether the stream has ended, all its packets have been taken, and no other may follow. */
gboolean gst_tfrc_receive_flow_is_at_end (const GstTfrcReceiveFlow *self);

/** Returns when a thread that waits for packets is to be woken, as it would wait for too long;
 * G_MAXUINT64: never.
 * @param until_ns when it wakes up by itself; 0: it does not wait */
guint64 gst_tfrc_receive_flow_wake_ns (const GstTfrcReceiveFlow *self, guint64 until_ns);

/* ---- the sender --------------------------------------------------------------------- */

/** Returns what is taken in: reception, queue and paths. Valid as long as the flow. */
GstTfrcIntake *gst_tfrc_receive_flow_get_intake (GstTfrcReceiveFlow *self);

/** Returns who may become the peer. Valid as long as the flow. */
const GstTfrcSelection *gst_tfrc_receive_flow_get_selection (const GstTfrcReceiveFlow *self);

/** Returns the call to the sender. Valid as long as the flow. */
const GstTfrcCall *gst_tfrc_receive_flow_get_call (GstTfrcReceiveFlow *self);

/** Returns the keys, for gst_tfrc_src_keys_rekey(), which takes effect at the next poll. Valid as long as the flow. */
GstTfrcSrcKeys *gst_tfrc_receive_flow_get_keys (GstTfrcReceiveFlow *self);

/** Returns what there is to tell the application. Valid as long as the flow. */
GstTfrcEvents *gst_tfrc_receive_flow_get_events (GstTfrcReceiveFlow *self);

void gst_tfrc_receive_flow_get_stats (GstTfrcReceiveFlow *self, GstTfrcReceiveFlowStats *stats);

/** Returns the invariant that does not hold, as text; NULL: all hold. For tests and gdb. */
const gchar *gst_tfrc_receive_flow_check (const GstTfrcReceiveFlow *self);

/** Prints sender, timers and who else may become the peer to standard error:
 * `call gst_tfrc_receive_flow_print (self)' in gdb. */
void gst_tfrc_receive_flow_print (const GstTfrcReceiveFlow *self);

G_END_DECLS
#endif
