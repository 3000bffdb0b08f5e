/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Credit, see credit.h. */
#include "credit.h"

/* The most that can be saved, for challenges and answers together: whoever forges a flood does not thereby save up
 * another one. */
#define MAX_BYTES 65536
#define MAX_PACKETS 64

void
gst_tfrc_credit_init (GstTfrcCredit *self, const TfrcPath *path)
{
  self->bytes = MIN (tfrc_path_get_credit_bytes (path), MAX_BYTES);
  self->packets = (guint) MIN (tfrc_path_get_credit_packets (path), MAX_PACKETS);
}

void
gst_tfrc_credit_add (GstTfrcCredit *self, gsize bytes)
{
  self->bytes = MIN (self->bytes + bytes, MAX_BYTES);
  self->packets = MIN (self->packets + 1, MAX_PACKETS);
}

gboolean
gst_tfrc_credit_allows (const GstTfrcCredit *self, guint packets, gsize bytes)
{
  return self->packets >= packets && self->bytes >= bytes;
}

gboolean
gst_tfrc_credit_take (GstTfrcCredit *self, gsize bytes)
{
  if (!gst_tfrc_credit_allows (self, 1, bytes))
    return FALSE;
  self->packets--;
  self->bytes -= bytes;
  return TRUE;
}

const gchar *
gst_tfrc_credit_check (const GstTfrcCredit *self)
{
  return self->bytes > MAX_BYTES || self->packets > MAX_PACKETS ? "more credit than can be saved"
                                                                : NULL;
}
