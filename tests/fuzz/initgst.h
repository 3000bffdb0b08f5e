/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GStreamer for the fuzz targets that need its types */
#ifndef INITGST_H
#define INITGST_H

#include <gst/gst.h>

static inline void
init_gstreamer (void)
{
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    /* neither plugins nor the registry are needed */
    g_setenv ("GST_PLUGIN_SYSTEM_PATH_1_0", "", TRUE);
    g_setenv ("GST_REGISTRY_DISABLE", "yes", TRUE);
    gst_init (NULL, NULL);
    g_once_init_leave (&once, 1);
  }
}

#endif
