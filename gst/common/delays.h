/* IPTD, and how much of it is the network's (at the receiver).
 *
 * The sender tells with its SR which RTP time stamp and which send time belong
 * to one moment of its wall clock.  So for every packet the receiver knows, on
 * the sender's wall clock, when it was due (RTP time stamp) and when it left
 * (send time); and on its own wall clock when it arrived.  Due to sent is the
 * sender's delay, whatever the receiver's clock says.  Sent to arrived is the
 * network's delay, if the wall clocks agree: then the least delay is more than
 * nothing and less than the least round-trip time.
 *
 * Both minima are of the last 10 to 20 s, so that a clock that drifts away, or
 * that was wrong, is noticed.  When one of the wall clocks is set, its offset to
 * the monotonic clock of its host moves; then the minima start anew at once. */
#ifndef GST_TFRC_DELAYS_H
#define GST_TFRC_DELAYS_H

#include "histogram.h"

G_BEGIN_DECLS

/** What is remembered is forgotten after one to two of these. */
#define GST_TFRC_DELAYS_WINDOW_NS (10 * G_GUINT64_CONSTANT (1000000000))

/** No network delays a packet for longer (the maximum segment lifetime of RFC
 * 9293): what seems to is a difference of the clocks, and never counted. */
#define GST_TFRC_DELAYS_MAX_NETWORK_NS (120 * G_GINT64_CONSTANT (1000000000))

/** The least values of one window */
typedef struct
{
  gint64 network_ns; /* on clocks that may differ; G_MAXINT64: none */
  guint64 rtt_ns;    /* 0: none */
} GstTfrcDelayMinima;

typedef struct
{
  gboolean mapped; /* an SR has come */
  guint64 sr_wall_ns;
  guint32 sr_timestamp;
  guint32 sr_send_time_us;

  guint64 window_ns;            /* when the current window began, monotonic */
  GstTfrcDelayMinima minima[2]; /* of the current window and of the one before */
  gboolean has_wall_offset;
  guint64 wall_offset_ns; /* our wall clock minus our monotonic clock,
                                 * modulo 2^64, at the last packet */
  GstTfrcHistogram sender;
  GstTfrcHistogram network; /* this and the next: while the clocks agreed */
  GstTfrcHistogram iptd;
} GstTfrcDelays;

void gst_tfrc_delays_init (GstTfrcDelays *delays);

/** A sender report with the sender's clock: all three at the same moment. */
void gst_tfrc_delays_on_sender_report (
    GstTfrcDelays *delays, guint64 ntp, guint32 timestamp, guint32 send_time_us);

/** A data packet.
 * @param rtt_us as it says; 0: unknown
 * @param arrival_ns on this machine's monotonic clock
 * @param arrival_wall_ns the same moment on its wall clock */
void gst_tfrc_delays_on_data (GstTfrcDelays *delays, guint32 timestamp, guint32 send_time_us,
    guint32 rtt_us, guint64 arrival_ns, guint64 arrival_wall_ns);

/** Do the wall clocks of both ends agree at present, as far as can be seen?  Not
 * if @a delays is all zero.
 * They may differ by a round-trip time.  The histograms `network' and `iptd'
 * hold only what was measured while they did. */
gboolean gst_tfrc_delays_clocks_agree (const GstTfrcDelays *delays);

G_END_DECLS
#endif
