/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The log of the times at which packets are due: "due_ns,hash", in real time */
#ifndef VOD_REPLAY_PACKETLOG_H
#define VOD_REPLAY_PACKETLOG_H

#include <gst/gst.h>

typedef struct _PacketLog PacketLog;

PacketLog *packet_log_new (const gchar *path, GError **error);

/** Sets the real time (CLOCK_REALTIME) of PTS 0.  Call before the first packet. */
void packet_log_set_start (PacketLog *log, guint64 start_ns);

/** Logs each buffer that passes the pad; buffers have 1316 bytes. */
void packet_log_watch (PacketLog *log, GstPad *pad);

/** Returns FALSE if not everything could be written. */
gboolean packet_log_close (PacketLog *log, GError **error);

#endif
