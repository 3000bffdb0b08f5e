/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers in text that a user has written.
 *
 * g_ascii_string_to_unsigned() of GLib (2.74) looks at errno, which its first call from two threads at once can
 * set while one waits for the other: then it refuses a good number. */
#ifndef GST_TFRC_NUMBER_H
#define GST_TFRC_NUMBER_H

#include <glib.h>

G_BEGIN_DECLS

/** Reads a decimal number: digits alone, without sign or space.  Any thread.
 * @param text NULL is no number
 * @param number unchanged if the text is no number
 * @return FALSE if the text is no number from min to max */
gboolean gst_tfrc_number_read (const gchar *text, guint64 min, guint64 max, guint64 *number);

G_END_DECLS
#endif
