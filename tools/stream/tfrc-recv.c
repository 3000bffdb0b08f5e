/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrc-recv: receives an MPEG transport stream with tfrcsrc.  See man/tfrc-recv.1. */
#include "elements.h"
#include "transfer.h"

static const Program program = {
  .name = "tfrc-recv",
  .arguments = "tfrc://ADDRESS:PORT[?PROPERTY=VALUE&...] OUTPUT",
  .summary = "Receives an MPEG transport stream and tells the sender the rate that TFRC allows.\n"
             "ADDRESS is a local one; [::] and 0.0.0.0 are all.  OUTPUT is a file, - for standard\n"
             "output, or a URI that GStreamer can write.  The properties are those of the element\n"
             "tfrcsrc.",
  .peer = "sender",
  .factory = "tfrcsrc",
  .verb = "received",
  .packets = "packets-received",
  .bytes = "bytes-received",
  .delay = "iptd-mean",
  .delay_name = "IPTD",
};

static GstElement *
make_output (const Options *options, GError **error)
{
  if (options->sink != NULL)
    return gst_parse_bin_from_description_full (
        options->sink, TRUE, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  return elements_make_end (GST_URI_SINK, options->to, error);
}

static GstElement *
make_pipeline (const Options *options, GstElement *source, GError **error)
{
  GstElement *output = make_output (options, error);
  GstElement *const elements[] = { source, output, NULL };

  return output != NULL ? elements_link (elements, error) : NULL;
}

static Status
receive_stream (const Options *options)
{
  GError *error = NULL;
  Status status = STATUS_FAILED;
  GstElement *source = elements_make_tfrc (&program, options, options->from, &status, &error);
  GstElement *pipeline;

  if (source == NULL)
    return program_complain (&program, status, error);
  gst_object_ref_sink (source);
  pipeline = make_pipeline (options, source, &error);
  if (pipeline != NULL) {
    status = transfer_run (&program, options, pipeline, source);
    gst_object_unref (pipeline);
  } else {
    status = program_complain (&program, STATUS_USAGE, error);
  }
  gst_object_unref (source);
  return status;
}

int
main (int argc, char **argv)
{
  Options options;
  gint status = options_parse (&options, &program, &argc, &argv);

  if (status < 0) {
    program_ignore_closed_pipes ();
    status = receive_stream (&options);
  }
  options_clear (&options);
  return status;
}
