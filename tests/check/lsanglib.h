/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What LeakSanitizer is told by a test that knows a leak of somebody else's. */
#ifndef CHECK_LSANGLIB_H
#define CHECK_LSANGLIB_H

#include <glib.h>

/* From a call with TRUE to the next one, with FALSE, what this thread allocates need not be freed. Without
 * AddressSanitizer nothing happens. For elements of GStreamer's alone, so that no leak of ours is
 * hidden. */
void test_ignore_leaks (gboolean ignored);

#endif
