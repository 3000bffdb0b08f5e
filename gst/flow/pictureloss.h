/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a receiver tells the sender that a picture is lost for good (RFC 4585 section 6.3.1), so that the encoder makes
 * one that needs no other. A picture is lost once the pipeline goes on behind a packet that has not come, and that
 * no repair has brought in time. What the packet carried the receiver cannot know: sound may be taken for a picture.
 * The application may also ask, for example as a decoder has no picture to begin with.
 *
 *     nothing is lost -> the sender is to be told -> (told) nothing is lost
 *
 * What is lost within GST_TFRC_PICTURE_LOSS_INTERVAL_NS after a request waits until that time is over, as the picture
 * that was asked for may have been lost, too. A request that is lost is not repeated: the next loss repeats it.
 *
 * No lock and no clock. */
#ifndef GST_TFRC_PICTURELOSS_H
#define GST_TFRC_PICTURELOSS_H

#include <glib.h>

G_BEGIN_DECLS

/** Between two requests: the longer one of this time and R. On a path that loses packets all the time an encoder would
 * otherwise make nothing but pictures that need no other, of which each takes as many bytes as several others: that
 * would cause more losses. With less than R the second request would leave before the first can have helped. */
#define GST_TFRC_PICTURE_LOSS_INTERVAL_NS G_GUINT64_CONSTANT (1000000000)

/** For pictureloss.c alone; all zero asks for nothing by itself. */
typedef struct
{
  gboolean is_on;
  gboolean is_wanted;
  guint64 asked_ns; /* the last time; 0: never */
} GstTfrcPictureLoss;

/** Says whether losses cause requests. */
void gst_tfrc_picture_loss_set_on (GstTfrcPictureLoss *self, gboolean is_on);

/** Packets are missing for good in front of one that is played. */
void gst_tfrc_picture_loss_on_gap (GstTfrcPictureLoss *self);

/** The application asks. */
void gst_tfrc_picture_loss_ask (GstTfrcPictureLoss *self);

/** Returns when the sender is to be told; 0: now; G_MAXUINT64: not at all.
 * @param rtt_ns R; 0: unknown */
guint64 gst_tfrc_picture_loss_next_ns (const GstTfrcPictureLoss *self, guint64 rtt_ns);

/** Returns TRUE if the sender is to be told now. Then it counts as told. */
gboolean gst_tfrc_picture_loss_take (GstTfrcPictureLoss *self, guint64 rtt_ns, guint64 now_ns);

G_END_DECLS
#endif
