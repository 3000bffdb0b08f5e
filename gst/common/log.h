/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The debug categories, for GST_DEBUG: those of what both elements share, and one named after each
 * element.
 *
 * | category | tells of                                                                        |
 * |----------|---------------------------------------------------------------------------------|
 * | tfrcport | sockets, and datagrams of no flow                                               |
 * | tfrcflow | packets, queues, RTCP, paths and handovers of one peer                          |
 * | tfrcpeer | who may become the peer: challenges, validation, liveness                       |
 * | tfrckeys | key exchanges and protection; never a key, a passphrase or a nonce              |
 * | tfrcrate | the allowed rate X, and what has changed it                                     |
 * | tfrcsink | what the sink tells the application, and its input                              |
 * | tfrcsrc  | what the source tells the application                                           |
 *
 * A decision is logged once, where it is taken, with its numbers. Levels: INFO for a change of the
 * peer or its state, DEBUG for what is rare, LOG for each feedback packet, TRACE for each packet. */
#ifndef GST_TFRC_LOG_H
#define GST_TFRC_LOG_H

#include <gst/gst.h>

G_BEGIN_DECLS

extern GstDebugCategory *gst_tfrc_port_debug;
extern GstDebugCategory *gst_tfrc_flow_debug;
extern GstDebugCategory *gst_tfrc_peer_debug;
extern GstDebugCategory *gst_tfrc_keys_debug;
extern GstDebugCategory *gst_tfrc_rate_debug;
extern GstDebugCategory *gst_tfrc_sink_debug;
extern GstDebugCategory *gst_tfrc_src_debug;

/** Registers the categories. Before the first object of the plugin is made; further calls do nothing. Any
 * thread. */
void gst_tfrc_log_init (void);

/** Says whether gst_tfrc_log() would look at its arguments, for arguments that cost something. */
#define gst_tfrc_log_is_wanted(category, level) \
  (G_UNLIKELY (GST_LEVEL_##level <= _gst_debug_min) && gst_tfrc_##category##_debug \
      && GST_LEVEL_##level <= gst_debug_category_get_threshold (gst_tfrc_##category##_debug))

/** Logs with a category of this file: gst_tfrc_log (port, DEBUG, "bound to %s", name). Before
 * gst_tfrc_log_init() nothing is logged. One comparison if nobody listens. */
#define gst_tfrc_log(category, level, ...) \
  G_STMT_START \
  { \
    if (G_UNLIKELY (GST_LEVEL_##level <= _gst_debug_min) && gst_tfrc_##category##_debug) \
      GST_CAT_LEVEL_LOG (gst_tfrc_##category##_debug, GST_LEVEL_##level, NULL, __VA_ARGS__); \
  } \
  G_STMT_END

/** Returns whether the number is a power of two: of a flood of packets the first, the second, the fourth and
 * so on are logged. */
static inline gboolean
gst_tfrc_log_counts (guint64 number)
{
  return (number & (number - 1)) == 0;
}

G_END_DECLS
#endif
