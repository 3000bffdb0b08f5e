/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reports of a running stream: messages, the progress line, a file of statistics */
#ifndef STREAM_REPORT_H
#define STREAM_REPORT_H

#include "options.h"

typedef struct _Report Report;

/** Opens the file of the statistics.
 *
 * @param program,options,element live longer than the report
 * @return NULL with an error */
Report *report_new (
    const Program *program, const Options *options, GstElement *element, GError **error);

/** Prints a message on standard error, on a line of its own that begins with the program's name. */
void report_say (Report *report, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

/** Prints the progress line and writes statistics, and goes on doing so at each interval. */
void report_start (Report *report);

/** Writes the last statistics, prints the summary, and closes the file.
 *
 * @return FALSE if the statistics could not be written, about which there is a message */
gboolean report_finish (Report *report);

/** @param report may be NULL */
void report_free (Report *report);

#endif
