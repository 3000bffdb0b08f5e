/* IPTD, and how much of it is the network's (at the receiver).
 *
 * The sender tells with its SR which RTP time stamp and which send time belong
 * to one moment of its wall clock.  So for every packet the receiver knows, on
 * the sender's wall clock, when it was due (RTP time stamp) and when it left
 * (send time); and on its own wall clock when it arrived.  Due to sent is the
 * sender's delay, whatever the receiver's clock says.  Sent to arrived is the
 * network's delay, if the clocks agree: then it is more than nothing and less
 * than the round-trip time. */
#ifndef TFRC_DELAYS_H
#define TFRC_DELAYS_H

#include "tfrchistogram.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean mapped;              /* an SR has come */
  guint64 sr_wall_ns;
  guint32 sr_timestamp;
  guint32 sr_send_time_us;
  gint64 min_network_ns;        /* the least so far, on clocks that may differ */
  guint64 min_rtt_ns;           /* 0: none known */
  TfrcHistogram sender;
  TfrcHistogram network;
  TfrcHistogram iptd;
} TfrcDelays;

void tfrc_delays_init (TfrcDelays * delays);

/** A sender report with the sender's clock: all three at the same moment. */
void tfrc_delays_on_sender_report (TfrcDelays * delays, guint64 ntp,
    guint32 timestamp, guint32 send_time_us);

/** A data packet.
 * @param rtt_us as it says; 0: unknown
 * @param arrival_wall_ns on this machine's wall clock */
void tfrc_delays_on_data (TfrcDelays * delays, guint32 timestamp,
    guint32 send_time_us, guint32 rtt_us, guint64 arrival_wall_ns);

/** Do the wall clocks of both ends agree as far as can be seen?  Without that
 * the histograms `network' and `iptd' mean nothing. */
gboolean tfrc_delays_clocks_agree (const TfrcDelays * delays);

G_END_DECLS
#endif
