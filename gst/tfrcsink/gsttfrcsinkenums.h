/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Enumerations of tfrcsink alone as GTypes, for its properties. Any thread. */
#ifndef GST_TFRC_SINK_ENUMS_H
#define GST_TFRC_SINK_ENUMS_H

#include <glib-object.h>

G_BEGIN_DECLS

/** What the end of a stream is that nobody has answered */
typedef enum
{
  GST_TFRC_NO_RECEIVER_WARN, /**< a warning: the other sinks of the pipeline go on */
  GST_TFRC_NO_RECEIVER_ERROR /**< an error, which ends the pipeline */
} GstTfrcNoReceiver;

/** GstTfrcNoReceiver */
GType gst_tfrc_no_receiver_get_type (void);

/** GstTfrcLeaky */
GType gst_tfrc_sink_leaky_get_type (void);

/** GstTfrcAllowMigration */
GType gst_tfrc_allow_migration_get_type (void);

G_END_DECLS
#endif
