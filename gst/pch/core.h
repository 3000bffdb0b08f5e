/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What most files here include, compiled once. A file includes what it needs all the same:
 * -Db_pch=false compiles without this header. */
#ifndef GST_TFRC_PCH_CORE_H
#define GST_TFRC_PCH_CORE_H

#include <gio/gio.h>
#include <gst/gst.h>
#include <openssl/evp.h>
#include <string.h>

#endif
