/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The path of each packet that a receiver gets.
 *
 * A path (RFC 9000 section 9) leads from a local address of this host to the peer.  The active path
 * is the path that the receiver has migrated to last, over which feedback leaves.  Each migration
 * gives the active path a new path ID, which TFRC gets with each packet (TfrcData).
 *
 * No socket, no clock, no locks. */
#ifndef GST_TFRC_RECEIVEPATHS_H
#define GST_TFRC_RECEIVEPATHS_H

#include "../io/datagrams.h"

G_BEGIN_DECLS

/** A plain value.  All zero: every path is the active one, and there was no migration. */
typedef struct
{
  GstTfrcLocalPath active; /**< what is known of the active path's local end */
  guint8 id;               /**< path ID of the active path; wraps */
} GstTfrcReceivePaths;

/** Makes another path the active one. */
void gst_tfrc_receive_paths_change (GstTfrcReceivePaths *paths, const GstTfrcLocalPath *path);

/** Makes every path the active one, with the path ID as it is. */
void gst_tfrc_receive_paths_reset (GstTfrcReceivePaths *paths);

/** Returns what is known of the active path; valid as long as @a paths. */
const GstTfrcLocalPath *gst_tfrc_receive_paths_get_active (const GstTfrcReceivePaths *paths);

/** Returns the path ID of the active path. */
guint8 gst_tfrc_receive_paths_get_active_id (const GstTfrcReceivePaths *paths);

/** Returns whether a packet has come over the active path. */
gboolean gst_tfrc_receive_paths_is_active (
    const GstTfrcReceivePaths *paths, const GstTfrcReceivedPacket *packet);

/** Returns the path ID for a packet: that of the active path, or the path ID before for a packet
 * over any other path. */
guint8 gst_tfrc_receive_paths_get_id (
    const GstTfrcReceivePaths *paths, const GstTfrcReceivedPacket *packet);

/** Returns whether neither interface nor address of the path is known. */
gboolean gst_tfrc_path_is_unspecified (const GstTfrcLocalPath *path);

/** Returns whether all that is known of @a path is true of @a other. */
gboolean gst_tfrc_path_matches (const GstTfrcLocalPath *path, const GstTfrcLocalPath *other);

G_END_DECLS
#endif
