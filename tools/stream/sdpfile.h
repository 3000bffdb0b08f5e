/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The description of a stream for players, in a file */
#ifndef STREAM_SDPFILE_H
#define STREAM_SDPFILE_H

#include <glib.h>

/** Writes a description.
 *
 * A regular file is replaced as a whole, so that a player never reads a part of the text. What else
 * has the name stays and is written to: a device, a pipe, or the target of a symbolic link, which is
 * created if there is none. Waits for the reader of a pipe.
 *
 * @param path "-" is standard output
 * @return FALSE with an error */
gboolean sdp_file_write (const gchar *path, const gchar *text, GError **error);

#endif
