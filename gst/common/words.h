/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of words in messages: "a, b and c" */
#ifndef GST_TFRC_WORDS_H
#define GST_TFRC_WORDS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/** Appends one word to a list.  Any thread.
 * @param list empty for the first word */
void gst_tfrc_words_append (GString *list, const gchar *word, gboolean is_last);

/** Returns the nicks of an enumeration as a list, to be freed with g_free().  Any thread. */
gchar *gst_tfrc_words_of_enum (GType type);

G_END_DECLS
#endif
