/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of files that come from outside: from requests, and from playlists.  No name leads out of
 * the folder in which it is looked up. */
#ifndef SERVER_NAMES_H
#define SERVER_NAMES_H

#include <glib.h>

G_BEGIN_DECLS

/** Returns whether a name is UTF-8 text without control characters and slashes, and not that of a
 * hidden file.  Names go into JSON, labels of metrics and logs, which want text.
 *
 * @param name may be anything */
gboolean names_is_plain (const gchar *name);

/** Returns whether a folder lists an entry with exactly this name.  A file system that ignores case, or
 * has short names beside long ones, opens a file by other names as well.
 *
 * @param folder a descriptor
 * @param name may be anything
 * @return FALSE with errno set: ENOENT if there is none, another if the folder cannot be read */
gboolean names_is_listed (int folder, const gchar *name);

/** Opens a regular file right in a folder, no symbolic link, for reading.
 *
 * @param folder a descriptor
 * @param name that is plain
 * @return -1 with errno set if there is none */
int names_open_file (int folder, const gchar *name);

/** Opens a folder right in a folder, no symbolic link.  @return -1 with errno set if there is none */
int names_open_folder (int folder, const gchar *name);

G_END_DECLS
#endif
