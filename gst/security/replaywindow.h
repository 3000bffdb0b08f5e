/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A replay window (RFC 3711 section 3.3.2): each number counts once, and a number that is
 * far behind the highest does not count at all.
 *
 * No clock, no locks. */
#ifndef GST_TFRC_REPLAYWINDOW_H
#define GST_TFRC_REPLAYWINDOW_H

#include <glib.h>

G_BEGIN_DECLS

/** Numbers that a window covers: many times what a path reorders at 1000 packets a second */
#define GST_TFRC_REPLAY_WINDOW_NUMBERS 1024

/** A plain value, all zero at first.  For replaywindow.c alone. */
typedef struct
{
  guint64 end; /* the highest number plus 1; 0: there was none */
  guint64 bits[GST_TFRC_REPLAY_WINDOW_NUMBERS / 64]; /* of the numbers before the end */
} GstTfrcReplayWindow;

/** Returns whether the number is new, and notes it.
 * @return FALSE: it has come before, or is GST_TFRC_REPLAY_WINDOW_NUMBERS or more behind the highest */
gboolean gst_tfrc_replay_window_take (GstTfrcReplayWindow *self, guint64 number);

/** Returns whether gst_tfrc_replay_window_take() would take the number, if the window were as long as
 * @a n_numbers.
 * @param n_numbers at most GST_TFRC_REPLAY_WINDOW_NUMBERS */
gboolean gst_tfrc_replay_window_is_new (
    const GstTfrcReplayWindow *self, guint64 number, guint64 n_numbers);

/** The numbers begin anew, as for another key: none has come yet.  What is far behind the highest so
 * far does not count all the same. */
void gst_tfrc_replay_window_forget (GstTfrcReplayWindow *self);

G_END_DECLS
#endif
