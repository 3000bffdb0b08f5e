/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hosts that the server may play to */
#ifndef SERVER_HOSTS_H
#define SERVER_HOSTS_H

#include <gio/gio.h>

G_BEGIN_DECLS

/** Reads an allow list.
 *
 * @param prefixes addresses and prefixes such as 192.0.2.0/24, ended by NULL; or NULL
 * @return an array of GInetAddressMask; free it with g_ptr_array_unref().  NULL with @a error set
 *   (G_IO_ERROR) if one of them is not a prefix. */
GPtrArray *hosts_new (gchar **prefixes, GError **error);

/** Checks the address of a receiver.
 *
 * @param hosts the allow list; an empty list allows every host
 * @param text a numeric address, with a scope if it is a link-local one (fe80::1%eth0), from outside: may be
 *   anything.  Names are refused: what a name stands for can change between this check and the start of the
 *   stream.
 * @return the address in its usual form, which the caller frees with g_free().  NULL with @a error
 *   set: SERVER_ERROR_BAD_REQUEST if the text is not the address of a single host, or
 *   SERVER_ERROR_FORBIDDEN if the list does not have the address. */
gchar *hosts_check (const GPtrArray *hosts, const gchar *text, GError **error);

/** Checks that a host may get a stream though it does not answer: an address of this host (loopback,
 * or of an interface), a link-local one, or one of the list.
 *
 * @param hosts the list; an empty list allows no further hosts
 * @param text that hosts_check() has returned
 * @return FALSE with @a error set (SERVER_ERROR_FORBIDDEN) if not */
gboolean hosts_check_unresponsive (const GPtrArray *hosts, const gchar *text, GError **error);

/** Returns what counts as one host where streams of a host are counted: the address, or the /64 that an address of IPv6 is
 * of, as everybody who has one of its addresses has all of them.  On the links of this host each address counts.
 *
 * @param text that hosts_check() has returned
 * @return a text for g_free(), which is the same for the same host */
gchar *hosts_dup_site (const gchar *text);

G_END_DECLS
#endif
