/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The JSON of a request, see request.h */
#include "request.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "error.h"

/* Eleven days: longer than any movie, and far from the largest number of nanoseconds */
#define MAX_POSITION_S 1e6

/* Those properties of tfrcsink that a client may choose */
static const struct
{
  const gchar *name;
  GType type;
} properties[] = {
  { "cipher", G_TYPE_STRING },
  { "leaky", G_TYPE_STRING },
  { "max-bitrate", G_TYPE_INT64 },
  { "max-queue-time", G_TYPE_INT64 },
  { "min-bitrate", G_TYPE_INT64 },
  { "passphrase", G_TYPE_STRING },
  { "profile", G_TYPE_STRING },
  { "smoothing-time", G_TYPE_INT64 },
  { "start-bitrate", G_TYPE_INT64 },
  { "unresponsive-receiver", G_TYPE_BOOLEAN },
};

/* No message has a value: a value may be a passphrase. */
static gboolean
refuse (GError **error, const gchar *member, const gchar *problem)
{
  g_set_error (error, SERVER_ERROR, SERVER_ERROR_BAD_REQUEST, "%s %s", member, problem);
  return FALSE;
}

static gboolean
has_type (JsonNode *node, GType type)
{
  return JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == type;
}

static gboolean
read_text (gchar **text, JsonNode *node, const gchar *member, GError **error)
{
  if (!has_type (node, G_TYPE_STRING))
    return refuse (error, member, "is not a string");
  *text = json_node_dup_string (node);
  return TRUE;
}

static gboolean
read_port (guint16 *port, JsonNode *node, GError **error)
{
  gint64 value = has_type (node, G_TYPE_INT64) ? json_node_get_int (node) : 0;

  if (value < 1 || value > G_MAXUINT16)
    return refuse (error, "port", "is not a whole number from 1 to 65535");
  *port = (guint16) value;
  return TRUE;
}

static const gchar *
problem_of (GType type)
{
  if (type == G_TYPE_BOOLEAN)
    return "is neither true nor false";
  return type == G_TYPE_STRING ? "is not a string" : "is not a whole number";
}

static gboolean
read_property (GstStructure *found, JsonNode *node, const gchar *member, GError **error)
{
  GValue value = G_VALUE_INIT;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (properties); i++) {
    if (!g_str_equal (member, properties[i].name))
      continue;
    if (!has_type (node, properties[i].type))
      return refuse (error, member, problem_of (properties[i].type));
    json_node_get_value (node, &value);
    gst_structure_take_value (found, member, &value);
    return TRUE;
  }
  return refuse (error, "the request", "has a member that is not known");
}

static gboolean
read_member (Request *request, const gchar *member, JsonNode *node, GError **error)
{
  if (g_str_equal (member, "movie"))
    return read_text (&request->movie, node, member, error);
  if (g_str_equal (member, "host"))
    return read_text (&request->host, node, member, error);
  if (g_str_equal (member, "port"))
    return read_port (&request->port, node, error);
  return read_property (request->properties, node, member, error);
}

static gboolean
read_object (Request *request, JsonObject *object, GError **error)
{
  JsonObjectIter iter;
  const gchar *member;
  JsonNode *node;

  json_object_iter_init (&iter, object);
  while (json_object_iter_next (&iter, &member, &node))
    if (!read_member (request, member, node, error))
      return FALSE;
  if (request->movie == NULL || request->host == NULL || request->port == 0)
    return refuse (error, "the request", "does not have all of movie, host and port");
  return TRUE;
}

/* Loads a JSON object.  @return a reference, or NULL with @error set */
static JsonObject *
load_object (const gchar *text, gsize bytes, GError **error)
{
  JsonParser *parser = json_parser_new_immutable ();
  JsonObject *object = NULL;
  JsonNode *root = NULL;

  if (bytes <= REQUEST_MAX_BYTES && g_utf8_validate_len (text, bytes, NULL)
      && json_parser_load_from_data (parser, text, (gssize) bytes, NULL))
    root = json_parser_get_root (parser);
  if (root != NULL && JSON_NODE_HOLDS_OBJECT (root))
    object = json_object_ref (json_node_get_object (root));
  else
    refuse (error, "the request", "is not a JSON object");
  g_object_unref (parser);
  return object;
}

gboolean
request_parse (Request *request, const gchar *text, gsize bytes, GError **error)
{
  JsonObject *object = load_object (text, bytes, error);
  gboolean ok;

  memset (request, 0, sizeof *request);
  request->properties = gst_structure_new_empty ("properties");
  ok = object != NULL && read_object (request, object, error);
  g_clear_pointer (&object, json_object_unref);
  if (!ok)
    request_clear (request);
  return ok;
}

/* ---- changes ---------------------------------------------------------------------- */

static gboolean
read_position (Change *change, JsonNode *node, GError **error)
{
  gdouble seconds = has_type (node, G_TYPE_INT64) || has_type (node, G_TYPE_DOUBLE)
      ? json_node_get_double (node)
      : -1;

  if (!(seconds >= 0 && seconds <= MAX_POSITION_S))
    return refuse (error, "position", "is not a number of seconds from 0 to 1000000");
  change->has_position = TRUE;
  change->position_ns = (guint64) (seconds * GST_SECOND);
  return TRUE;
}

static gboolean
read_change (Change *change, const gchar *member, JsonNode *node, GError **error)
{
  if (g_str_equal (member, "position"))
    return read_position (change, node, error);
  if (!g_str_equal (member, "paused"))
    return refuse (error, "the request", "has a member that is not known");
  if (!has_type (node, G_TYPE_BOOLEAN))
    return refuse (error, "paused", problem_of (G_TYPE_BOOLEAN));
  change->has_paused = TRUE;
  change->paused = json_node_get_boolean (node);
  return TRUE;
}

gboolean
change_parse (Change *change, const gchar *text, gsize bytes, GError **error)
{
  JsonObject *object = load_object (text, bytes, error);
  JsonObjectIter iter;
  const gchar *member;
  JsonNode *node;
  gboolean ok = object != NULL;

  memset (change, 0, sizeof *change);
  if (ok)
    json_object_iter_init (&iter, object);
  while (ok && json_object_iter_next (&iter, &member, &node))
    ok = read_change (change, member, node, error);
  g_clear_pointer (&object, json_object_unref);
  if (ok && !change->has_paused && !change->has_position)
    return refuse (error, "the request", "has neither paused nor position");
  return ok;
}

gboolean
request_is_unresponsive (const Request *request)
{
  gboolean is_unresponsive = FALSE;

  gst_structure_get_boolean (request->properties, "unresponsive-receiver", &is_unresponsive);
  return is_unresponsive;
}

gboolean
request_has_passphrase (const Request *request)
{
  const gchar *passphrase = gst_structure_get_string (request->properties, "passphrase");

  return passphrase != NULL && *passphrase != '\0';
}

void
request_clear (Request *request)
{
  g_free (request->movie);
  g_free (request->host);
  gst_clear_structure (&request->properties);
  memset (request, 0, sizeof *request);
}
