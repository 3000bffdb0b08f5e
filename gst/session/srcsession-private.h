/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of a source's session, shared by srcsession.c (packets that come), srcsessionrtcp.c
 * (packets that leave) and srcsessionhandover.c.  Not for others. */
#ifndef GST_TFRC_SRCSESSION_PRIVATE_H
#define GST_TFRC_SRCSESSION_PRIVATE_H

#include "../common/tokenbucket.h"
#include "rtpclock.h"
#include "srcsession.h"

G_BEGIN_DECLS

/* The interval of receiver reports.  RFC 8083 needs one every 4 s at least; the rest is time to be
 * late. */
#define GST_TFRC_SRC_REPORT_INTERVAL_NS (39 * G_GUINT64_CONSTANT (100000000))

struct _GstTfrcSrcSession
{
  TfrcReceiver *receiver;
  GstTfrcAddress address; /* of the sender */
  GstTfrcAddress local;   /* of this host, that data comes to over the active path */
  guint32 ssrc;           /* of the sender */
  gboolean has_tfrc;      /* its last data packet carried what TFRC needs */
  gboolean has_rtcp;      /* it has sent a report */
  gboolean has_ended;
  gboolean owes_bye;        /* the sender's BYE has not been answered */
  guint64 heard_ns;         /* when its last packet came */
  guint64 data_ns;          /* when its last data packet came */
  guint8 ttl;               /* of its last data packet, on arrival; 0: unknown */
  guint8 sent_ttl;          /* with which that packet left, as its header says; 0: unknown */
  guint32 ttl_send_time_us; /* send time of that packet */
  guint interface;          /* that its last data packet came in over; 0: unknown */

  guint64 report_ns;   /* when the next RR is due; G_MAXUINT64: never */
  guint64 reported_ns; /* when the last RR was written; 0: none yet */
  guint64 answered_ns; /* when the last RR was written that was due while data comes, too */
  guint32 sr_middle;   /* of the last SR, for LSR and DLSR */
  guint64 sr_arrival_ns;
  guint64 reported_expected; /* at the last RR, for the fraction lost */
  guint64 reported_lost;
  gdouble jitter; /* RFC 3550 section 6.4.1, in units of the time stamp */
  gint64 transit;
  gboolean has_transit;
  GstTfrcDelays delays;
  GstTfrcRtpSeq rtp_seq;
  GstTfrcRtpPlace rtp_place; /* of the last packet that was used */
  GstTfrcRtpClock rtp_clock;
  guint8 clock_path_id; /* of the path that the clock measures */
  guint64 due_ns;       /* of the last packet that was used */

  gboolean owes_response; /* to the newest challenge */
  guint8 challenge[TFRC_WIRE_PATH_DATA_BYTES];
  GstTfrcLocalPath challenged;   /* that the challenge came over */
  GstTfrcTokenBucket challenges; /* that are answered */

  guint8 path_id;           /* of the active path */
  gboolean active_has_data; /* data has come over the active path */
  guint64 handover_ns;      /* when the last handover began; 0: there was none */
  GstTfrcHandoverLog handover_log;
};

G_END_DECLS
#endif
