/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replay window, see replaywindow.h. */
#include "replaywindow.h"

#include <string.h>

static guint64 *
word_of (GstTfrcReplayWindow *self, guint64 number)
{
  return &self->bits[number / 64 % G_N_ELEMENTS (self->bits)];
}

static guint64
bit_of (guint64 number)
{
  return G_GUINT64_CONSTANT (1) << number % 64;
}

/* Moves the window's end behind this number.  None of the numbers in between has come yet. */
static void
advance (GstTfrcReplayWindow *self, guint64 number)
{
  if (number - self->end >= GST_TFRC_REPLAY_WINDOW_NUMBERS)
    memset (self->bits, 0, sizeof self->bits);
  else
    for (guint64 i = self->end; i <= number; i++)
      *word_of (self, i) &= ~bit_of (i);
  self->end = number + 1;
}

gboolean
gst_tfrc_replay_window_take (GstTfrcReplayWindow *self, guint64 number)
{
  guint64 *word = word_of (self, number), bit = bit_of (number);

  if (number >= self->end)
    advance (self, number);
  else if (self->end - number > GST_TFRC_REPLAY_WINDOW_NUMBERS)
    return FALSE;
  if (*word & bit)
    return FALSE;
  *word |= bit;
  return TRUE;
}
