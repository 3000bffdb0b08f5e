/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From typefind to tsparse, see input.h. The handler runs on the streaming thread. */
#include "input.h"

#include "remux.h"

/* With alignment=1 a transport stream stays as it is, byte for byte; tfrcsink puts seven packets into
 * one. */
#define INPUT_ELEMENTS "typefind name=type tsparse name=parse set-timestamps=true alignment=1"

/* A list names what is to be read, which would be other files and hosts: only the user may choose these.
 *
 * @return FALSE after an error */
static gboolean
check_type (GstElement *typefind, const GstStructure *type)
{
  static const gchar *const lists[] = { "application/x-hls", "application/dash+xml",
    "application/vnd.ms-sstr+xml", NULL };
  const gchar *name = gst_structure_get_name (type);

  if (g_str_has_prefix (name, "text/")) {
    GST_ELEMENT_ERROR (typefind, STREAM, TYPE_NOT_FOUND, (NULL), ("it is text"));
    return FALSE;
  }
  if (!g_strv_contains (lists, name))
    return TRUE;
  GST_ELEMENT_ERROR (typefind, STREAM, WRONG_TYPE,
      ("The input is a list of segments and not a movie. tfrc-server plays segments of HLS, and ffmpeg "
       "-i INPUT -c copy movie.ts puts them together."),
      ("%s", name));
  return FALSE;
}

/* A type that changes later is the demuxer's matter. */
static void
on_type (GstElement *typefind, guint probability, const GstCaps *caps, gpointer data)
{
  const GstStructure *type = gst_caps_get_structure (caps, 0);
  GstPad *pad = gst_element_get_static_pad (typefind, "src");
  GstElement *parse = gst_bin_get_by_name (data, "parse");

  if (!gst_pad_is_linked (pad) && check_type (typefind, type)) {
    if (gst_structure_has_name (type, "video/mpegts"))
      gst_element_link (typefind, parse);
    else
      remux_link (data, typefind, parse, caps);
  }
  gst_object_unref (parse);
  gst_object_unref (pad);
}

static void
add_pad (GstElement *bin, const gchar *child_name, const gchar *pad_name)
{
  GstElement *child = gst_bin_get_by_name (GST_BIN (bin), child_name);
  GstPad *pad = gst_element_get_static_pad (child, pad_name);

  gst_element_add_pad (bin, gst_ghost_pad_new (pad_name, pad));
  gst_object_unref (pad);
  gst_object_unref (child);
}

GstElement *
input_new (GError **error)
{
  GstElement *bin = gst_parse_bin_from_description_full (
      INPUT_ELEMENTS, FALSE, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  GstElement *typefind;

  if (bin == NULL)
    return NULL;
  add_pad (bin, "type", "sink");
  add_pad (bin, "parse", "src");
  typefind = gst_bin_get_by_name (GST_BIN (bin), "type");
  g_signal_connect (typefind, "have-type", G_CALLBACK (on_type), bin);
  gst_object_unref (typefind);
  return bin;
}
