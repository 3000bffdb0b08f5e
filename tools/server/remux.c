/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From parsebin to mpegtsmux, see remux.h.  The handlers run on streaming threads. */
#include "remux.h"

#include <string.h>

/* In a file, a stream often has another form than in a transport stream.  These parsers change the
 * form; the others are not needed. */
static GstElement *
parser_for (const GstStructure *caps)
{
  static const struct
  {
    const gchar *caps, *parser;
  } parsers[] = {
    { "video/x-h264", "h264parse" },
    { "video/x-h265", "h265parse" },
    { "audio/mpeg, mpegversion=(int)4", "aacparse" },
  };
  const gchar *parser = "identity";
  guint i;

  for (i = 0; i < G_N_ELEMENTS (parsers); i++) {
    GstStructure *wanted = gst_structure_from_string (parsers[i].caps, NULL);

    if (gst_structure_is_subset (caps, wanted))
      parser = parsers[i].parser;
    gst_structure_free (wanted);
  }
  return gst_element_factory_make (parser, NULL);
}

/* From the demuxer through a queue and a parser to the muxer.  The queues let the demuxer, which
 * serves all streams in turn, go on while the muxer waits for one of them. */
static gboolean
link_stream (GstBin *pipeline, GstPad *pad, GstElement *parser, GstElement *mux)
{
  GstElement *queues = gst_bin_get_by_name (pipeline, "queues");
  GstPad *into = gst_element_request_pad_simple (queues, "sink_%u");
  gchar *from = g_strconcat ("src_", GST_PAD_NAME (into) + strlen ("sink_"), NULL);
  gboolean ok = gst_pad_link (pad, into) == GST_PAD_LINK_OK
      && gst_element_link_pads (queues, from, parser, "sink")
      && gst_element_link_pads (parser, "src", mux, NULL);

  if (!ok)
    gst_element_release_request_pad (queues, into);
  g_free (from);
  gst_object_unref (into);
  gst_object_unref (queues);
  return ok;
}

static void
connect_stream (GstBin *pipeline, GstElement *mux, GstPad *pad, const GstCaps *caps)
{
  GstElement *parser = parser_for (gst_caps_get_structure (caps, 0));

  if (parser == NULL)
    return;
  gst_bin_add (pipeline, parser);
  if (link_stream (pipeline, pad, parser, mux) && gst_element_sync_state_with_parent (parser))
    return;
  gst_element_set_state (parser, GST_STATE_NULL);
  gst_bin_remove (pipeline, parser);
}

static gboolean
can_carry (GstElement *mux, const GstCaps *caps)
{
  GstPadTemplate *template = gst_element_get_pad_template (mux, "sink_%d");
  GstCaps *carried = gst_pad_template_get_caps (template);
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  gboolean can = FALSE;
  guint i;

  /* The parser may change the rest of the caps. */
  for (i = 0; i < gst_caps_get_size (carried); i++)
    can |= gst_structure_has_name (
        structure, gst_structure_get_name (gst_caps_get_structure (carried, i)));
  gst_caps_unref (carried);
  return can;
}

static void
on_pad (GstElement *demux, GstPad *pad, gpointer data)
{
  GstBin *pipeline = data;
  GstElement *mux = gst_bin_get_by_name (pipeline, "mux");
  GstCaps *caps = gst_pad_query_caps (pad, NULL);

  if (gst_caps_get_size (caps) > 0 && !gst_caps_is_any (caps) && can_carry (mux, caps))
    connect_stream (pipeline, mux, pad, caps);
  gst_caps_unref (caps);
  gst_object_unref (mux);
}

static void
on_no_more_pads (GstElement *demux, gpointer data)
{
  GstElement *mux = gst_bin_get_by_name (data, "mux");

  if (mux->numsinkpads == 0)
    GST_ELEMENT_ERROR (mux, STREAM, WRONG_TYPE,
        ("The movie has no stream that a transport stream can carry."), (NULL));
  gst_object_unref (mux);
}

void
remux_connect (GstBin *pipeline)
{
  GstElement *demux = gst_bin_get_by_name (pipeline, "demux");

  g_signal_connect (demux, "pad-added", G_CALLBACK (on_pad), pipeline);
  g_signal_connect (demux, "no-more-pads", G_CALLBACK (on_no_more_pads), pipeline);
  gst_object_unref (demux);
}
