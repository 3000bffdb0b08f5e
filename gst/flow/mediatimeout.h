/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The media timeout of RFC 8083 section 4.2: a receiver reports, but none of the packets that leave come to it. A
 * firewall or a path with a smaller MTU can pass RTCP and drop data.
 *
 * No lock and no clock. */
#ifndef GST_TFRC_MEDIATIMEOUT_H
#define GST_TFRC_MEDIATIMEOUT_H

#include <glib.h>

G_BEGIN_DECLS

/** So many reports in a row without an arrival are a timeout: MEDIA_TIMEOUT of RFC 8083 section 4.2. */
#define GST_TFRC_MEDIA_TIMEOUT_REPORTS 5

/** Reports count if they are as far apart, so that a timeout takes 10 s at least, as the silence after which a
 * receiver is lost. A receiver without data reports twice a second. */
#define GST_TFRC_MEDIA_TIMEOUT_INTERVAL_NS (2 * G_GUINT64_CONSTANT (1000000000))

/** Receiver reports count the packets of the movie, feedback of TFRC all packets. */
typedef enum
{
  GST_TFRC_MEDIA_RTP,
  GST_TFRC_MEDIA_TRANSPORT,
  GST_TFRC_MEDIA_NUMBERS /**< how many there are */
} GstTfrcMediaNumber;

/** Zero-initialise. */
typedef struct
{
  guint32 highest_seq[GST_TFRC_MEDIA_NUMBERS]; /* as reported last */
  guint64 packets_sent;                        /* by the last report that counts */
  guint64 counted_ns;                          /* when that report came */
  guint reports;                               /* without an arrival in a row, up to the limit */
} GstTfrcMediaTimeout;

/** A report has come that the receiver has made.
 * @param highest_seq of all packets that have come to the receiver; another number than that of the report before shows
 *   an arrival, also if the receiver has restarted and counts anew
 * @param packets_sent so far. A report before which nothing has left does not count, so that a sender may pause. */
void gst_tfrc_media_timeout_on_report (GstTfrcMediaTimeout *self, GstTfrcMediaNumber number,
    guint32 highest_seq, guint64 packets_sent, guint64 now_ns);

/** Returns whether the packets do not come to the receiver, as far as its reports show. */
gboolean gst_tfrc_media_timeout_is_expired (const GstTfrcMediaTimeout *self);

G_END_DECLS
#endif
