/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An element that takes a movie in any form that GStreamer can read, and gives a transport stream with
 * time stamps, without transcoding */
#ifndef REMUX_INPUT_H
#define REMUX_INPUT_H

#include <gst/gst.h>

G_BEGIN_DECLS

/** Makes a bin with a sink and a source pad. A transport stream goes through as it is, byte for byte.
 * The streams of another form, such as MP4 or Matroska, are put into a transport stream (remux.h). The
 * form is found from the data, not from a name, and so of what a pipe brings, too. If it is not found,
 * the bin posts GST_STREAM_ERROR_TYPE_NOT_FOUND.
 *
 * @return a floating reference, or NULL with @a error set if an element is missing */
GstElement *input_new (GError **error);

G_END_DECLS
#endif
