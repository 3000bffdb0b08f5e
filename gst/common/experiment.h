/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Variants of TFRC that papers and measurements need, and that no user does: the property
 * `experiment' of both elements, whose text is "key=value,key=value". */
#ifndef GST_TFRC_EXPERIMENT_H
#define GST_TFRC_EXPERIMENT_H

#include "profile.h"

G_BEGIN_DECLS

/** An end of a stream.  Each has keys of its own. */
typedef enum
{
  GST_TFRC_END_SENDER = 1 << 0,  /**< tfrcsink */
  GST_TFRC_END_RECEIVER = 1 << 1 /**< tfrcsrc */
} GstTfrcEnd;

/** The choices of `profile' and `experiment' together.  An end uses the members for which it has a
 * key, and those alone. */
typedef struct
{
  GstTfrcProfileValues profile; /**< the profile's, each replaced by the key of its name */
  gdouble rate_scale;           /**< factor on the throughput equation, 0.01..100; default 1 */
  guint history_length;         /**< loss intervals, 2..TFRC_MAX_HISTORY_LENGTH; default 8 */
  TfrcHandoverMode handover_mode;
} GstTfrcChoices;

/** Fills in @a choices: the values of the profile, and then those of @a experiment, which may be
 * NULL or empty.  The result does not depend on the order of the two properties.
 *
 * @return FALSE with @a error (GST_RESOURCE_ERROR_SETTINGS) if @a experiment has a key that the end
 *   does not have, a value that the key does not allow, or a key twice.  The error names the key,
 *   and what is allowed.  @a choices are then those of the profile alone.  Any thread. */
gboolean gst_tfrc_choices_read (GstTfrcChoices *choices, GstTfrcEnd end, GstTfrcProfile profile,
    const gchar *experiment, GError **error);

/** Returns whether an end may have this text as its `experiment'; otherwise FALSE with @a error, as
 * above.  For GstTfrcProperty.check.  Any thread. */
gboolean gst_tfrc_experiment_check_sender (const gchar *text, GError **error);
gboolean gst_tfrc_experiment_check_receiver (const gchar *text, GError **error);

G_END_DECLS
#endif
