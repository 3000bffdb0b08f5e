/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The log of frames: which packets carry each frame, in the order of sending,
 * "frame,type,first_packet,last_packet".  Packets are numbered from 0 as the log of packets lists
 * them; a packet may carry the end of a frame and the begin of the next.  What a decoder can show of
 * the packets that have arrived follows from it. */
#ifndef VOD_REPLAY_FRAMELOG_H
#define VOD_REPLAY_FRAMELOG_H

#include "../meter/meterlog.h"
#include "replay.h"

typedef struct
{
  MeterLog file;
  GAsyncQueue *frames; /* made, and not in packets yet; of Frame */
} FrameLog;

/** Returns FALSE, with a message on stderr, if the file cannot be made.  `path' NULL: no log. */
gboolean frame_log_open (FrameLog *log, const gchar *path);

/** A frame has been made.  Any thread; frames come in the order of sending. */
void frame_log_made (FrameLog *log, const ReplayFrame *frame);

/** The oldest frame that was made, and has not been here, is in these packets (a
 * VodSpreadFrameFunc). */
void frame_log_packed (guint64 first, guint64 last, gpointer log);

/** Returns FALSE, with a message on stderr, if not everything could be written. */
gboolean frame_log_close (FrameLog *log);

#endif
