/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replay window, see replaywindow.h. */
#include "replaywindow.h"

#include <string.h>

static guint64 *
word_of (GstTfrcReplayWindow *self, guint64 number, guint64 *bit)
{
  *bit = G_GUINT64_CONSTANT (1) << number % 64;
  return &self->bits[number / 64 % G_N_ELEMENTS (self->bits)];
}

/* The numbers up to this one are new. */
static void
advance (GstTfrcReplayWindow *self, guint64 number)
{
  guint64 bit;

  if (number - self->end >= GST_TFRC_REPLAY_WINDOW_NUMBERS)
    memset (self->bits, 0, sizeof self->bits);
  else
    for (guint64 i = self->end; i <= number; i++)
      *word_of (self, i, &bit) &= ~bit;
  self->end = number + 1;
}

gboolean
gst_tfrc_replay_window_take (GstTfrcReplayWindow *self, guint64 number)
{
  guint64 bit, *word;

  if (number >= self->end)
    advance (self, number);
  else if (self->end - number > GST_TFRC_REPLAY_WINDOW_NUMBERS)
    return FALSE;
  word = word_of (self, number, &bit);
  if (*word & bit)
    return FALSE;
  *word |= bit;
  return TRUE;
}
