/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Puts the streams of a file into a transport stream as they are, without transcoding */
#ifndef REMUX_REMUX_H
#define REMUX_REMUX_H

#include <gst/gst.h>

G_BEGIN_DECLS

/** Puts a bin between two elements, for a handler of typefind's "have-type".  A stream that a transport
 * stream cannot carry is left out.  If that leaves no picture of a movie that has one, or no sound, there
 * is an error message, as when an element is missing.  In the bin, "demux" has a source pad for each
 * stream.
 *
 * @param bin with the elements
 * @param typefind that has found the form, without a link from its source pad
 * @param next takes the transport stream
 * @param form of the input, which is read as that and nothing else */
void remux_link (GstBin *bin, GstElement *typefind, GstElement *next, const GstCaps *form);

G_END_DECLS
#endif
