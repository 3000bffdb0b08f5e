/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrc:// URIs, see uri.h. */
#include "uri.h"

#include <string.h>

#include "number.h"
#include "properties.h"
#include "words.h"

/* Name of the GObject data of an element that says why its last URI was refused */
#define REFUSAL "tfrc-uri-refusal"

static gboolean refuse (GError **error, GstURIError code, const gchar *format, ...)
    G_GNUC_PRINTF (3, 4);

static gboolean
refuse (GError **error, GstURIError code, const gchar *format, ...)
{
  va_list args;
  gchar *message;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, GST_URI_ERROR, code, message);
  g_free (message);
  return FALSE;
}

/* Returns how much of a URI or of its query may be shown: nothing from the query on that may have the value of a write-only
 * property. */
static gint
shown_bytes (const gchar *text, gboolean is_query)
{
  gsize bytes = is_query ? 0 : strcspn (text, "?#");

  return (gint) (strstr (text + bytes, "passphrase") ? bytes : strlen (text));
}

/* @why: what follows the URI in the message */
static gboolean
refuse_uri (GError **error, GstURIError code, const gchar *text, const gchar *why)
{
  const gint shown = shown_bytes (text, FALSE);

  return refuse (
      error, code, "URI '%.*s%s' %s", shown, text, text[shown] != '\0' ? "..." : "", why);
}

/* Name of the GObject data of an element that says which properties the path of its last URI has set: OfPath */
#define OF_PATH "tfrc-uri-of-path"

typedef enum
{
  OF_PATH_STREAM = 1 << 0,
  OF_PATH_MODE = 1 << 1
} OfPath;

typedef struct
{
  const gchar *name; /* of the property, which its class owns */
  GValue value;
} Setting;

static void
setting_clear (gpointer data)
{
  Setting *setting = data;

  if (G_VALUE_TYPE (&setting->value))
    g_value_unset (&setting->value);
}

/* The settings in a URI.  None is set before all are known to be right. */
typedef struct
{
  GstElement *element;
  GArray *settings; /* of Setting */
  guint of_path;    /* OfPath */
} Request;

static gboolean
is_named (const Request *request, const gchar *name)
{
  guint i;

  for (i = 0; i < request->settings->len; i++) {
    if (strcmp (g_array_index (request->settings, Setting, i).name, name) == 0)
      return TRUE;
  }
  return FALSE;
}

/* GStreamer's parser reads a negative number modulo 2^64. */
static gboolean
is_below_unsigned (const GParamSpec *spec, const gchar *text)
{
  return (spec->value_type == G_TYPE_UINT || spec->value_type == G_TYPE_UINT64)
      && strchr (text, '-') != NULL;
}

/* Returns what a property takes. */
static gchar *
dup_wanted (GParamSpec *spec)
{
  gchar *values, *wanted;

  switch (G_TYPE_FUNDAMENTAL (spec->value_type)) {
    case G_TYPE_BOOLEAN:
      return g_strdup ("true or false");
    case G_TYPE_INT:
      return g_strdup_printf ("a number from %d to %d", G_PARAM_SPEC_INT (spec)->minimum,
          G_PARAM_SPEC_INT (spec)->maximum);
    case G_TYPE_UINT:
      return g_strdup_printf ("a number from %u to %u", G_PARAM_SPEC_UINT (spec)->minimum,
          G_PARAM_SPEC_UINT (spec)->maximum);
    case G_TYPE_UINT64:
      return g_strdup_printf ("a number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT,
          G_PARAM_SPEC_UINT64 (spec)->minimum, G_PARAM_SPEC_UINT64 (spec)->maximum);
    case G_TYPE_DOUBLE:
      return g_strdup_printf ("a number from %.16g to %.16g", G_PARAM_SPEC_DOUBLE (spec)->minimum,
          G_PARAM_SPEC_DOUBLE (spec)->maximum);
    case G_TYPE_ENUM:
      values = gst_tfrc_words_of_enum (spec->value_type);
      wanted = g_strdup_printf ("one of %s", values);
      g_free (values);
      return wanted;
    default:
      return g_strdup_printf ("a %s", g_type_name (spec->value_type));
  }
}

static gboolean
refuse_value (GParamSpec *spec, const gchar *text, GError **error)
{
  gchar *wanted = dup_wanted (spec);

  refuse (error, GST_URI_ERROR_BAD_REFERENCE, "Value '%s' of key '%s' in the URI is not %s", text,
      spec->name, wanted);
  g_free (wanted);
  return FALSE;
}

/* Checks a key and its value, and adds them to the request. */
static gboolean
add_setting (Request *request, const gchar *key, const gchar *text, GError **error)
{
  GObjectClass *klass = G_OBJECT_GET_CLASS (request->element);
  GParamSpec *spec = g_object_class_find_property (klass, key);
  GError *reason = NULL;
  Setting *setting;

  if (spec == NULL || spec->owner_type != G_OBJECT_CLASS_TYPE (klass)
      || !(spec->flags & G_PARAM_WRITABLE) || strcmp (spec->name, "uri") == 0)
    return refuse (error, GST_URI_ERROR_BAD_REFERENCE, "Unknown key '%s' in the URI", key);
  if (!(spec->flags & G_PARAM_READABLE))
    return refuse (error, GST_URI_ERROR_BAD_REFERENCE,
        "Key '%s' is a secret, which a URI must not have: URIs are logged and shown", key);
  if (is_named (request, spec->name))
    return refuse (error, GST_URI_ERROR_BAD_REFERENCE, "The URI gives '%s' more than once", key);

  if (!gst_tfrc_properties_check (spec, text, &reason)) {
    refuse (error, GST_URI_ERROR_BAD_REFERENCE, "%s", reason->message);
    g_error_free (reason);
    return FALSE;
  }

  g_array_set_size (request->settings, request->settings->len + 1);
  setting = &g_array_index (request->settings, Setting, request->settings->len - 1);
  setting->name = spec->name;
  g_value_init (&setting->value, spec->value_type);
  /* GStreamer's parser removes quotes from a string, reads NULL as no string, and reads the empty
   * text as 0. */
  if (spec->value_type == G_TYPE_STRING)
    g_value_set_string (&setting->value, text);
  else if (*text == '\0' || !gst_value_deserialize (&setting->value, text))
    return refuse_value (spec, text, error);
  if (is_below_unsigned (spec, text) || g_param_value_validate (spec, &setting->value))
    return refuse_value (spec, text, error);
  return TRUE;
}

/* Does the request give an enumeration this value? */
static gboolean
gives_enum (const Request *request, const gchar *name, const gchar *nick)
{
  for (guint i = 0; i < request->settings->len; i++) {
    const Setting *setting = &g_array_index (request->settings, Setting, i);
    gchar *text;
    gboolean same;

    if (strcmp (setting->name, name) != 0)
      continue;
    text = gst_value_serialize (&setting->value);
    same = g_strcmp0 (text, nick) == 0;
    g_free (text);
    return same;
  }
  return FALSE;
}

/* ---- query --------------------------------------------------------------- */

/* Escapes that are not valid, bytes that are not UTF-8 and a key without '=' are refused. */
static gboolean
add_query (Request *request, const gchar *query, GError **error)
{
  GUriParamsIter params;
  gchar *key, *value;
  GError *reason = NULL;
  gboolean ok = TRUE;

  g_uri_params_iter_init (&params, query ? query : "", -1, "&", G_URI_PARAMS_NONE);
  while (ok && g_uri_params_iter_next (&params, &key, &value, &reason)) {
    ok = add_setting (request, key, value, error);
    g_free (key);
    g_free (value);
  }
  if (reason) {
    ok = refuse (error, GST_URI_ERROR_BAD_URI, "Query '%.*s' of the URI cannot be read: %s",
        shown_bytes (query, TRUE), query, reason->message);
    g_error_free (reason);
  }
  return ok;
}

/* ---- authority ----------------------------------------------------------- */

/* Returns the text of the port in the authority; NULL if there is no port.  GUri reads "host:" as a
 * host without a port; here the port is the empty text. */
static gchar *
dup_port (const gchar *text)
{
  const gchar *authority = strstr (text, "://") + 3;
  gchar *host_port = g_strndup (authority, strcspn (authority, "/?#"));
  const gchar *bracket = strrchr (host_port, ']');
  const gchar *colon = strrchr (bracket ? bracket : host_port, ':');
  gchar *port = colon ? g_strdup (colon + 1) : NULL;

  g_free (host_port);
  return port;
}

/* The property "port" gives the range. */
static gboolean
add_port (Request *request, const gchar *uri, GError **error)
{
  GParamSpecInt *spec = G_PARAM_SPEC_INT (
      g_object_class_find_property (G_OBJECT_GET_CLASS (request->element), "port"));
  gchar *text = dup_port (uri);
  guint64 port;
  gboolean ok = TRUE;

  if (gst_tfrc_number_read (text, (guint64) spec->minimum, (guint64) spec->maximum, &port)) {
    gchar *number = g_strdup_printf ("%u", (guint) port);

    ok = add_setting (request, "port", number, error);
    g_free (number);
  } else if (text != NULL)
    ok = refuse (error, GST_URI_ERROR_BAD_URI, "Port '%s' in the URI is not a number from %d to %d",
        text, spec->minimum, spec->maximum);
  g_free (text);
  return ok;
}

/* A user or a fragment has no meaning in a tfrc:// URI. */
static gboolean
check_rest (const gchar *text, const gchar *user, const gchar *fragment, GError **error)
{
  if (user == NULL && fragment == NULL)
    return TRUE;
  return refuse_uri (error, GST_URI_ERROR_BAD_URI, text,
      "has a user or a fragment, which tfrc:// URIs do not have");
}

static gboolean
has_property (const Request *request, const gchar *name)
{
  return g_object_class_find_property (G_OBJECT_GET_CLASS (request->element), name) != NULL;
}

/* A path is the stream that the host is called for. */
static gboolean
add_path (Request *request, const gchar *text, const gchar *host, const gchar *path, GError **error)
{
  if (*path == '\0' || g_str_equal (path, "/"))
    return TRUE;
  if (!has_property (request, "streamid") || *host == '\0'
      || (has_property (request, "host") && gives_enum (request, "mode", "listener")))
    return refuse_uri (error, GST_URI_ERROR_BAD_URI, text,
        "has a path, which is the stream that a host is called for");
  request->of_path = OF_PATH_STREAM;
  if (!add_setting (request, "streamid", path + 1, error))
    return FALSE;
  if (is_named (request, "mode"))
    return TRUE;
  request->of_path |= OF_PATH_MODE;
  return add_setting (request, "mode", "caller", error);
}

/* The host of a sink that listens is its own. */
static const gchar *
host_property (const Request *request)
{
  if (!has_property (request, "host"))
    return "address";
  return gives_enum (request, "mode", "listener") ? "bind-address" : "host";
}

/* ---- the whole ----------------------------------------------------------- */

/* Uses the parser of GLib, because GstUri of GStreamer 1.22 crashes on escapes that are not
 * valid. */
static gboolean
parse (Request *request, const gchar *text, GError **error)
{
  gchar *user, *host, *path, *query, *fragment, *why;
  GError *reason = NULL;
  gboolean ok;

  if (!add_port (request, text, error))
    return FALSE;
  if (!g_uri_split (text, G_URI_FLAGS_ENCODED_QUERY | G_URI_FLAGS_NON_DNS, NULL, &user, &host, NULL,
          &path, &query, &fragment, &reason)) {
    why = g_strdup_printf ("cannot be parsed: %s", reason->message);
    refuse_uri (error, GST_URI_ERROR_BAD_URI, text, why);
    g_free (why);
    g_error_free (reason);
    return FALSE;
  }
  ok = check_rest (text, user, fragment, error) && add_query (request, query, error)
      && add_path (request, text, host, path, error)
      && (*host == '\0' || add_setting (request, host_property (request), host, error));
  g_free (user);
  g_free (host);
  g_free (path);
  g_free (query);
  g_free (fragment);
  return ok;
}

static gboolean
check_text (const gchar *text, GError **error)
{
  const gchar *start = GST_TFRC_URI_SCHEME "://";
  gchar *printable;

  if (text != NULL && !g_utf8_validate (text, -1, NULL)) {
    printable = g_utf8_make_valid (text, -1);
    refuse_uri (error, GST_URI_ERROR_BAD_URI, printable, "is not in UTF-8");
    g_free (printable);
    return FALSE;
  }
  if (text == NULL || g_ascii_strncasecmp (text, start, strlen (start)) != 0)
    return refuse_uri (error, GST_URI_ERROR_UNSUPPORTED_PROTOCOL, text ? text : "",
        "does not start with " GST_TFRC_URI_SCHEME "://");
  return TRUE;
}

static void
set_default (const Request *request, const gchar *name)
{
  GObject *element = G_OBJECT (request->element);
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), name);

  if (!is_named (request, name))
    g_object_set_property (element, name, g_param_spec_get_default_value (spec));
}

/* The path of the last URI is a part of that URI, as its port is. What the application or a key has set stays. */
static void
forget_path (const Request *request)
{
  GObject *element = G_OBJECT (request->element);
  guint of_path = GPOINTER_TO_UINT (g_object_get_data (element, OF_PATH));

  if (of_path & OF_PATH_STREAM)
    set_default (request, "streamid");
  if (of_path & OF_PATH_MODE)
    set_default (request, "mode");
  g_object_set_data (element, OF_PATH, GUINT_TO_POINTER (request->of_path));
}

static void
set_all (const Request *request)
{
  guint i;

  forget_path (request);
  if (!is_named (request, "port"))
    g_object_set (request->element, "port", GST_TFRC_DEFAULT_PORT, NULL);
  for (i = 0; i < request->settings->len; i++) {
    Setting *setting = &g_array_index (request->settings, Setting, i);

    g_object_set_property (G_OBJECT (request->element), setting->name, &setting->value);
  }
}

/* Returns whether the element has a stream, or opens it. A sink that waits for its first buffer is in READY, on its way to
 * PAUSED. */
static gboolean
has_begun (GstElement *element)
{
  gboolean begun;

  GST_OBJECT_LOCK (element);
  begun = MAX (GST_STATE (element), GST_STATE_NEXT (element)) > GST_STATE_READY;
  GST_OBJECT_UNLOCK (element);
  return begun;
}

gboolean
gst_tfrc_uri_apply (GstElement *element, const gchar *text, GError **error)
{
  Request request = { element, NULL, 0 };
  gboolean ok;

  if (has_begun (element))
    return refuse (
        error, GST_URI_ERROR_BAD_STATE, "The URI can only be changed in the states NULL and READY");
  if (!check_text (text, error))
    return FALSE;

  request.settings = g_array_new (FALSE, TRUE, sizeof (Setting));
  g_array_set_clear_func (request.settings, setting_clear);
  ok = parse (&request, text, error);
  if (ok) {
    set_all (&request);
    g_object_set_data (G_OBJECT (element), REFUSAL, NULL);
  }
  g_array_unref (request.settings);
  return ok;
}

static void
post_refusal (GstElement *element, const gchar *refusal)
{
  GST_ELEMENT_ERROR (element, RESOURCE, SETTINGS, ("%s", refusal), ("property uri"));
}

static const gchar *
get_default (GstElement *element)
{
  return G_PARAM_SPEC_STRING (g_object_class_find_property (G_OBJECT_GET_CLASS (element), "uri"))
      ->default_value;
}

void
gst_tfrc_uri_set (GstElement *element, const gchar *uri)
{
  GError *error = NULL;

  if (gst_tfrc_uri_apply (element, uri ? uri : get_default (element), &error))
    return;
  post_refusal (element, error->message);
  g_object_set_data_full (G_OBJECT (element), REFUSAL, g_strdup (error->message), g_free);
  g_error_free (error);
}

static gpointer
dup_refusal (gpointer data, gpointer unused)
{
  return g_strdup (data);
}

gboolean
gst_tfrc_uri_check (GstElement *element)
{
  gchar *refusal = g_object_dup_data (G_OBJECT (element), REFUSAL, dup_refusal, NULL);

  if (refusal == NULL)
    return TRUE;
  post_refusal (element, refusal);
  g_free (refusal);
  return FALSE;
}

gchar *
gst_tfrc_uri_format (const gchar *host, gint port, const gchar *stream_id)
{
  const gboolean has_path = stream_id != NULL && *stream_id != '\0';
  const gchar *form = strchr (host, ':') != NULL ? "%s://[%s]:%d%s%s" : "%s://%s:%d%s%s";
  /* the scope of a link-local address follows a '%' (RFC 6874) */
  gchar *escaped = g_uri_escape_string (host, ":", TRUE);
  gchar *path = g_uri_escape_string (has_path ? stream_id : "", "/", TRUE);
  gchar *uri = g_strdup_printf (
      form, GST_TFRC_URI_SCHEME, escaped, port, has_path ? "/" : "", path);

  g_free (escaped);
  g_free (path);
  return uri;
}
