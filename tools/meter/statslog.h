/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The "stats" properties of a pipeline's elements as JSON, one object per line: {"time_ns": …,
 * "element": name, "factory": name, "stats": {…}} */
#ifndef METER_STATSLOG_H
#define METER_STATSLOG_H

#include <gst/gst.h>

#include "meterlog.h"

/** Writes a line for every element in @a bin that has statistics now. */
void stats_log_write (MeterLog *log, GstBin *bin);

#endif
