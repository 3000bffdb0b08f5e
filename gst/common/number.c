/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers in text, see number.h. */
#include "number.h"

gboolean
gst_tfrc_number_read (const gchar *text, guint64 min, guint64 max, guint64 *number)
{
  guint64 value = 0;

  if (text == NULL || *text == '\0')
    return FALSE;
  for (; g_ascii_isdigit (*text); text++) {
    guint digit = (guint) (*text - '0');

    if (value > (G_MAXUINT64 - digit) / 10)
      return FALSE;
    value = value * 10 + digit;
  }
  if (*text != '\0' || value < min || value > max)
    return FALSE;
  *number = value;
  return TRUE;
}
