/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The classifier says what packets of an MPEG transport stream (ISO/IEC 13818-1) are worth to the viewer
 * (gst/queue/importance.h). A packet of RTP holds several packets of the transport stream, and is worth
 * what the most important of these is worth; of two that are worth the same, the later one says which
 * picture it is, since a picture that begins is of use only with its beginning.
 *
 * Any bytes are taken, and memory is bounded: what the classifier cannot read is of unknown class.
 * No lock and no clock: for the streaming thread. */
#ifndef GST_TFRC_TSCLASSIFIER_H
#define GST_TFRC_TSCLASSIFIER_H

#include "tspictures.h"

G_BEGIN_DECLS

/** For tsclassifier.c alone */
typedef struct
{
  GstTfrcTsPrograms programs;
  GstTfrcTsPictures pictures[GST_TFRC_TS_MAX_STREAMS]; /* of the streams in programs */
  GstTfrcTsNumbers numbers;
  gboolean is_empty;            /* nothing is in the packet of RTP so far */
  gboolean has_repetition;      /* a table is in it that says nothing new */
  GstTfrcImportance importance; /* of the packet of RTP so far */
  /* A packet of the transport stream whose picture has not said what it is: it counts if the packet of
   * RTP ends before the picture says more. */
  gboolean has_guess;
  GstTfrcImportance guess;
} GstTfrcTsClassifier;

void gst_tfrc_ts_classifier_init (GstTfrcTsClassifier *self);

/** Forgets the packet so far and the pictures that have begun, as after a flush: the stream goes on
 * elsewhere. Tables stay, and no number is given twice. */
void gst_tfrc_ts_classifier_reset (GstTfrcTsClassifier *self);

/** Adds a packet of the transport stream to the packet of RTP.
 * @param ts_packet GST_TFRC_TS_PACKET_BYTES, the first of which is the sync byte; anything may follow */
void gst_tfrc_ts_classifier_add (GstTfrcTsClassifier *self, const guint8 *ts_packet);

/** Ends the packet of RTP: says what it is worth, and begins the next one. */
void gst_tfrc_ts_classifier_end_packet (GstTfrcTsClassifier *self, GstTfrcImportance *importance);

G_END_DECLS
#endif
