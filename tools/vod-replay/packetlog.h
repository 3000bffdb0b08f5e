/* The log of when each packet is due: "due_ns,hash", in real time. */
#ifndef VOD_REPLAY_PACKETLOG_H
#define VOD_REPLAY_PACKETLOG_H

#include <gst/gst.h>

typedef struct _PacketLog PacketLog;

PacketLog *packet_log_new (const gchar *path, GError **error);

/** Real time (CLOCK_REALTIME) of PTS 0; before the first packet. */
void packet_log_set_start (PacketLog *log, guint64 start_ns);

/** Notes what passes the pad; its buffers are of 1316 bytes. */
void packet_log_watch (PacketLog *log, GstPad *pad);

/** FALSE if not everything could be written. */
gboolean packet_log_close (PacketLog *log, GError **error);

#endif
