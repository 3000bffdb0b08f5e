/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Renditions of a movie in a folder: the files NAME.<digits>p.ts, at least two of them, are the movie
 * NAME.  The digits say how many lines the picture has. */
#ifndef SERVER_RENDITIONS_H
#define SERVER_RENDITIONS_H

#include <glib.h>

#include "feeder.h"

G_BEGIN_DECLS

/** Reads the name of a file.
 *
 * @param bytes set to the length of the movie's name in it, at least 1
 * @return the lines, from 1 to 99999; 0: no rendition has this name */
guint renditions_read_name (const gchar *file, gsize *bytes);

/** Opens the renditions of a movie: regular files right in the folder, no symbolic links.  Of more
 * than LADDER_MOST_RENDITIONS the ones with the most lines are left out.
 *
 * @param folder a descriptor; stays the caller's
 * @param movie from outside: may be anything
 * @param files room for LADDER_MOST_RENDITIONS
 * @return how many, by lines; 0 if there are fewer than two.  The caller closes them with
 *   renditions_close(). */
guint renditions_open (int folder, const gchar *movie, FeederFile *files);

void renditions_close (const FeederFile *files, guint n);

G_END_DECLS
#endif
