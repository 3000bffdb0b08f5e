/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Notices that nobody answers, see silence.h. */
#include "silence.h"

void
gst_tfrc_silence_on_packet (GstTfrcSilence *silence, guint64 now_ns)
{
  if (silence->end_ns == 0)
    silence->end_ns = now_ns + GST_TFRC_SILENCE_NS;
}

void
gst_tfrc_silence_on_error (GstTfrcSilence *silence, gint error)
{
  silence->error = error;
}

void
gst_tfrc_silence_on_answer (GstTfrcSilence *silence)
{
  silence->is_over = TRUE;
}

gint
gst_tfrc_silence_get_error (const GstTfrcSilence *silence)
{
  return silence->error;
}

guint64
gst_tfrc_silence_next_ns (const GstTfrcSilence *silence)
{
  return silence->is_over || silence->end_ns == 0 ? G_MAXUINT64 : silence->end_ns;
}

gboolean
gst_tfrc_silence_is_noticed (GstTfrcSilence *silence, guint64 now_ns)
{
  if (now_ns < gst_tfrc_silence_next_ns (silence))
    return FALSE;
  silence->is_over = TRUE;
  return TRUE;
}
