/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts display order to coding order, or back. */
#ifndef VOD_REPLAY_TRACEORDER_H
#define VOD_REPLAY_TRACEORDER_H

#include "tracetypes.h"

/** Takes frames in the order of the file.  Leaves them in coding order, with `display',
 * `interval_*' and `reorder_delay' set.  `timed': the file had times. */
gboolean trace_arrange (Trace *trace, gboolean timed, const TraceOptions *options, GError **error);

#endif
