/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One movie to one receiver: a pipeline of its own.  All functions run on the thread of the main
 * loop, and so does the callback. */
#ifndef SERVER_PLAYER_H
#define SERVER_PLAYER_H

#include <gst/gst.h>

#include "feeder.h"
#include "request.h"

G_BEGIN_DECLS

typedef struct _Player Player;

/** Called once, when the receiver has been told of the end, or when the pipeline has failed.
 *
 * @param error NULL after the end of the movie, and after player_stop()
 *
 * The callback may free the player. */
typedef void (*PlayerEnded) (gpointer user, const gchar *error);

/** Starts a stream.
 *
 * @param files of the movie, @a n of them: one, or renditions.  The caller may close them when the function has
 *   returned.
 * @param request its movie is not used
 * @param absent_s the stream ends if its receiver has been absent for this time, unless it is a
 *   receiver that never answers
 * @return NULL with @a error set (SERVER_ERROR_BAD_REQUEST if the value of a property is wrong,
 *   SERVER_ERROR_FAILED if the pipeline does not start).  Free the object with player_free(). */
Player *player_new (const FeederFile *files, guint n, const Request *request, guint absent_s,
    PlayerEnded ended, gpointer user, GError **error);

/** Ends the stream soon: at most three seconds later the callback is called. */
void player_stop (Player *player);

/** Pauses a stream, or lets it go on.  What is due has left, or leaves. */
void player_set_paused (Player *player, gboolean paused);

/** Goes to the random access point at or before a time from the beginning of the movie.  The receiver is told to
 * drop what it has not played.
 *
 * @return FALSE: the stream is ending, or has not begun yet */
gboolean player_seek (Player *player, guint64 time_ns);

typedef struct
{
  guint64
      time_ns; /**< what of the movie is due now, from its beginning; behind a seek that is under way, where to */
  guint64 duration_ns; /**< 0: not known */
  gboolean is_seeking; /**< the random access point of the last seek is being looked for */
} PlayerPosition;

void player_get_position (Player *player, PlayerPosition *position);

/** Returns the statistics of tfrcsink, which the caller frees.  With renditions there are two fields
 * more: rendition, the lines of the picture, and switches, how often that has changed (uint). */
GstStructure *player_get_stats (Player *player);

void player_free (Player *player);

G_END_DECLS
#endif
