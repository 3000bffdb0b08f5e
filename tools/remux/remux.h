/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Puts the streams of a file into a transport stream as they are, without transcoding */
#ifndef REMUX_REMUX_H
#define REMUX_REMUX_H

#include <gst/gst.h>

G_BEGIN_DECLS

/** The elements that do this, for a launch line; a source stands before, the rest after. */
#define REMUX_ELEMENTS \
  "parsebin name=demux " \
  "multiqueue name=queues max-size-time=0 max-size-bytes=67108864 " \
  "mpegtsmux name=mux"

/** Lets a pipeline with these elements connect each stream that the demuxer finds.  A stream that a
 * transport stream cannot carry is left out.  If that leaves no picture of a movie that has one, or
 * no sound, the pipeline posts an error.
 *
 * @param form of the input, which is read as that and nothing else: data of another form, such as a
 *   playlist with the name of a movie, is an error */
void remux_connect (GstBin *pipeline, const GstCaps *form);

/** Makes a bin of these elements that are connected so, with a sink and a source pad.
 *
 * @return a floating reference, or NULL with @a error set if an element is missing */
GstElement *remux_new (const GstCaps *form, GError **error);

G_END_DECLS
#endif
