/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random numbers that no peer can guess, see random.h. */
#include "random.h"

#include <errno.h>
#include <sys/random.h>

#define CNAME_RANDOM_BYTES 12 /* 96 bits: 16 characters without padding */

gboolean
gst_tfrc_random_fill (gpointer bytes, gsize size)
{
  gsize filled = 0;

  while (filled < size) {
    gssize n = getrandom ((guint8 *) bytes + filled, size - filled, 0);

    if (n > 0)
      filled += (gsize) n;
    else if (n == 0 || errno != EINTR)
      return FALSE;
  }
  return TRUE;
}

gboolean
gst_tfrc_random_cname (gchar cname[GST_TFRC_RANDOM_CNAME_BYTES])
{
  guint8 bytes[CNAME_RANDOM_BYTES];
  gchar *text;

  if (!gst_tfrc_random_fill (bytes, sizeof bytes))
    return FALSE;
  text = g_base64_encode (bytes, sizeof bytes);
  g_strlcpy (cname, text, GST_TFRC_RANDOM_CNAME_BYTES);
  g_free (text);
  return TRUE;
}

void
gst_tfrc_random_set_error (GError **error)
{
  gint saved_errno = errno;

  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (saved_errno),
      "The system has no random numbers for a stream (getrandom): %s", g_strerror (saved_errno));
}

gboolean
gst_tfrc_random_is_available (GError **error)
{
  guint8 byte;

  if (gst_tfrc_random_fill (&byte, sizeof byte))
    return TRUE;
  gst_tfrc_random_set_error (error);
  return FALSE;
}
