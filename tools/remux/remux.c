/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From parsebin to mpegtsmux, see remux.h.  The handlers run on streaming threads. */
#include "remux.h"

#include <string.h>

#define ELEMENTS \
  "parsebin name=demux " \
  "multiqueue name=queues max-size-time=0 max-size-bytes=67108864 " \
  "mpegtsmux name=mux"

/* What a viewer misses */
typedef enum
{
  PICTURE,
  SOUND,
  KINDS
} Kind;

typedef struct
{
  gboolean lacks_dts;     /* pictures have no decoding times: they are found from the order */
  gint is_checked;        /* atomic */
  GMutex lock;            /* of the rest */
  guint carried[KINDS];   /* streams */
  gchar *left_out[KINDS]; /* media type of one that is not carried */
} Remux;

static void
remux_free (gpointer data)
{
  Remux *remux = data;
  guint i;

  for (i = 0; i < KINDS; i++)
    g_free (remux->left_out[i]);
  g_mutex_clear (&remux->lock);
  g_free (remux);
}

static Remux *
remux_of (GstBin *pipeline)
{
  return g_object_get_data (G_OBJECT (pipeline), "remux");
}

static void
count (Remux *remux, const gchar *media_type, gboolean is_carried)
{
  Kind kind = g_str_has_prefix (media_type, "video/") ? PICTURE
      : g_str_has_prefix (media_type, "audio/")       ? SOUND
                                                      : KINDS;

  if (kind == KINDS)
    return;
  g_mutex_lock (&remux->lock);
  if (is_carried) {
    remux->carried[kind]++;
  } else {
    g_free (remux->left_out[kind]);
    remux->left_out[kind] = g_strdup (media_type);
  }
  g_mutex_unlock (&remux->lock);
}

/* ---- a stream -------------------------------------------------------------- */

/* MP4 and Matroska have parameter sets once, beside the pictures. Who joins the stream later, begins behind a seek or has
 * lost the first packets needs them in front of each picture that decoding can begin at. */
static GstElement *
make_parser (const gchar *name)
{
  GstElement *element = gst_element_factory_make (name, NULL);

  if (element != NULL
      && g_object_class_find_property (G_OBJECT_GET_CLASS (element), "config-interval"))
    g_object_set (element, "config-interval", -1, NULL);
  return element;
}

/* In a file, a stream often has another form than in a transport stream.  These parsers change the
 * form; the others are not needed.  timestamper: finds decoding times */
static GstElement *
parser_for (const Remux *remux, const GstStructure *caps)
{
  static const struct
  {
    const gchar *caps, *parser, *timestamper;
  } parsers[] = {
    { "video/x-h264", "h264parse", "h264timestamper" },
    { "video/x-h265", "h265parse", "h265timestamper" },
    { "audio/mpeg, mpegversion=(int)4", "aacparse", NULL },
  };
  const gchar *parser = "identity", *timestamper = NULL;
  GstElement *element;
  gchar *line;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (parsers); i++) {
    GstStructure *wanted = gst_structure_from_string (parsers[i].caps, NULL);

    if (gst_structure_is_subset (caps, wanted)) {
      parser = parsers[i].parser;
      timestamper = parsers[i].timestamper;
    }
    gst_structure_free (wanted);
  }
  /* GStreamer has timestampers since 1.22.  Without one decoders have to find the times. */
  if (!remux->lacks_dts || timestamper == NULL
      || !gst_registry_check_feature_version (gst_registry_get (), timestamper, 1, 22, 0))
    return make_parser (parser);
  line = g_strdup_printf ("%s ! %s config-interval=-1", timestamper, parser);
  element = gst_parse_bin_from_description (line, TRUE, NULL);
  g_free (line);
  return element;
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

static gboolean
connect_stream (GstBin *pipeline, GstElement *mux, GstPad *pad, const GstCaps *caps)
{
  GstElement *parser = parser_for (remux_of (pipeline), gst_caps_get_structure (caps, 0));

  if (parser == NULL)
    return FALSE;
  gst_bin_add (pipeline, parser);
  if (link_stream (pipeline, pad, parser, mux) && gst_element_sync_state_with_parent (parser))
    return TRUE;
  gst_element_set_state (parser, GST_STATE_NULL);
  gst_bin_remove (pipeline, parser);
  return FALSE;
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

/* ---- the movie --------------------------------------------------------------- */

/* @return the media type of what the viewer would miss; NULL: nothing */
static gchar *
dup_missing (Remux *remux)
{
  const gchar *missing = NULL;
  gchar *copy;
  guint i;

  g_mutex_lock (&remux->lock);
  for (i = 0; i < KINDS && missing == NULL; i++)
    missing = remux->carried[i] == 0 ? remux->left_out[i] : NULL;
  copy = g_strdup (missing);
  g_mutex_unlock (&remux->lock);
  return copy;
}

static void
check_streams (GstBin *pipeline)
{
  GstElement *mux = gst_bin_get_by_name (pipeline, "mux");
  gchar *missing = dup_missing (remux_of (pipeline));

  if (missing != NULL)
    GST_ELEMENT_ERROR (mux, STREAM, WRONG_TYPE,
        ("A transport stream cannot carry %s, which the movie has. Transcode it, for example "
         "with ffmpeg -i MOVIE -c:v libx264 -c:a aac movie.mp4.",
            missing),
        (NULL));
  else if (mux->numsinkpads == 0)
    GST_ELEMENT_ERROR (mux, STREAM, WRONG_TYPE,
        ("The movie has no stream that a transport stream can carry."), (NULL));
  g_free (missing);
  gst_object_unref (mux);
}

/* parsebin does not say when it has added all pads, but adds them before data comes from one. */
static GstPadProbeReturn
on_data (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  if (g_atomic_int_compare_and_exchange (&remux_of (data)->is_checked, FALSE, TRUE))
    check_streams (data);
  return GST_PAD_PROBE_REMOVE;
}

static void
on_pad (GstElement *demux, GstPad *pad, gpointer data)
{
  GstBin *pipeline = data;
  GstElement *mux = gst_bin_get_by_name (pipeline, "mux");
  GstCaps *caps = gst_pad_query_caps (pad, NULL);

  if (gst_caps_get_size (caps) > 0 && !gst_caps_is_any (caps))
    count (remux_of (pipeline), gst_structure_get_name (gst_caps_get_structure (caps, 0)),
        can_carry (mux, caps) && connect_stream (pipeline, mux, pad, caps));
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_data, pipeline, NULL);
  gst_caps_unref (caps);
  gst_object_unref (mux);
}

/* Matroska has times of display only. */
static gboolean
lacks_dts (const GstCaps *form)
{
  const GstStructure *type = gst_caps_get_structure (form, 0);

  return gst_structure_has_name (type, "video/x-matroska")
      || gst_structure_has_name (type, "video/webm");
}

static void
connect_streams (GstBin *bin, const GstCaps *form)
{
  GstElement *demux = gst_bin_get_by_name (bin, "demux");
  Remux *remux = g_new0 (Remux, 1);

  remux->lacks_dts = lacks_dts (form);
  g_object_set (demux, "sink-caps", form, NULL);
  g_mutex_init (&remux->lock);
  g_object_set_data_full (G_OBJECT (bin), "remux", remux, remux_free);
  g_signal_connect (demux, "pad-added", G_CALLBACK (on_pad), bin);
  gst_object_unref (demux);
}

/* ---- the first read ---------------------------------------------------------------
 *
 * parsebin connects a demuxer in the task of its typefind element, whose stream lock is held meanwhile, and drops the
 * demuxer's errors until it is connected.  A demuxer that reads on a thread of its own, and finds at once that the movie is
 * broken, would leave the pipeline waiting for ever.  So the first read waits until that lock is free. */

typedef struct
{
  GstPad *from, *connecting; /* where the movie is read; parsebin's typefind */
  gulong probe;
} Gate;

static void
gate_free (gpointer data)
{
  Gate *gate = data;

  gst_object_unref (gate->from);
  gst_object_unref (gate->connecting);
  g_free (gate);
}

/* On a thread of its own */
static void
open_gate (GstElement *element, gpointer data)
{
  Gate *gate = data;

  GST_PAD_STREAM_LOCK (gate->connecting);
  GST_PAD_STREAM_UNLOCK (gate->connecting);
  gst_pad_remove_probe (gate->from, gate->probe);
}

/* The task itself reads for a demuxer that does not, and may. */
static GstPadProbeReturn
on_first_read (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstElement *element;
  Gate *gate;

  if (GST_PAD_STREAM_TRYLOCK (data)) {
    GST_PAD_STREAM_UNLOCK (data);
    return GST_PAD_PROBE_REMOVE;
  }
  gate = g_new0 (Gate, 1);
  gate->from = gst_object_ref (pad);
  gate->connecting = gst_object_ref (data);
  gate->probe = GST_PAD_PROBE_INFO_ID (info);
  element = gst_pad_get_parent_element (pad);
  gst_element_call_async (element, open_gate, gate, gate_free);
  gst_object_unref (element);
  return GST_PAD_PROBE_OK;
}

static void
hold_first_read (GstElement *typefind, GstBin *remux)
{
  GstElement *demux = gst_bin_get_by_name (remux, "demux");
  GstElement *inner = gst_bin_get_by_name (GST_BIN (demux), "typefind");
  GstPad *pad = gst_element_get_static_pad (typefind, "src");

  if (inner != NULL)
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_PULL | GST_PAD_PROBE_TYPE_BLOCK, on_first_read,
        gst_element_get_static_pad (inner, "sink"), gst_object_unref);
  gst_clear_object (&inner);
  gst_object_unref (pad);
  gst_object_unref (demux);
}

/* The links come first: a demuxer chooses with its first state whether it reads where it likes. */
void
remux_link (GstBin *bin, GstElement *typefind, GstElement *next, const GstCaps *form)
{
  GError *error = NULL;
  GstElement *remux = gst_parse_bin_from_description_full (
      ELEMENTS, TRUE, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);

  if (remux == NULL) {
    GST_ELEMENT_ERROR (typefind, CORE, MISSING_PLUGIN, ("%s", error->message), (NULL));
    g_error_free (error);
    return;
  }
  connect_streams (GST_BIN (remux), form);
  gst_bin_add (bin, remux);
  hold_first_read (typefind, GST_BIN (remux));
  if (!gst_element_link_many (typefind, remux, next, NULL)
      || !gst_element_sync_state_with_parent (remux))
    GST_ELEMENT_ERROR (typefind, CORE, NEGOTIATION, (NULL),
        ("%s does not go into a transport stream",
            gst_structure_get_name (gst_caps_get_structure (form, 0))));
}
