/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A flow: what one end knows of one peer, and what it sends to that peer. A port (gst/port/port.h)
 * has one or many flows.
 *
 * A flow has no socket, no clock, no lock and no thread: the port calls the flow with its lock held
 * and with the time. These calls are all there is between the two, after the model of QUIC
 * libraries:
 *
 *     datagrams come          ->  on_datagrams()
 *     a deadline has passed   ->  on_time()
 *     an ICMP error has come  ->  on_error()
 *     when is the next one?   <-  deadline()
 *     what may leave now?     <-  poll()        data, RTCP, challenges and key messages alike
 *     what has left?          ->  on_sent()
 *
 * After each call of the first three the port polls until nothing more may leave now. Between
 * poll() and on_sent() the port has released its lock, has sealed the datagrams (SRTP) and has sent
 * them. Other threads may have changed the flow meanwhile, as by a flush.
 *
 * An implementation embeds GstTfrcFlow as its first member. */
#ifndef GST_TFRC_FLOW_H
#define GST_TFRC_FLOW_H

#include "../io/datagrams.h"
#include "../io/deadlinequeue.h"

G_BEGIN_DECLS

/** Data packets that one poll can hand out: what one system call sends. */
#define GST_TFRC_POLL_DATA GST_TFRC_BATCH_PACKETS

/** Control datagrams (RTCP, challenges, key messages) that one poll can hand out. A flow with more to
 * say says the rest in the next poll, which follows at once. */
#define GST_TFRC_POLL_CONTROL 8

/** Room for a datagram and its protection: more than a header with GST_TFRC_PACKET_MAX_PAYLOAD_BYTES,
 * TFRC_WIRE_MAX_RTCP_BYTES and GST_TFRC_KEY_PACKET_MAX_BYTES with GST_TFRC_PACKET_TAIL_BYTES behind,
 * each checked where it is used. */
#define GST_TFRC_DATAGRAM_BYTES 1600

typedef union
{
  guint8 bytes[GST_TFRC_DATAGRAM_BYTES];
  guint32 words[1]; /* for the alignment */
} GstTfrcDatagramRoom;

/** The fate of a datagram */
typedef enum
{
  GST_TFRC_DATAGRAM_NOT_TRIED, /**< a data packet before this one has failed */
  GST_TFRC_DATAGRAM_LEFT,
  GST_TFRC_DATAGRAM_FAILED,  /**< the system has refused the datagram, see error */
  GST_TFRC_DATAGRAM_UNSEALED /**< the datagram, or one before it, could not be protected */
} GstTfrcDatagramResult;

/** Protects a datagram in place, without the port's lock, on the thread that pumps the port.
 * @param size bytes of the datagram; the memory has room for the protection behind them
 * @return bytes afterwards; 0: the datagram must not leave */
typedef gsize (*GstTfrcSealFunc) (gpointer user, guint8 *datagram, gsize size);

/** A datagram that may leave now, in one piece or in two. The memory is valid until on_sent() has
 * returned. */
typedef struct
{
  guint8 *data;          /**< the first or only piece; 4-byte aligned if it is sealed in place */
  gsize size;            /**< bytes of data; after sealing, of the whole protected datagram */
  const guint8 *payload; /**< the second piece, which other flows may be sending, too */
  gsize payload_bytes;   /**< 0: none, and always after sealing */
  GstTfrcDatagramRoom *room; /**< where both pieces are sealed; NULL: one piece, sealed in place */
  GstTfrcAddress to;
  GstTfrcLocalPath path; /**< that the datagram leaves over; all zero: the socket's */
  gboolean may_reroute;  /**< leaves as the system chooses, if the host has lost path's address */
  guint8 ttl;            /**< TTL or hop limit; 0: the socket's */
  guint8 ecn;            /**< TFRC_ECN_FIELD_*; the DSCP is the socket's */
  gboolean is_control;   /**< RTCP, a challenge or a key message; one that fails stops no other */
  gboolean by_rtcp_port; /**< leaves from the port's RTCP socket, if the port has one */
  gboolean may_group;    /**< may leave in one group with its neighbours (GSO) */
  GstTfrcSealFunc seal;  /**< NULL: leaves as it is */
  gpointer seal_user;
  gpointer item; /**< the flow's own, such as the packet that @data belongs to */

  GstTfrcDatagramResult result; /**< for on_sent(), like the next three */
  gint error;                   /**< errno, if @result is FAILED */
  guint refused;                /**< datagrams that the system has refused together, if FAILED */
  gboolean is_rerouted; /**< left as the system chose, as the host has lost path's address */
} GstTfrcDatagram;

/** The datagrams of a poll, in the order in which they leave. The port makes one with
 * gst_tfrc_polled_init(); a flow adds to it. */
typedef struct
{
  guint n;
  guint n_control;
  GstTfrcDatagram datagrams[GST_TFRC_POLL_DATA + GST_TFRC_POLL_CONTROL];
  GstTfrcDatagramRoom control[GST_TFRC_POLL_CONTROL];
  GstTfrcDatagramRoom data[GST_TFRC_POLL_DATA]; /* to seal in */
} GstTfrcPolled;

/** Makes it empty. */
void gst_tfrc_polled_init (GstTfrcPolled *polled);

/** Adds a data packet, whose memory stays the flow's.
 * @return the datagram with @a data, @a size, @a to and a room set and all else zero, for the flow to
 *   fill in; NULL: there are GST_TFRC_POLL_DATA already */
GstTfrcDatagram *gst_tfrc_polled_add_data (
    GstTfrcPolled *polled, guint8 *data, gsize size, const GstTfrcAddress *to);

/** Returns the room for the next control datagram, GST_TFRC_DATAGRAM_BYTES; NULL: there is none. */
guint8 *gst_tfrc_polled_get_room (GstTfrcPolled *polled);

/** Adds the control datagram that was written into gst_tfrc_polled_get_room().
 * @param size 1..GST_TFRC_DATAGRAM_BYTES
 * @return the datagram, as gst_tfrc_polled_add_data(), without a room */
GstTfrcDatagram *gst_tfrc_polled_add_control (
    GstTfrcPolled *polled, gsize size, const GstTfrcAddress *to);

/** Protects a datagram as its flow wants it, and puts its pieces together for that. Without the port's
 * lock, on the thread that pumps the port.
 * @return FALSE: the datagram must not leave */
gboolean gst_tfrc_datagram_seal (GstTfrcDatagram *datagram);

typedef struct _GstTfrcFlow GstTfrcFlow;

/** The functions of a kind of flow. All are needed. All run with the port's lock, on the thread of
 * its I/O loop, or on the thread that frees the port. */
typedef struct
{
  /** Datagrams of the peer have come, still protected. @a packets are valid during the call. */
  void (*on_datagrams) (
      GstTfrcFlow *flow, const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns);

  /** Serves the timers that are due. Also called after on_datagrams(). */
  void (*on_time) (GstTfrcFlow *flow, guint64 now_ns);

  /** An ICMP error has come for a datagram to @a destination ("no address": unknown).
   * @param error errno, as GstTfrcIoCallbacks has it
   * @param by_rtcp_port the datagram had left from the port's RTCP socket */
  void (*on_error) (GstTfrcFlow *flow, gint error, const GstTfrcAddress *destination,
      gboolean by_rtcp_port, guint64 now_ns);

  /** Returns when on_time() or poll() has something to do; G_MAXUINT64: never. */
  guint64 (*deadline) (const GstTfrcFlow *flow);

  /** Adds what may leave now. Nothing added: nothing more may leave now. A flow limits what it adds
   * between two calls of on_time(), so that other flows have their turn. */
  void (*poll) (GstTfrcFlow *flow, guint64 now_ns, GstTfrcPolled *polled);

  /** Tells what has become of each datagram of the last poll, in the same order. */
  void (*on_sent) (GstTfrcFlow *flow, const GstTfrcPolled *polled, guint64 now_ns);

  /** Of a flow of strangers: is a datagram for this flow, even if another flow is bound to its address? NULL:
   * none is. */
  gboolean (*claims) (const guint8 *data, gsize size);
} GstTfrcFlowClass;

/** Does the port serve the flow? */
typedef enum
{
  GST_TFRC_FLOW_STAYS,
  GST_TFRC_FLOW_WAITS,   /**< not yet */
  GST_TFRC_FLOW_LEAVES,  /**< once more */
  GST_TFRC_FLOW_HAS_LEFT /**< no more */
} GstTfrcFlowStay;

/** The owner of flows, see gst/port/tenants.h */
typedef struct _GstTfrcTenant GstTfrcTenant;

/** The part of a flow that its port uses. */
struct _GstTfrcFlow
{
  const GstTfrcFlowClass *klass;
  GstTfrcDeadlineNode node; /* in the port's queue of deadlines */
  GstTfrcFlow *next_served; /* in the port's list of flows that datagrams have come for */
  gboolean is_served;       /* the flow is in that list */
  GstTfrcTenant *tenant;    /* whose flow this is */
  GstTfrcFlowStay stay;
};

/** Sets up the base of a flow.
 * @param klass static */
void gst_tfrc_flow_init (GstTfrcFlow *flow, const GstTfrcFlowClass *klass);

/** Has a flow not served until it is released.
 * @return the second: whether it was held. The caller has it served (gst_tfrc_port_serve_soon()) */
void gst_tfrc_flow_hold (GstTfrcFlow *flow);
gboolean gst_tfrc_flow_release (GstTfrcFlow *flow);

/** Gives a flow datagrams that have come for it to another flow. The caller has it served
 * (gst_tfrc_port_serve_soon()). */
void gst_tfrc_flow_pass_on (
    GstTfrcFlow *flow, const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns);

/** A timer of a flow or of a part of one, in a table that names all timers of its owner. */
typedef struct
{
  const gchar *name; /**< static */
  /** Returns when the timer is due; G_MAXUINT64: it is not running. */
  guint64 (*due_ns) (gconstpointer owner);
} GstTfrcFlowTimer;

/** The timer that is due next */
typedef struct
{
  guint64 due_ns;    /**< G_MAXUINT64: none is running */
  const gchar *name; /**< NULL: none is running */
} GstTfrcNextTimer;

/** Returns the earliest timer of a table. */
GstTfrcNextTimer gst_tfrc_flow_timers_next (
    gconstpointer owner, const GstTfrcFlowTimer *timers, guint n);

/** Returns the earlier of two timers; @a a if they are due at the same time. */
GstTfrcNextTimer gst_tfrc_next_timer_min (GstTfrcNextTimer a, GstTfrcNextTimer b);

G_END_DECLS
#endif
