/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Enumerations of tfrcsink alone as GTypes, for its properties. Any thread. */
#ifndef GST_TFRC_SINK_ENUMS_H
#define GST_TFRC_SINK_ENUMS_H

#include <glib-object.h>

G_BEGIN_DECLS

/** GstTfrcLeaky */
GType gst_tfrc_sink_leaky_get_type (void);

/** GstTfrcAllowMigration */
GType gst_tfrc_allow_migration_get_type (void);

G_END_DECLS
#endif
