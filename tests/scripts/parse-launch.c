/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tells whether a pipeline description parses, without running it: the
 * arguments are those of gst-launch-1.0.  Exit status: 0 it parses, 1 it does
 * not, 77 it needs elements that are not installed. */
#include <gst/gst.h>

#define EXIT_SKIPPED 77

int
main (int argc, char **argv)
{
  GstParseContext *context;
  GstElement *pipeline;
  GError *error = NULL;
  gchar **missing, *names;
  int status = 0;

  gst_init (NULL, NULL);
  if (argc < 2) {
    g_printerr ("no pipeline description\n");
    return 1;
  }
  context = gst_parse_context_new ();
  pipeline = gst_parse_launchv_full (
      (const gchar **) (argv + 1), context, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  missing = gst_parse_context_get_missing_elements (context);
  if (missing) {
    names = g_strjoinv (", ", missing);
    g_print ("not installed: %s\n", names);
    g_free (names);
    status = EXIT_SKIPPED;
  } else if (error) {
    g_print ("%s\n", error->message);
    status = 1;
  }
  g_strfreev (missing);
  g_clear_error (&error);
  gst_parse_context_free (context);
  if (pipeline)
    gst_object_unref (pipeline);
  return status;
}
