/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Enumerations of tfrcsink alone, see gsttfrcsinkenums.h. */
#include "gsttfrcsinkenums.h"

#include "../flow/sendflow.h"

GType
gst_tfrc_sink_leaky_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { GST_TFRC_LEAKY_NONE, "Not leaky: the pipeline waits",
                                           "no" },
    { GST_TFRC_LEAKY_UPSTREAM, "Leaky on upstream (new packets)", "upstream" },
    { GST_TFRC_LEAKY_DOWNSTREAM, "Leaky on downstream (old packets)", "downstream" },
    { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstTfrcSinkLeaky", values));
  return type;
}

GType
gst_tfrc_allow_migration_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { GST_TFRC_ALLOW_MIGRATION_NEVER, "Never", "never" },
    { GST_TFRC_ALLOW_MIGRATION_AUTHENTICATED, "If the stream is protected", "authenticated" },
    { GST_TFRC_ALLOW_MIGRATION_ALWAYS, "Always", "always" }, { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstTfrcAllowMigration", values));
  return type;
}

GType
gst_tfrc_no_receiver_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { GST_TFRC_NO_RECEIVER_WARN, "A warning", "warn" },
    { GST_TFRC_NO_RECEIVER_ERROR, "An error", "error" }, { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstTfrcNoReceiver", values));
  return type;
}
