/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The streams of the server: those that play, and for a while those that have ended.  All functions
 * run on the thread of the main loop. */
#ifndef SERVER_STREAMS_H
#define SERVER_STREAMS_H

#include <gst/gst.h>

#include "keysfile.h"
#include "movies.h"
#include "remuxes.h"
#include "request.h"

G_BEGIN_DECLS

typedef enum
{
  STREAM_PLAYING,  /**< until the movie has ended */
  STREAM_STOPPING, /**< will be stopped once the receiver has been told */
  STREAM_ENDED,    /**< the movie has been played to its end */
  STREAM_STOPPED,  /**< by a request, or with the server */
  STREAM_FAILED,   /**< error says why */
  STREAM_STATES
} StreamState;

typedef struct
{
  guint64 id; /**< from 1 */
  StreamState state;
  gchar *movie, *host;
  gchar *user; /**< who has asked; NULL: nobody has been named */
  guint16 port;
  GDateTime *started, *ended; /**< ended: NULL while the stream plays */
  gboolean paused;
  gdouble position_s,
      duration_s; /**< duration: 0 if not known; position: at the end of the stream the last one */
  gboolean seeking;    /**< position is what was asked for: the point is being looked for */
  gchar *error;        /**< NULL in other states than failed */
  GstStructure *stats; /**< of tfrcsink, now or at the end */
} StreamStatus;

typedef struct
{
  guint max_streams;  /**< that play at the same time */
  guint max_per_host; /**< a call is refused while so many of these play to its host */
  guint keep_number;  /**< of ended streams whose status stays */
  guint keep_s;       /**< how long the status of an ended stream stays */
  guint absent_s;     /**< a stream ends whose receiver has been absent for this time */
} StreamsConfig;

/** Numbers since the server started */
typedef struct
{
  guint64 started;
  guint64 finished[STREAM_STATES]; /**< by last state */
} StreamTotals;

typedef struct _Streams Streams;

/** @param movies stays the caller's, and has to live longer
 * @param remuxes the same
 * @param hosts allow list, see hosts.h; the same
 * @param unresponsive hosts that need not answer; the same */
Streams *streams_new (Movies *movies, Remuxes *remuxes, const GPtrArray *hosts,
    const GPtrArray *unresponsive, const StreamsConfig *config);

/** Ends all streams at once, without telling their receivers. */
void streams_free (Streams *streams);

/** Sets the passphrases of movies.  Streams that play keep theirs.
 *
 * @param keys stays the caller's, and has to live until other ones are set; NULL: there are none */
void streams_set_keys (Streams *streams, const KeysFile *keys);

/** Returns whether a movie is played with a passphrase alone. */
gboolean streams_is_protected (const Streams *streams, const gchar *movie);

/** Returns whether a movie is played to its users alone, see streams_start(). */
gboolean streams_needs_user (const Streams *streams, const gchar *movie);

/** Returns the name of a state, as status and metrics have it. */
const gchar *stream_state_get_name (StreamState state);

/** Starts a stream.  Of a movie whose users have passphrases, the movie of the request may be USER@MOVIE.  A receiver that has asked by HTTP gets one stream at a time; one that calls ends its
 * older one by that.
 *
 * @return its status, which stays the object's and is valid until the next call; NULL with @a error
 *   set (SERVER_ERROR, any code) */
const StreamStatus *streams_start (Streams *streams, const Request *request, GError **error);

/** Finds a stream that plays or has ended.  @return as streams_start(); NULL if there is none. */
const StreamStatus *streams_find (Streams *streams, guint64 id);

/** Lists all streams by number.  @return an array of const StreamStatus, valid until the next
 * call; free it with g_ptr_array_unref(). */
GPtrArray *streams_list (Streams *streams);

/** Stops a stream soon.  A stream that has ended stays as it is.  @return as streams_find() */
const StreamStatus *streams_stop (Streams *streams, guint64 id);

/** Changes a stream that plays.
 *
 * @return its status, as streams_find(); NULL with @a error set (SERVER_ERROR_NOT_FOUND, SERVER_ERROR_CONFLICT
 *   if the stream does not play, or has not begun) */
const StreamStatus *streams_change (
    Streams *streams, guint64 id, const Change *change, GError **error);

/** Tells that a caller has gone, whose stream ends by itself unless it is paused.  Then it goes on, to its end. */
void streams_on_caller_gone (Streams *streams, guint64 caller_id);

/** Stops all streams soon.  @param done called once, when no stream plays any more; perhaps at
 * once.  No stream can be started afterwards. */
void streams_stop_all (Streams *streams, GFunc done, gpointer user);

void streams_get_totals (Streams *streams, StreamTotals *totals);

guint streams_get_limit (const Streams *streams);

G_END_DECLS
#endif
