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
gst_tfrc_responses_on_challenge (GstTfrcResponses *self, gboolean is_peer,
    const guint8 data[TFRC_WIRE_PATH_DATA_BYTES], const GstTfrcReceivedPacket *packet)
{
  GstTfrcResponse *owed = &self->owed[(self->first + self->n) % GST_TFRC_RESPONSES_MAX];

  if (!gst_tfrc_token_bucket_take (&self->tokens[is_peer ? 1 : 0], packet->arrival_ns))
    return FALSE;
  if (self->n == GST_TFRC_RESPONSES_MAX) {
    self->first = (self->first + 1) % GST_TFRC_RESPONSES_MAX;
    self->n--;
  }
  memcpy (owed->data, data, sizeof owed->data);
  owed->to = *packet->from;
  owed->path.interface = packet->interface;
  owed->path.local = packet->local;
  self->n++;
  return TRUE;
}

gboolean
gst_tfrc_responses_take (GstTfrcResponses *self, GstTfrcResponse *response)
{
  if (self->n == 0)
    return FALSE;
  *response = self->owed[self->first];
  self->first = (self->first + 1) % GST_TFRC_RESPONSES_MAX;
  self->n--;
  return TRUE;
}

gboolean
gst_tfrc_responses_are_owed (const GstTfrcResponses *self)
{
  return self->n > 0;
}
