/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The log of frames, see framelog.h. */
#include "framelog.h"

typedef struct
{
  guint64 display;
  FrameType type;
} Frame;

gboolean
frame_log_open (FrameLog *log, const gchar *path)
{
  log->frames = g_async_queue_new_full (g_free);
  return meter_log_open (&log->file, path, "frame,type,first_packet,last_packet");
}

void
frame_log_made (FrameLog *log, const ReplayFrame *frame)
{
  Frame *made;

  if (log->file.file == NULL)
    return;
  made = g_new (Frame, 1);
  made->display = frame->display;
  made->type = frame->type;
  g_async_queue_push (log->frames, made);
}

void
frame_log_packed (guint64 first, guint64 last, gpointer user)
{
  FrameLog *log = user;
  Frame *frame = log->file.file != NULL ? g_async_queue_try_pop (log->frames) : NULL;

  if (frame == NULL)
    return;
  fprintf (log->file.file, "%" G_GUINT64_FORMAT ",%c,%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT "\n",
      frame->display, "IPB"[frame->type], first, last);
  g_free (frame);
}

gboolean
frame_log_close (FrameLog *log)
{
  g_async_queue_unref (log->frames);
  return meter_log_close (&log->file);
}
