/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The plugin: registers the elements. */
#include "common/elements.h"

static gboolean
plugin_init (GstPlugin *plugin)
{
  return GST_ELEMENT_REGISTER (tfrcsink, plugin) && GST_ELEMENT_REGISTER (tfrcsrc, plugin)
      && GST_ELEMENT_REGISTER (rtptfrcbwe, plugin);
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, tfrc,
    "TCP-Friendly Rate Control (RFC 5348) for transport streams", plugin_init, PACKAGE_VERSION,
    "LGPL", "gst-tfrc", "gst-tfrc")
