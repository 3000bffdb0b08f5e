/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON answers, see status.h */
#include "status.h"

#include <json-glib/json-glib.h>

#include "tools/stats/statsjson.h"

static gchar *
finish (JsonBuilder *builder)
{
  JsonNode *root = json_builder_get_root (builder);
  gchar *text = json_to_string (root, FALSE);

  json_node_unref (root);
  g_object_unref (builder);
  return text;
}

static void
add_text (JsonBuilder *builder, const gchar *name, const gchar *text)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, text);
}

static void
add_integer (JsonBuilder *builder, const gchar *name, gint64 value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, value);
}

static void
add_time (JsonBuilder *builder, const gchar *name, GDateTime *time)
{
  gchar *text = g_date_time_format (time, "%Y-%m-%dT%H:%M:%SZ");

  add_text (builder, name, text);
  g_free (text);
}

static void
add_seconds (JsonBuilder *builder, const gchar *name, gdouble seconds)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_double_value (builder, seconds);
}

gchar *
status_server (guint max_streams, guint16 media_port, gboolean has_qr)
{
  JsonBuilder *builder = json_builder_new ();

  json_builder_begin_object (builder);
  add_text (builder, "name", "tfrc-server");
  add_text (builder, "version", PROJECT_VERSION);
  add_integer (builder, "max-streams", max_streams);
  if (media_port != 0)
    add_integer (builder, "media-port", media_port);
  json_builder_set_member_name (builder, "qr");
  json_builder_add_boolean_value (builder, has_qr);
  json_builder_end_object (builder);
  return finish (builder);
}

gchar *
status_movies (const GPtrArray *movies)
{
  JsonBuilder *builder = json_builder_new ();
  guint i;

  json_builder_begin_array (builder);
  for (i = 0; i < movies->len; i++) {
    const Movie *movie = g_ptr_array_index (movies, i);

    json_builder_begin_object (builder);
    add_text (builder, "name", movie->name);
    add_integer (builder, "bytes", (gint64) movie->bytes);
    if (movie->renditions > 0)
      add_integer (builder, "renditions", movie->renditions);
    if (movie->is_protected) {
      json_builder_set_member_name (builder, "protected");
      json_builder_add_boolean_value (builder, TRUE);
    }
    if (movie->needs_user) {
      json_builder_set_member_name (builder, "needs-user");
      json_builder_add_boolean_value (builder, TRUE);
    }
    if (movie->error != NULL)
      add_text (builder, "error", movie->error);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
  return finish (builder);
}

static void
add_stream (JsonBuilder *builder, const StreamStatus *status)
{
  json_builder_begin_object (builder);
  add_integer (builder, "id", (gint64) status->id);
  add_text (builder, "state", stream_state_get_name (status->state));
  add_text (builder, "movie", status->movie);
  if (status->user != NULL)
    add_text (builder, "user", status->user);
  add_text (builder, "host", status->host);
  add_integer (builder, "port", status->port);
  add_time (builder, "started", status->started);
  if (status->ended != NULL)
    add_time (builder, "ended", status->ended);
  json_builder_set_member_name (builder, "paused");
  json_builder_add_boolean_value (builder, status->paused);
  add_seconds (builder, "position", status->position_s);
  if (status->duration_s > 0)
    add_seconds (builder, "duration", status->duration_s);
  json_builder_set_member_name (builder, "seeking");
  json_builder_add_boolean_value (builder, status->seeking);
  if (status->error != NULL)
    add_text (builder, "error", status->error);
  json_builder_set_member_name (builder, "stats");
  json_builder_add_value (builder, stats_json_node (status->stats));
  json_builder_end_object (builder);
}

gchar *
status_stream (const StreamStatus *status)
{
  JsonBuilder *builder = json_builder_new ();

  add_stream (builder, status);
  return finish (builder);
}

gchar *
status_streams (const GPtrArray *list)
{
  JsonBuilder *builder = json_builder_new ();
  guint i;

  json_builder_begin_array (builder);
  for (i = 0; i < list->len; i++)
    add_stream (builder, g_ptr_array_index (list, i));
  json_builder_end_array (builder);
  return finish (builder);
}
