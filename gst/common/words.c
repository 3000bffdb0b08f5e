/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of words in messages, see words.h. */
#include "words.h"

void
gst_tfrc_words_append (GString *list, const gchar *word, gboolean is_last)
{
  if (list->len > 0)
    g_string_append (list, is_last ? " and " : ", ");
  g_string_append (list, word);
}

gchar *
gst_tfrc_words_of_enum (GType type)
{
  GEnumClass *klass = g_type_class_ref (type);
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < klass->n_values; i++)
    gst_tfrc_words_append (list, klass->values[i].value_nick, i == klass->n_values - 1);
  g_type_class_unref (klass);
  return g_string_free (list, FALSE);
}
