/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What nearly every test includes, compiled once for each program of tests. A test includes what it
 * needs all the same: -Db_pch=false compiles without this file. */
#ifndef CHECK_PCH_CHECK_H
#define CHECK_PCH_CHECK_H

#include <gio/gio.h>
#include <gst/check/gstcheck.h>

#endif
