/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrc-send: sends an MPEG transport stream with tfrcsink, at the rate that TFRC allows.  See
 * man/tfrc-send.1. */
#include "elements.h"
#include "sdpfile.h"
#include "tools/remux/input.h"
#include "transfer.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static const Program program = {
  .name = "tfrc-send",
  .arguments = "INPUT tfrc://HOST:PORT[?PROPERTY=VALUE&...]",
  .summary =
      "Sends a movie in its own time, at the rate that TFRC allows: an MPEG transport stream as\n"
      "it is, MP4, Matroska and others as a transport stream.\n"
      "INPUT is a file, - for standard input, or a URI that GStreamer can read.\n"
      "The properties are those of the element tfrcsink.",
  .peer = "receiver",
  .factory = "tfrcsink",
  .verb = "sent",
  .packets = "packets-sent",
  .bytes = "bytes-sent",
  .delay = "sender-delay-mean",
  .delay_name = "sender delay",
  .unknown_type =
      "The input is no transport stream, and no other movie that GStreamer can read. ffmpeg can "
      "make one: ffmpeg -i INPUT -c:v libx264 -c:a aac movie.ts",
};

/* GStreamer would find out only when the pipeline has started. */
static gboolean
check_input (const gchar *name, GError **error)
{
  if (strcmp (name, "-") == 0 || strstr (name, "://") != NULL)
    return TRUE;
  if (g_file_test (name, G_FILE_TEST_IS_DIR)) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_ISDIR,
        "%s is a folder; tfrc-server plays the movies of a folder", name);
    return FALSE;
  }
  if (g_access (name, R_OK) == 0)
    return TRUE;
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "cannot read %s: %s", name,
      g_strerror (errno));
  return FALSE;
}

static GstElement *
make_pipeline (const Options *options, GstElement *sink, GError **error)
{
  GstElement *input = elements_make_end (GST_URI_SRC, options->from, error);
  GstElement *stream = input != NULL ? input_new (error) : NULL;
  GstElement *const elements[] = { input, stream, sink, NULL };

  if (stream != NULL)
    return elements_link (elements, error);
  if (input != NULL)
    gst_object_unref (gst_object_ref_sink (input));
  return NULL;
}

/* @return FALSE with the status for an error that was set */
static gboolean
write_sdp (const Options *options, GstElement *sink, Status *status, GError **error)
{
  gboolean written = TRUE;
  gchar *sdp;

  if (options->sdp_path == NULL)
    return TRUE;
  g_object_get (sink, "sdp", &sdp, NULL);
  *status = sdp != NULL ? STATUS_FAILED : STATUS_USAGE;
  if (sdp == NULL) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--sdp: no player can decrypt a protected stream");
    written = FALSE;
  } else {
    written = sdp_file_write (options->sdp_path, sdp, error);
  }
  g_free (sdp);
  return written;
}

static Status
send_stream (const Options *options)
{
  GError *error = NULL;
  Status status = STATUS_FAILED;
  GstElement *sink, *pipeline;

  if (!check_input (options->from, &error))
    return program_complain (&program, status, error);
  sink = elements_make_tfrc (&program, options, options->to, &status, &error);
  if (sink == NULL)
    return program_complain (&program, status, error);
  gst_object_ref_sink (sink);
  pipeline = make_pipeline (options, sink, &error);
  if (pipeline == NULL)
    status = program_complain (&program, STATUS_USAGE, error);
  else if (!write_sdp (options, sink, &status, &error))
    status = program_complain (&program, status, error);
  else
    status = transfer_run (&program, options, pipeline, sink);
  g_clear_object (&pipeline);
  gst_object_unref (sink);
  return status;
}

int
main (int argc, char **argv)
{
  Options options;
  gint status = options_parse (&options, &program, &argc, &argv);

  if (status < 0) {
    program_ignore_closed_pipes ();
    status = send_stream (&options);
  }
  options_clear (&options);
  return status;
}
