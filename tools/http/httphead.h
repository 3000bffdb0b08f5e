/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The head of a request, before libsoup sees it: what is wrong with it, and the answer that says so */
#ifndef HTTP_HEAD_H
#define HTTP_HEAD_H

#include <glib.h>

G_BEGIN_DECLS

/** The most bytes of request line and headers, with the empty line. Twice what browsers and servers
 * usually allow. */
#define HTTP_HEAD_MAX_BYTES 16384

/** Which requests a server takes */
typedef struct
{
  gsize max_body_bytes;
  gboolean is_local; /**< at a loopback address, where the only name of a host is localhost */
} HttpRules;

/** Returns the number of bytes of the head, with the empty line; 0 if its end is not there yet.
 *
 * @param text from outside: may be anything */
gsize http_head_length (const gchar *text, gsize bytes);

/** Checks a complete head.
 *
 * @param text from outside: may be anything; with a NUL behind it
 * @param code set to the HTTP status for what is wrong
 * @return NULL: nothing is wrong. Otherwise what is, a static text. */
const gchar *http_head_check (const gchar *text, gsize bytes, const HttpRules *rules, guint *code);

/** Returns the JSON {"error": why}, which the caller frees with g_free(). */
gchar *http_error_format (const gchar *why);

/** Returns a whole answer with this error, which the caller frees with g_free().
 *
 * @param head of the request, a text */
gchar *http_head_refuse (const gchar *head, guint code, const gchar *why);

G_END_DECLS
#endif
