/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A folder of movies, and names that are refused there, see tools/server/movies.h */
#ifndef MOVIESTEST_H
#define MOVIESTEST_H

#include <gst/check/gstcheck.h>

#include "error.h"
#include "movies.h"

static inline void
assert_refused (Movies *movies, const gchar *name, ServerError code)
{
  FeederFile files[LADDER_MOST_RENDITIONS];
  GError *error = NULL;
  MovieFormat format;

  fail_unless (movies_open (movies, name, &format, files, &error) == 0, "%s", name);
  fail_unless (g_error_matches (error, SERVER_ERROR, (gint) code), "%s: %s", name, error->message);
  g_error_free (error);
}

#endif
