/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The classifier says what packets of an MPEG transport stream (ISO/IEC 13818-1) are worth to the viewer
 * (gst/queue/importance.h). A packet of RTP holds several packets of the transport stream, and is worth
 * what the most important of these is worth.
 *
 * No lock and no clock: for the streaming thread. */
#ifndef GST_TFRC_TSCLASSIFIER_H
#define GST_TFRC_TSCLASSIFIER_H

#include "../queue/importance.h"

G_BEGIN_DECLS

#define GST_TFRC_TS_PACKET_BYTES 188

/** For tsclassifier.c alone */
typedef struct
{
  GstTfrcImportance importance; /* of the packet so far */
} GstTfrcTsClassifier;

void gst_tfrc_ts_classifier_init (GstTfrcTsClassifier *self);

/** Forgets the packet so far, as after a flush: the stream goes on elsewhere. */
void gst_tfrc_ts_classifier_reset (GstTfrcTsClassifier *self);

/** Adds a packet of the transport stream to the packet of RTP.
 * @param ts_packet GST_TFRC_TS_PACKET_BYTES, the first of which is the sync byte; anything may follow */
void gst_tfrc_ts_classifier_add (GstTfrcTsClassifier *self, const guint8 *ts_packet);

/** Ends the packet of RTP: says what it is worth, and begins the next one. */
void gst_tfrc_ts_classifier_end_packet (GstTfrcTsClassifier *self, GstTfrcImportance *importance);

G_END_DECLS
#endif
