/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The elements at both ends of a pipeline, made from what the command line names */
#ifndef STREAM_ELEMENTS_H
#define STREAM_ELEMENTS_H

#include "options.h"

/** Makes the tfrcsink or tfrcsrc of a program, with its URI and the secrets of the options.
 *
 * @param status set to STATUS_USAGE if the URI is wrong, and to STATUS_FAILED if there is no element
 * @return a floating reference, or NULL with an error */
GstElement *elements_make_tfrc (const Program *program, const Options *options, const gchar *uri,
    Status *status, GError **error);

/** Makes what reads or writes the other end of the pipeline.
 *
 * @param type GST_URI_SRC or GST_URI_SINK
 * @param name "-" for standard input or output, a URI, or the name of a file
 * @return a floating reference, or NULL with an error */
GstElement *elements_make_end (GstURIType type, const gchar *name, GError **error);

/** Empties the file that elements_make_end() has made an output for, which the output does not, so that a
 * start that fails leaves what is in the file. To be called when the stream has started, before its data.
 *
 * @return FALSE with an error: what is in the file stays in front of the stream */
gboolean elements_empty_output (const gchar *name, GError **error);

/** Makes an element of GStreamer's own.
 *
 * @return a floating reference, or NULL with an error that names the element */
GstElement *elements_make (const gchar *factory, GError **error);

/** Puts the elements into a pipeline, in this order, and links them.
 *
 * @param elements are taken over, also on error; a list that ends with NULL
 * @return NULL with an error */
GstElement *elements_link (GstElement *const *elements, GError **error);

/** Ends the stream of a pipeline that runs or is about to run: the end goes through the pipeline. Waits
 * for a buffer that is under way, but never for a change of the pipeline's state. */
void elements_end (GstElement *pipeline);

#endif
