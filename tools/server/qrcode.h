/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* QR codes (ISO/IEC 18004), by libqrencode if the program was built with it */
#ifndef SERVER_QRCODE_H
#define SERVER_QRCODE_H

#include <glib.h>

G_BEGIN_DECLS

/** The longest text: a stream id of 512 bytes, with all of them escaped, behind a host and a port */
#define QRCODE_MAX_BYTES 2048

/** Returns whether there are QR codes. */
gboolean qrcode_is_there (void);

/** Makes a picture, with the margin of four modules that readers need.
 *
 * @param text a tfrc:// URI, from outside: may be anything
 * @return SVG, for g_free(); NULL: the text is no such URI or too long, or there are no QR codes */
gchar *qrcode_draw (const gchar *text);

G_END_DECLS
#endif
