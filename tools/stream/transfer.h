/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A run of a pipeline that sends or receives a stream, from its start to the exit status */
#ifndef STREAM_TRANSFER_H
#define STREAM_TRANSFER_H

#include "options.h"

/** Plays the pipeline until the end of the stream, an error, a
 * signal or a time of the options, and reports meanwhile.
 *
 * @param pipeline with the element
 * @param element the tfrcsink or tfrcsrc
 * @return the exit status of the program */
Status transfer_run (
    const Program *program, const Options *options, GstElement *pipeline, GstElement *element);

#endif
