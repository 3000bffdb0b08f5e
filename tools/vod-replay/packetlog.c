/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The log of the times at which packets are due, see packetlog.h. */
#include "packetlog.h"

#include <errno.h>
#include <stdio.h>

#include "../meter/packethash.h"

struct _PacketLog
{
  FILE *file;
  gchar *path;
  guint64 start_ns;
};

static gboolean
fail_with_errno (const gchar *path, GError **error)
{
  int code = errno;

  g_set_error (
      error, G_FILE_ERROR, g_file_error_from_errno (code), "%s: %s", path, g_strerror (code));
  return FALSE;
}

PacketLog *
packet_log_new (const gchar *path, GError **error)
{
  PacketLog *log;
  FILE *file = fopen (path, "w");

  if (file == NULL) {
    fail_with_errno (path, error);
    return NULL;
  }
  fputs ("due_ns,hash\n", file);
  log = g_new0 (PacketLog, 1);
  log->file = file;
  log->path = g_strdup (path);
  return log;
}

void
packet_log_set_start (PacketLog *log, guint64 start_ns)
{
  log->start_ns = start_ns;
}

static GstPadProbeReturn
note_packet (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  PacketLog *log = user;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstMapInfo map;

  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    if (map.size == PACKET_HASH_BYTES)
      fprintf (log->file, "%" G_GUINT64_FORMAT ",%016" G_GINT64_MODIFIER "x\n",
          log->start_ns + GST_BUFFER_PTS (buffer), (guint64) packet_hash (map.data));
    gst_buffer_unmap (buffer, &map);
  }
  return GST_PAD_PROBE_OK;
}

void
packet_log_watch (PacketLog *log, GstPad *pad)
{
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_packet, log, NULL);
}

gboolean
packet_log_close (PacketLog *log, GError **error)
{
  gboolean failed = ferror (log->file) != 0;
  gboolean complete = fclose (log->file) == 0 && !failed;

  if (!complete)
    fail_with_errno (log->path, error);
  g_free (log->path);
  g_free (log);
  return complete;
}
