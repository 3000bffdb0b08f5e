/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Debug categories, see log.h. */
#include "log.h"

GstDebugCategory *gst_tfrc_port_debug;
GstDebugCategory *gst_tfrc_flow_debug;
GstDebugCategory *gst_tfrc_peer_debug;
GstDebugCategory *gst_tfrc_keys_debug;
GstDebugCategory *gst_tfrc_rate_debug;
GstDebugCategory *gst_tfrc_sink_debug;
GstDebugCategory *gst_tfrc_src_debug;

void
gst_tfrc_log_init (void)
{
  static gsize is_done = 0;

  if (!g_once_init_enter (&is_done))
    return;
  GST_DEBUG_CATEGORY_INIT (gst_tfrc_port_debug, "tfrcport", 0, "TFRC: sockets and their flows");
  GST_DEBUG_CATEGORY_INIT (
      gst_tfrc_flow_debug, "tfrcflow", 0, "TFRC: packets and RTCP of one peer");
  GST_DEBUG_CATEGORY_INIT (gst_tfrc_peer_debug, "tfrcpeer", 0, "TFRC: who may become the peer");
  GST_DEBUG_CATEGORY_INIT (gst_tfrc_keys_debug, "tfrckeys", 0, "TFRC: key exchanges");
  GST_DEBUG_CATEGORY_INIT (gst_tfrc_rate_debug, "tfrcrate", 0, "TFRC: the allowed rate");
  GST_DEBUG_CATEGORY_INIT (gst_tfrc_sink_debug, "tfrcsink", 0, "TFRC sink");
  GST_DEBUG_CATEGORY_INIT (gst_tfrc_src_debug, "tfrcsrc", 0, "TFRC source");
  g_once_init_leave (&is_done, 1);
}
