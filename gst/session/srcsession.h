/* What a receiver knows of the one sender it listens to: TFRC, RTCP reports,
 * delays.  No socket, no clock, no locks. */
#ifndef GST_TFRC_SRCSESSION_H
#define GST_TFRC_SRCSESSION_H

#include <gst/gst.h>
#include <tfrc/wire.h>

#include "../io/datagrams.h"
#include "../common/delays.h"
#include "handoverlog.h"
#include "../common/tokenbucket.h"

G_BEGIN_DECLS

typedef struct
{
  TfrcReceiver *receiver;
  GstTfrcAddress address; /* of the sender */
  GstTfrcAddress local;   /* that its data came to over the link in use */
  guint32 ssrc;           /* of the sender */
  gboolean tfrc;          /* it speaks TFRC */
  gboolean rtcp;          /* it speaks RTCP */
  gboolean ended;         /* it has said BYE, and that was true */
  gboolean owes_bye;      /* ... and we have not answered: so it need not repeat it */
  guint64 heard_ns;       /* when it was last heard */
  guint8 ttl;             /* of its last packet */
  guint interface;        /* that it came in over; 0: unknown */

  guint64 report_ns;   /* when the next RR is due; G_MAXUINT64: never */
  guint64 reported_ns; /* when the last one was written; 0: none yet */
  guint32 sr_middle;   /* of the last SR, for LSR and DLSR */
  guint64 sr_arrival_ns;
  guint64 reported_expected; /* at the last RR, for the fraction lost */
  guint64 reported_lost;
  gdouble jitter; /* RFC 3550 section 6.4.1, time stamp units */
  gint64 transit;
  gboolean has_transit;
  GstTfrcDelays delays;

  gboolean owes_response; /* its newest challenge has not been answered */
  guint8 challenge[TFRC_WIRE_PATH_DATA_BYTES];
  GstTfrcLink challenged;        /* over which it came */
  GstTfrcTokenBucket challenges; /* that are answered */

  guint8 link;          /* the number of the one in use */
  gboolean link_proven; /* data has come over it */
  guint64 handover_ns;  /* when it came into use; 0: no handover yet */
  GstTfrcHandoverLog handover_log;
} GstTfrcSrcSession;

/** Starts listening to a sender.  To be freed with gst_tfrc_src_session_free().
 * @param receiver NULL: TFRC's defaults
 * @return NULL if TFRC refuses the configuration, or there is no memory */
GstTfrcSrcSession *gst_tfrc_src_session_new (
    const GstTfrcAddress *address, guint32 ssrc, const TfrcReceiverConfig *receiver);
void gst_tfrc_src_session_free (GstTfrcSrcSession *session);

/** A data packet of this sender.
 * @param link the number of the one that it has come over, as TfrcData has it
 * @return FALSE if it is not to be used (@a arrival says SUSPECT or REFUSED); one
 * that is SUSPECT is to be kept, as the next may confirm it */
gboolean gst_tfrc_src_session_on_data (GstTfrcSrcSession *session, const TfrcWireData *header,
    const GstTfrcReceivedPacket *packet, guint8 link, TfrcArrival *arrival);

/** An RTCP compound of this sender.  A report is answered at once, but at most
 * once a second.  BYE is not believed yet, see gst_tfrc_src_session_end(). */
void gst_tfrc_src_session_on_rtcp (
    GstTfrcSrcSession *session, const TfrcWireRtcp *rtcp, guint64 arrival_ns);

/** The sender has said BYE, and that was not forged (srcownership.h): nothing
 * but the answer, a BYE, will be written.  May be called again for another
 * answer. */
void gst_tfrc_src_session_end (GstTfrcSrcSession *session);

/** R as the sender says; 0: it has not. */
guint64 gst_tfrc_src_session_get_rtt_ns (const GstTfrcSrcSession *session);

/** A challenge of this sender, which wants to know whether the path is ours.  The
 * feedback that follows at once tells where we are (RFC 9000 section 9.3.3).  More
 * than 20 in a second are ignored. */
void gst_tfrc_src_session_on_challenge (
    GstTfrcSrcSession *session, const TfrcWireRtcp *rtcp, const GstTfrcReceivedPacket *packet);

/** Writes the response to a challenge, which is no longer than that was.
 * @param link set to the one that it has come over
 * @param buffer TFRC_WIRE_MAX_RTCP_BYTES
 * @return its size; 0 if there is none to write */
gsize gst_tfrc_src_session_write_response (
    GstTfrcSrcSession *session, guint32 own_ssrc, GstTfrcLink *link, guint8 *buffer);

/** The link with this number is in use from now on.
 * @param bandwidth_bps of the link, with IP headers; 0: unknown */
void gst_tfrc_src_session_start_handover (GstTfrcSrcSession *session, guint8 link,
    guint64 bandwidth_bps, gboolean suppress_echo, guint64 now_ns);

/** To be called after anything has happened.
 * @return TRUE if the log has news */
gboolean gst_tfrc_src_session_log_handover (GstTfrcSrcSession *session, guint64 now_ns);

/** Tells whether the handover has come to nothing: the adaptation has been given
 * up, or there was nothing to adapt, and data still comes over other links
 * alone.  To be called after data over another link than the one in use. */
gboolean gst_tfrc_src_session_handover_failed (const GstTfrcSrcSession *session, guint64 now_ns);

/** When gst_tfrc_src_session_write() has something to write. */
guint64 gst_tfrc_src_session_next_ns (const GstTfrcSrcSession *session);

/** Writes the next RTCP packet that is due.
 * @param buffer TFRC_WIRE_MAX_RTCP_BYTES
 * @return its size; 0 if nothing (more) is due now */
gsize gst_tfrc_src_session_write (GstTfrcSrcSession *session, guint32 own_ssrc, const gchar *cname,
    guint64 now_ns, guint8 *buffer);

G_END_DECLS
#endif
