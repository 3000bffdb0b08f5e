/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The responses that a flow owes, see responses.h. */
#include "responses.h"

#include <string.h>

void
gst_tfrc_responses_init (GstTfrcResponses *self)
{
  memset (self, 0, sizeof *self);
  for (guint i = 0; i < G_N_ELEMENTS (self->tokens); i++)
    gst_tfrc_token_bucket_init (
        &self->tokens[i], GST_TFRC_RESPONSES_PER_S, GST_TFRC_RESPONSES_BURST);
}

gboolean
gst_tfrc_responses_on_challenge (GstTfrcResponses *self, gboolean is_receiver, const guint8 *data,
    const GstTfrcAddress *from, guint64 now_ns)
{
  guint place = (self->first + self->n) % GST_TFRC_RESPONSES_MAX;

  if (!gst_tfrc_token_bucket_take (&self->tokens[is_receiver ? 1 : 0], now_ns))
    return FALSE;
  if (self->n == GST_TFRC_RESPONSES_MAX) {
    self->first = (self->first + 1) % GST_TFRC_RESPONSES_MAX;
    self->n--;
  }
  memcpy (self->owed[place].data, data, TFRC_WIRE_PATH_DATA_BYTES);
  self->owed[place].to = *from;
  self->n++;
  return TRUE;
}

gboolean
gst_tfrc_responses_take (GstTfrcResponses *self, guint8 *data, GstTfrcAddress *to)
{
  if (self->n == 0)
    return FALSE;
  memcpy (data, self->owed[self->first].data, TFRC_WIRE_PATH_DATA_BYTES);
  *to = self->owed[self->first].to;
  self->first = (self->first + 1) % GST_TFRC_RESPONSES_MAX;
  self->n--;
  return TRUE;
}

gboolean
gst_tfrc_responses_are_owed (const GstTfrcResponses *self)
{
  return self->n > 0;
}
