/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The path of each received packet, see receivepaths.h. */
#include "receivepaths.h"

void
gst_tfrc_receive_paths_change (GstTfrcReceivePaths *paths, const GstTfrcLocalPath *path)
{
  paths->active = *path;
  paths->id++;
}

void
gst_tfrc_receive_paths_reset (GstTfrcReceivePaths *paths)
{
  const GstTfrcLocalPath any = { 0 };

  paths->active = any;
}

gboolean
gst_tfrc_path_is_unspecified (const GstTfrcLocalPath *path)
{
  return path->interface == 0 && gst_tfrc_address_family (&path->local) == AF_UNSPEC;
}

gboolean
gst_tfrc_path_matches (const GstTfrcLocalPath *path, const GstTfrcLocalPath *other)
{
  if (path->interface != 0 && path->interface != other->interface)
    return FALSE;
  return gst_tfrc_address_family (&path->local) == AF_UNSPEC
      || gst_tfrc_address_same_host (&path->local, &other->local);
}

gboolean
gst_tfrc_receive_paths_is_active (
    const GstTfrcReceivePaths *paths, const GstTfrcReceivedPacket *packet)
{
  const GstTfrcLocalPath path = { packet->interface, packet->local };

  return gst_tfrc_path_matches (&paths->active, &path);
}

guint8
gst_tfrc_receive_paths_get_id (
    const GstTfrcReceivePaths *paths, const GstTfrcReceivedPacket *packet)
{
  return gst_tfrc_receive_paths_is_active (paths, packet) ? paths->id : (guint8) (paths->id - 1);
}

const GstTfrcLocalPath *
gst_tfrc_receive_paths_get_active (const GstTfrcReceivePaths *paths)
{
  return &paths->active;
}

guint8
gst_tfrc_receive_paths_get_active_id (const GstTfrcReceivePaths *paths)
{
  return paths->id;
}
