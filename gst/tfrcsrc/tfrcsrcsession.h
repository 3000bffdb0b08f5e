/* What a receiver knows of the one sender it listens to: TFRC, RTCP reports,
 * delays.  No socket, no clock, no locks. */
#ifndef TFRC_SRC_SESSION_H
#define TFRC_SRC_SESSION_H

#include <gst/gst.h>
#include <tfrc/wire.h>

#include "../common/tfrcdatagrams.h"
#include "../common/tfrcdelays.h"

G_BEGIN_DECLS

typedef struct
{
  TfrcReceiver *receiver;
  TfrcAddress address;          /* of the sender */
  TfrcAddress local;            /* that its data came to: answers leave from it */
  guint32 ssrc;                 /* of the sender */
  gboolean tfrc;                /* it speaks TFRC */
  gboolean rtcp;                /* it speaks RTCP */
  gboolean ended;               /* it has said BYE */
  gboolean owes_bye;            /* ... and we have not answered: so it need not repeat it */
  guint64 heard_ns;             /* when it was last heard */
  guint8 ttl;                   /* of its last packet */

  guint64 report_ns;            /* when the next RR is due; G_MAXUINT64: never */
  guint32 sr_middle;            /* of the last SR, for LSR and DLSR */
  guint64 sr_arrival_ns;
  guint64 reported_expected;    /* at the last RR, for the fraction lost */
  guint64 reported_lost;
  gdouble jitter;               /* RFC 3550 section 6.4.1, time stamp units */
  gint64 transit;
  gboolean has_transit;
  TfrcDelays delays;
} TfrcSrcSession;

/** Starts listening to a sender.  NULL if there is no memory; to be freed with
 * tfrc_src_session_free(). */
TfrcSrcSession *tfrc_src_session_new (const TfrcAddress * address,
    guint32 ssrc);
void tfrc_src_session_free (TfrcSrcSession * session);

/** A data packet of this sender.
 * @return FALSE if it is not to be used (stray sequence number) */
gboolean tfrc_src_session_on_data (TfrcSrcSession * session,
    const TfrcWireData * header, const TfrcReceivedPacket * packet,
    TfrcArrival * arrival);

/** An RTCP compound of this sender. */
void tfrc_src_session_on_rtcp (TfrcSrcSession * session,
    const TfrcWireRtcp * rtcp, guint64 arrival_ns);

/** When tfrc_src_session_write() has something to write. */
guint64 tfrc_src_session_next_ns (const TfrcSrcSession * session);

/** Writes the next RTCP packet that is due.
 * @param buffer TFRC_WIRE_MAX_RTCP_BYTES
 * @return its size; 0 if nothing (more) is due now */
gsize tfrc_src_session_write (TfrcSrcSession * session, guint32 own_ssrc,
    const gchar * cname, guint64 now_ns, guint8 * buffer);

G_END_DECLS
#endif
