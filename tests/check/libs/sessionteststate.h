/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of the tests with sessiontest.h. */
#ifndef SESSIONTESTSTATE_H
#define SESSIONTESTSTATE_H

#include "gst/common/clock.h"
#include <gst/check/gstcheck.h>
#include <string.h>
#include "gst/flow/flow.h"
#include "gst/flow/reception.h"
#include "gst/flow/sendstats.h"

#define US GST_USECOND
#define MS GST_MSECOND
#define S GST_SECOND
#define NEVER G_MAXUINT64

/* The delay of the network in each direction, unless a test says otherwise */
#define DELAY (30 * MS)
#define RTT (2 * DELAY)
#define OWN_SSRC 0xfeedbac4
#define SEGMENT GST_TFRC_PACKET_MAX_PAYLOAD_BYTES

/* This limit ends slow start: 190 packets per second. There is no other limit. */
#define MAX_RATE_BPS 250e3

typedef struct
{
  guint64 arrival_ns;
  gboolean to_src;
  GstTfrcAddress address; /* the destination, or the source if the packet goes to the sender */
  gsize size;
  guint8 ecn; /* with which the packet left */
  guint8 data[TFRC_WIRE_MAX_HEADER_BYTES + SEGMENT];
} InFlight;

typedef struct _SessionTest SessionTest;

struct _SessionTest
{
  GstTfrcSendSession *sink;
  GstTfrcSendSessionConfig config; /* of the sender */
  GstTfrcPacketPool *pool;
  GstTfrcOutgoingPool entries;
  guint8 datagram[GST_TFRC_DATAGRAM_BYTES]; /* that get_datagram() has made */
  GstTfrcReception *src;                    /* NULL until the first packet arrives */
  GstTfrcEvents sink_waiting, src_waiting;  /* for the application */
  guint32 restarts; /* of the receiver, which takes another SSRC each time */
  guint64 now_ns;
  guint64 wall_offset_ns; /* the wall clock minus virtual time */
  GQueue network;         /* queue of InFlight, in the order of arrival */
  guint64 delay_ns;
  /* the delay to and from this address, if not NULL */
  guint64 (*delay_of) (const GstTfrcAddress *address);

  guint64 backlog;            /* packets that the sender wants to send */
  guint64 sender_delay_ns;    /* how long packets have waited when they leave */
  gboolean deaf;              /* the packets of the receiver are lost */
  guint lose_feedbacks;       /* this number of the next feedback packets is lost */
  guint64 drop_from, drop_to; /* data packets that are lost, counted from 0 */

  guint8 link; /* the link over which data arrives */

  GstTfrcAddress address; /* of the receiver: "no address" unless a test says otherwise */
  gboolean is_old_peer;   /* the receiver knows of no challenges */
  /* The first function sees all packets of the receiver. The second gets packets to other addresses
   * than the receiver's. */
  void (*overhear) (SessionTest *t, const guint8 *data, gsize size);
  void (*elsewhere) (SessionTest *t, const InFlight *packet);
  /* The TTL with which a packet arrives at the receiver; 0: the packet dies. If NULL: 60. */
  guint8 (*arrival_ttl) (SessionTest *t, const InFlight *packet);

  /* The ECN field with which a packet arrives at the receiver; -1: the packet dies. If NULL: the
   * receiver's system does not tell. */
  gint (*arrival_ecn) (SessionTest *t, guint8 ecn);
  guint8 leaving_ecn; /* of the packet that leaves */

  guint64 data_sent, data_received;
  guint64 sr_ns, longest_sr_ns; /* time of the last sender report, longest time without a report */
  guint64 rr_ns, longest_rr_ns;
  guint srs, rrs, feedbacks, byes;
  TfrcWireData header; /* the last packet of each kind that left */
  TfrcWireRtcp sr, rr, feedback;
  guint rtcp_results[GST_TFRC_RTCP_MALFORMED + 1];
};

/* The SSRC of the receiver */
static inline guint32
own_ssrc_of (const SessionTest *t)
{
  return OWN_SSRC + t->restarts;
}

/* ---- what is known of the sender ------------------------------------------- */

static inline GstTfrcRateControl *
control_of (GstTfrcSendSession *sink)
{
  return gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (sink));
}

static inline GstTfrcRtpStream *
rtp_of (GstTfrcSendSession *sink)
{
  return gst_tfrc_send_media_get_rtp (gst_tfrc_send_session_get_media (sink), GST_TFRC_RTP_MEDIA);
}

static inline GstTfrcRtpNumbers
numbers_of (GstTfrcSendSession *sink)
{
  return gst_tfrc_rtp_stream_get_numbers (rtp_of (sink));
}

static inline GstTfrcAdaptiveTtl *
ttl_of (GstTfrcSendSession *sink)
{
  return gst_tfrc_send_media_get_ttl (gst_tfrc_send_session_get_media (sink));
}

static inline TfrcEcn *
ecn_of (GstTfrcSendSession *sink)
{
  return gst_tfrc_send_media_get_ecn (gst_tfrc_send_session_get_media (sink));
}

static inline const GstTfrcReceiverView *
receiver_of (GstTfrcSendSession *sink)
{
  return gst_tfrc_send_session_get_receiver (sink);
}

static inline GstTfrcPeerState
peer_state_of (GstTfrcSendSession *sink)
{
  return gst_tfrc_receiver_view_get_state (receiver_of (sink));
}

static inline const GstTfrcSendPaths *
paths_of (GstTfrcSendSession *sink)
{
  return gst_tfrc_send_session_get_paths (sink);
}

static inline const GstTfrcAddress *
peer_of (GstTfrcSendSession *sink)
{
  return gst_tfrc_send_paths_get_peer (paths_of (sink));
}

static inline GstTfrcSendHandover *
handover_of (GstTfrcSendSession *sink)
{
  return gst_tfrc_send_session_get_handover (sink);
}

/* Sets limits in byte/s. */
static inline void
set_rate_limits_Bps (GstTfrcSendSession *sink, gdouble min_Bps, gdouble max_Bps)
{
  gst_tfrc_rate_control_set_limits (
      control_of (sink), (guint64) (8 * min_Bps), (guint64) (8 * max_Bps));
}

#endif
