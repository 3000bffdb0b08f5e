/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What packets of a transport stream are worth, see tsclassifier.h. */
#include "tsclassifier.h"

#include <string.h>

void
gst_tfrc_ts_classifier_init (GstTfrcTsClassifier *self)
{
  memset (self, 0, sizeof *self);
  gst_tfrc_ts_programs_init (&self->programs);
  self->is_empty = TRUE;
}

void
gst_tfrc_ts_classifier_reset (GstTfrcTsClassifier *self)
{
  guint i;

  gst_tfrc_ts_programs_flush (&self->programs);
  for (i = 0; i < G_N_ELEMENTS (self->pictures); i++)
    gst_tfrc_ts_pictures_flush (&self->pictures[i]);
  self->is_empty = TRUE;
  self->has_repetition = FALSE;
  self->has_guess = FALSE;
}

static void
merge (GstTfrcTsClassifier *self, const GstTfrcImportance *importance)
{
  if (self->is_empty || importance->class <= self->importance.class)
    self->importance = *importance;
  self->is_empty = FALSE;
}

static void
merge_guess (GstTfrcTsClassifier *self)
{
  if (self->has_guess)
    merge (self, &self->guess);
  self->has_guess = FALSE;
}

static void
merge_class (GstTfrcTsClassifier *self, GstTfrcClass class)
{
  const GstTfrcImportance importance = { (guint8) class, 0, 0 };

  merge (self, &importance);
}

/* A table that says nothing new leaves it to others what their packet is worth: multiplexers send tables ten
 * times a second and more, and a seventh of a packet would save the rest of it. */
static void
add_table (GstTfrcTsClassifier *self, const GstTfrcTsHeader *header)
{
  if (gst_tfrc_ts_programs_read (&self->programs, header, self->numbers.group))
    merge_class (self, GST_TFRC_CLASS_TABLES);
  else
    self->has_repetition = TRUE;
}

static void
add_video (
    GstTfrcTsClassifier *self, const GstTfrcTsHeader *header, guint stream, GstTfrcTsKind kind)
{
  GstTfrcTsPictures *pictures = &self->pictures[stream];
  GstTfrcImportance importance;
  gboolean is_known;

  if (!gst_tfrc_ts_pictures_are_of (pictures, header->pid, kind))
    gst_tfrc_ts_pictures_init (pictures, header->pid, kind);
  is_known = gst_tfrc_ts_pictures_take (pictures, header, &self->numbers, &importance);
  if (self->has_guess && self->guess.picture == importance.picture)
    self->has_guess = FALSE; /* More is known of that picture now. */
  if (is_known) {
    merge (self, &importance);
    return;
  }
  merge_guess (self); /* of another stream, or of a picture without slices */
  self->guess = importance;
  self->has_guess = TRUE;
}

void
gst_tfrc_ts_classifier_add (GstTfrcTsClassifier *self, const guint8 *ts_packet)
{
  GstTfrcTsHeader header;
  GstTfrcTsKind kind;
  guint stream = 0;

  gst_tfrc_ts_header_read (&header, ts_packet);
  if (header.pid == GST_TFRC_TS_PID_NULL) {
    merge_class (self, GST_TFRC_CLASS_NULL);
    return;
  }
  if (header.is_damaged) {
    merge_class (self, GST_TFRC_CLASS_UNKNOWN);
    return;
  }
  if (header.payload_bytes == 0 && header.has_pcr) {
    merge_class (self, GST_TFRC_CLASS_TABLES);
    return;
  }
  kind = gst_tfrc_ts_programs_find (&self->programs, header.pid, &stream);
  switch (kind) {
    case GST_TFRC_TS_TABLES:
      add_table (self, &header);
      break;
    case GST_TFRC_TS_CONDITIONS:
      merge_class (self, GST_TFRC_CLASS_TABLES);
      break;
    case GST_TFRC_TS_AUDIO:
      merge_class (self, GST_TFRC_CLASS_AUDIO);
      break;
    case GST_TFRC_TS_OTHER:
      merge_class (self, GST_TFRC_CLASS_UNKNOWN);
      break;
    default:
      add_video (self, &header, stream, kind);
      break;
  }
}

void
gst_tfrc_ts_classifier_end_packet (GstTfrcTsClassifier *self, GstTfrcImportance *importance)
{
  const GstTfrcImportance unknown = GST_TFRC_IMPORTANCE_INIT;

  merge_guess (self);
  if (self->has_repetition && !self->is_empty && self->importance.class == GST_TFRC_CLASS_NULL)
    self->importance = unknown;
  *importance = self->is_empty ? unknown : self->importance;
  self->is_empty = TRUE;
  self->has_repetition = FALSE;
}
