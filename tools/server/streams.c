/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list of streams, see streams.h */
#include "streams.h"

#include <string.h>

#include "error.h"
#include "hosts.h"
#include "player.h"
#include "renditions.h"

/* A caller that has been accepted and sent nothing calls again 5 s later, at first.  So for this time it hears why. */
#define FAILED_CALL_S 10

typedef struct
{
  StreamStatus status;
  Streams *streams;
  Player *player;    /* NULL when the stream has ended */
  guint64 caller_id; /* 0: it has been asked for by a request */
  gchar *site;       /* what counts as its host */
  gint64 ended_us;   /* monotonic */
} Stream;

struct _Streams
{
  Movies *movies;
  Remuxes *remuxes;
  const GPtrArray *hosts, *unresponsive;
  const KeysFile *keys;
  StreamsConfig config;
  StreamTotals totals;
  GQueue active; /* Stream, by number */
  GQueue ended;  /* Stream, the one that ended first at the head */
  gboolean closing;
  GFunc done;
  gpointer done_user;
};

const gchar *
stream_state_get_name (StreamState state)
{
  static const gchar *const names[] = { "playing", "stopping", "ended", "stopped", "failed" };

  G_STATIC_ASSERT (G_N_ELEMENTS (names) == STREAM_STATES);
  return names[state];
}

static void
stream_free (gpointer data)
{
  Stream *stream = data;

  if (stream->player != NULL)
    player_free (stream->player);
  g_free (stream->status.movie);
  g_free (stream->status.user);
  g_free (stream->status.host);
  g_free (stream->site);
  g_free (stream->status.error);
  g_clear_pointer (&stream->status.started, g_date_time_unref);
  g_clear_pointer (&stream->status.ended, g_date_time_unref);
  gst_clear_structure (&stream->status.stats);
  g_free (stream);
}

Streams *
streams_new (Movies *movies, Remuxes *remuxes, const GPtrArray *hosts,
    const GPtrArray *unresponsive, const StreamsConfig *config)
{
  Streams *streams = g_new0 (Streams, 1);

  streams->movies = movies;
  streams->remuxes = remuxes;
  streams->hosts = hosts;
  streams->unresponsive = unresponsive;
  streams->config = *config;
  return streams;
}

void
streams_free (Streams *streams)
{
  g_queue_clear_full (&streams->active, stream_free);
  g_queue_clear_full (&streams->ended, stream_free);
  g_free (streams);
}

void
streams_set_keys (Streams *streams, const KeysFile *keys)
{
  streams->keys = keys;
}

gboolean
streams_is_protected (const Streams *streams, const gchar *movie)
{
  return keys_file_find (streams->keys, NULL, movie) != NULL
      || keys_file_has_users (streams->keys, movie);
}

gboolean
streams_needs_user (const Streams *streams, const gchar *movie)
{
  return keys_file_find (streams->keys, NULL, movie) == NULL
      && keys_file_has_users (streams->keys, movie);
}

/* ---- the end of a stream --------------------------------------------------- */

/* Forgets the streams that ended too long ago, and the oldest of too many. */
static void
forget_old (Streams *streams)
{
  gint64 oldest_us = g_get_monotonic_time () - (gint64) streams->config.keep_s * G_USEC_PER_SEC;
  Stream *stream;

  while ((stream = g_queue_peek_head (&streams->ended)) != NULL
      && (stream->ended_us < oldest_us || streams->ended.length > streams->config.keep_number))
    stream_free (g_queue_pop_head (&streams->ended));
}

static void
tell_if_all_ended (Streams *streams)
{
  GFunc done = streams->done;

  if (streams->active.length > 0 || done == NULL)
    return;
  streams->done = NULL;
  done (streams, streams->done_user);
}

static void
refresh_stats (Stream *stream)
{
  PlayerPosition position;

  if (stream->player == NULL)
    return;
  gst_clear_structure (&stream->status.stats);
  stream->status.stats = player_get_stats (stream->player);
  player_get_position (stream->player, &position);
  stream->status.position_s = (gdouble) position.time_ns / GST_SECOND;
  stream->status.duration_s = (gdouble) position.duration_ns / GST_SECOND;
  stream->status.seeking = position.is_seeking;
}

static void
on_ended (gpointer data, const gchar *error)
{
  Stream *stream = data;
  Streams *streams = stream->streams;
  StreamStatus *status = &stream->status;

  if (error != NULL) {
    status->state = STREAM_FAILED;
    status->error = g_strdup (error);
    g_printerr ("stream %" G_GUINT64_FORMAT ": %s\n", status->id, error);
  } else {
    status->state = status->state == STREAM_STOPPING ? STREAM_STOPPED : STREAM_ENDED;
  }
  refresh_stats (stream);
  status->ended = g_date_time_new_now_utc ();
  stream->ended_us = g_get_monotonic_time ();
  g_clear_pointer (&stream->player, player_free);
  remuxes_tidy (streams->remuxes);
  streams->totals.finished[status->state]++;
  g_queue_remove (&streams->active, stream);
  g_queue_push_tail (&streams->ended, stream);
  forget_old (streams);
  tell_if_all_ended (streams);
}

static void
stop (Stream *stream)
{
  if (stream->player == NULL)
    return;
  stream->status.state = STREAM_STOPPING;
  player_stop (stream->player);
}

/* ---- the start of a stream ------------------------------------------------- */

static guint
count_of_site (const Streams *streams, const gchar *host)
{
  gchar *site = hosts_dup_site (host);
  const GList *link;
  guint n = 0;

  for (link = streams->active.head; link != NULL; link = link->next)
    n += g_str_equal (((const Stream *) link->data)->site, site);
  g_free (site);
  return n;
}

static const StreamStatus *
find_receiver (const Streams *streams, const gchar *host, guint16 port)
{
  const GList *link;

  for (link = streams->active.head; link != NULL; link = link->next) {
    const StreamStatus *status = &((const Stream *) link->data)->status;

    if (status->port == port && g_str_equal (status->host, host))
      return status;
  }
  return NULL;
}

/* Of who calls, an older stream ends by itself. */
static gboolean
check_room (Streams *streams, const gchar *host, const Request *request, GError **error)
{
  const StreamStatus *other;
  guint n;

  if (streams->closing || streams->active.length >= streams->config.max_streams) {
    g_set_error (error, SERVER_ERROR, SERVER_ERROR_BUSY,
        "the server plays %u streams and starts no more", streams->active.length);
    return FALSE;
  }
  if (request->listener == NULL) {
    other = find_receiver (streams, host, request->port);
    if (other != NULL)
      g_set_error (error, SERVER_ERROR, SERVER_ERROR_CONFLICT,
          "stream %" G_GUINT64_FORMAT " plays to this receiver", other->id);
    return other == NULL;
  }
  n = count_of_site (streams, host);
  if (n < streams->config.max_per_host)
    return TRUE;
  g_set_error (error, SERVER_ERROR, SERVER_ERROR_BUSY, "%u streams play to this host", n);
  return FALSE;
}

static gboolean
was_sent_nothing (const Stream *stream)
{
  guint64 packets = 0;

  gst_structure_get_uint64 (stream->status.stats, "packets-sent", &packets);
  return packets == 0;
}

/* The stream of an accepted caller that failed before its first packet had no way to say so. */
static gboolean
check_last_call (Streams *streams, const gchar *host, const Request *request, GError **error)
{
  const gint64 since_us = g_get_monotonic_time () - FAILED_CALL_S * G_USEC_PER_SEC;
  const GList *link;

  for (link = streams->ended.tail; link != NULL && request->listener != NULL; link = link->prev) {
    const Stream *other = link->data;
    const StreamStatus *status = &other->status;

    if (other->ended_us < since_us)
      return TRUE;
    if (status->state != STREAM_FAILED || status->port != request->port
        || !g_str_equal (status->host, host) || !was_sent_nothing (other))
      continue;
    g_set_error_literal (error, SERVER_ERROR, SERVER_ERROR_FAILED, status->error);
    return FALSE;
  }
  return TRUE;
}

static Player *
open_player (Streams *streams, Stream *stream, const Request *request, GError **error)
{
  FeederFile files[LADDER_MOST_RENDITIONS];
  MovieFormat format;
  Player *player = NULL;
  guint n = movies_open (streams->movies, request->movie, &format, files, error);

  if (n == 0)
    return NULL;
  if (format != MOVIE_TRANSPORT_STREAM)
    files[0].growing = remuxes_open (streams->remuxes, files[0].fd, error);
  if (format == MOVIE_TRANSPORT_STREAM || files[0].growing != NULL)
    player = player_new (files, n, request, streams->config.absent_s, on_ended, stream, error);
  renditions_close (files, n);
  return player;
}

/* USER@MOVIE names a user where the movie has any, and is the name of a movie elsewhere.
 *
 * @user: set to the user, for g_free(); NULL: there is none
 * @return the movie in the name */
static const gchar *
split_name (const Streams *streams, const gchar *name, gchar **user)
{
  const gchar *at = strchr (name, '@');

  *user = NULL;
  if (at == NULL || at == name || !keys_file_has_users (streams->keys, at + 1))
    return name;
  *user = g_strndup (name, (gsize) (at - name));
  return at + 1;
}

/* A movie with a passphrase is not played without.  @request: may have one of its own */
static gboolean
find_passphrase (Streams *streams, const gchar *user, const Request *request,
    const gchar **passphrase, GError **error)
{
  *passphrase = NULL;
  if (request_has_passphrase (request))
    return TRUE;
  *passphrase = keys_file_find (streams->keys, user, request->movie);
  if (*passphrase != NULL || (user == NULL && !streams_needs_user (streams, request->movie)))
    return TRUE;
  if (user != NULL)
    g_set_error (
        error, SERVER_ERROR, SERVER_ERROR_FORBIDDEN, "%s is no user of %s", user, request->movie);
  else
    g_set_error (error, SERVER_ERROR, SERVER_ERROR_FORBIDDEN,
        "%s is for its users: ask for USER@%s, with the passphrase of this user", request->movie,
        request->movie);
  return FALSE;
}

static Player *
open_protected_player (Streams *streams, Stream *stream, const Request *request, GError **error)
{
  const gchar *passphrase;
  Request changed = *request;
  Player *player;

  if (!find_passphrase (streams, stream->status.user, request, &passphrase, error))
    return NULL;
  if (passphrase == NULL)
    return open_player (streams, stream, request, error);
  changed.properties = gst_structure_copy (request->properties);
  gst_structure_set (changed.properties, "passphrase", G_TYPE_STRING, passphrase, NULL);
  player = open_player (streams, stream, &changed, error);
  gst_structure_free (changed.properties);
  return player;
}

static gboolean
check_answers (Streams *streams, const gchar *host, const Request *request, GError **error)
{
  return !request_is_unresponsive (request)
      || hosts_check_unresponsive (streams->unresponsive, host, error);
}

const StreamStatus *
streams_start (Streams *streams, const Request *request, GError **error)
{
  gchar *host = hosts_check (streams->hosts, request->host, error);
  const gchar *movie;
  Request named;
  Stream *stream;

  if (host == NULL || !check_answers (streams, host, request, error)
      || !check_room (streams, host, request, error)
      || !check_last_call (streams, host, request, error)) {
    g_free (host);
    return NULL;
  }
  stream = g_new0 (Stream, 1);
  stream->streams = streams;
  movie = split_name (streams, request->movie, &stream->status.user);
  stream->status.movie = g_strdup (movie);
  named = *request;
  named.movie = stream->status.movie;
  stream->status.host = host;
  stream->site = hosts_dup_site (host);
  stream->status.port = request->port;
  stream->caller_id = request->listener != NULL ? request->caller_id : 0;
  stream->status.started = g_date_time_new_now_utc ();
  stream->player = open_protected_player (streams, stream, &named, error);
  if (stream->player == NULL) {
    stream_free (stream);
    return NULL;
  }
  stream->status.id = ++streams->totals.started;
  g_queue_push_tail (&streams->active, stream);
  refresh_stats (stream);
  return &stream->status;
}

/* ---- queries ----------------------------------------------------------------- */

static Stream *
find (Streams *streams, guint64 id)
{
  GQueue *const lists[] = { &streams->active, &streams->ended };
  const GList *link;
  guint i;

  forget_old (streams);
  for (i = 0; i < G_N_ELEMENTS (lists); i++)
    for (link = lists[i]->head; link != NULL; link = link->next)
      if (((const Stream *) link->data)->status.id == id)
        return link->data;
  return NULL;
}

const StreamStatus *
streams_find (Streams *streams, guint64 id)
{
  Stream *stream = find (streams, id);

  if (stream == NULL)
    return NULL;
  refresh_stats (stream);
  return &stream->status;
}

static void
add_status (gpointer data, gpointer list)
{
  Stream *stream = data;

  refresh_stats (stream);
  g_ptr_array_add (list, &stream->status);
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  const StreamStatus *const *first = a, *const *second = b;

  return (*first)->id < (*second)->id ? -1 : (*first)->id > (*second)->id;
}

GPtrArray *
streams_list (Streams *streams)
{
  GPtrArray *list = g_ptr_array_new ();

  forget_old (streams);
  g_queue_foreach (&streams->ended, add_status, list);
  g_queue_foreach (&streams->active, add_status, list);
  g_ptr_array_sort (list, compare);
  return list;
}

const StreamStatus *
streams_stop (Streams *streams, guint64 id)
{
  Stream *stream = find (streams, id);

  if (stream == NULL)
    return NULL;
  stop (stream);
  refresh_stats (stream);
  return &stream->status;
}

static gboolean
apply (Stream *stream, const Change *change, GError **error)
{
  if (stream->status.state != STREAM_PLAYING) {
    g_set_error_literal (
        error, SERVER_ERROR, SERVER_ERROR_CONFLICT, "the stream does not play any more");
    return FALSE;
  }
  if (change->has_position && !player_seek (stream->player, change->position_ns)) {
    g_set_error_literal (
        error, SERVER_ERROR, SERVER_ERROR_CONFLICT, "the stream has not begun: try again");
    return FALSE;
  }
  if (change->has_paused) {
    player_set_paused (stream->player, change->paused);
    stream->status.paused = change->paused;
  }
  return TRUE;
}

const StreamStatus *
streams_change (Streams *streams, guint64 id, const Change *change, GError **error)
{
  Stream *stream = find (streams, id);

  if (stream == NULL) {
    g_set_error_literal (
        error, SERVER_ERROR, SERVER_ERROR_NOT_FOUND, "there is no such stream, or no more");
    return NULL;
  }
  if (!apply (stream, change, error))
    return NULL;
  refresh_stats (stream);
  return &stream->status;
}

void
streams_on_caller_gone (Streams *streams, guint64 caller_id)
{
  const GList *link;

  for (link = streams->active.head; link != NULL; link = link->next) {
    Stream *stream = link->data;

    if (stream->caller_id != caller_id || !stream->status.paused)
      continue;
    player_set_paused (stream->player, FALSE);
    stream->status.paused = FALSE;
  }
}

static void
stop_one (gpointer data, gpointer unused)
{
  stop (data);
}

void
streams_stop_all (Streams *streams, GFunc done, gpointer user)
{
  streams->closing = TRUE;
  streams->done = done;
  streams->done_user = user;
  g_queue_foreach (&streams->active, stop_one, NULL);
  tell_if_all_ended (streams);
}

void
streams_get_totals (Streams *streams, StreamTotals *totals)
{
  *totals = streams->totals;
}

guint
streams_get_limit (const Streams *streams)
{
  return streams->config.max_streams;
}
