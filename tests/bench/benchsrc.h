/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* benchsrc: a source of null packets that are due at a steady pace.  Properties: stream, rate. */
#ifndef BENCH_SRC_H
#define BENCH_SRC_H

#include <gst/gst.h>

/* Registers the element for this process. */
void bench_src_register (void);

/* All sources of the process: the packets due from @begin_ns to @end_ns (of GStreamer's system
 * clock) are marked as measured.  @base_ns is the base time of all pipelines. */
void bench_src_set_times (guint64 base_ns, guint64 begin_ns, guint64 end_ns);

/* Returns the number of packets that all sources of the process have made. */
guint64 bench_src_packets (void);

/* Returns the number of those that are marked as measured. */
guint64 bench_src_measured_packets (void);

#endif
