/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What packets of a transport stream are worth, see tsclassifier.h. */
#include "tsclassifier.h"

static const GstTfrcImportance unknown = GST_TFRC_IMPORTANCE_INIT;

void
gst_tfrc_ts_classifier_init (GstTfrcTsClassifier *self)
{
  self->importance = unknown;
}

void
gst_tfrc_ts_classifier_reset (GstTfrcTsClassifier *self)
{
  self->importance = unknown;
}

void
gst_tfrc_ts_classifier_add (GstTfrcTsClassifier *self, const guint8 *ts_packet)
{
}

void
gst_tfrc_ts_classifier_end_packet (GstTfrcTsClassifier *self, GstTfrcImportance *importance)
{
  *importance = self->importance;
  self->importance = unknown;
}
