/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replay window, see replaywindow.h. */
#include "replaywindow.h"

#include <string.h>

static gsize
word_of (guint64 number)
{
  return number / 64 % (GST_TFRC_REPLAY_WINDOW_NUMBERS / 64);
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
      self->bits[word_of (i)] &= ~bit_of (i);
  self->end = number + 1;
}

gboolean
gst_tfrc_replay_window_is_new (const GstTfrcReplayWindow *self, guint64 number, guint64 n_numbers)
{
  if (number >= self->end)
    return TRUE;
  return self->end - number <= n_numbers && !(self->bits[word_of (number)] & bit_of (number));
}

gboolean
gst_tfrc_replay_window_take (GstTfrcReplayWindow *self, guint64 number)
{
  if (!gst_tfrc_replay_window_is_new (self, number, GST_TFRC_REPLAY_WINDOW_NUMBERS))
    return FALSE;
  if (number >= self->end)
    advance (self, number);
  self->bits[word_of (number)] |= bit_of (number);
  return TRUE;
}

void
gst_tfrc_replay_window_forget (GstTfrcReplayWindow *self)
{
  memset (self->bits, 0, sizeof self->bits);
}
