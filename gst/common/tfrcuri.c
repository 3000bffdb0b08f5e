/* tfrc:// URIs, see tfrcuri.h. */
#include "tfrcuri.h"

#include <string.h>

/* Name of an element's data: why its last URI was refused */
#define REFUSAL "tfrc-uri-refusal"

static gboolean
refuse (GError ** error, GstURIError code, const gchar * format, ...)
G_GNUC_PRINTF (3, 4);

     static gboolean
         refuse (GError ** error, GstURIError code, const gchar * format, ...)
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

/* Turns one key and value of the query into a property's value. */
static gboolean
parse_property (GstElement * element, const gchar * key, const gchar * text,
    GValue * value, GError ** error)
{
  GParamSpec *spec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (element), key);

  if (spec == NULL || spec->owner_type != G_OBJECT_TYPE (element)
      || !(spec->flags & G_PARAM_WRITABLE) || strcmp (key, "uri") == 0)
    return refuse (error, GST_URI_ERROR_BAD_REFERENCE,
        "Unknown key '%s' in the URI", key);
  g_value_init (value, spec->value_type);
  /* GStreamer reads nothing as 0. */
  if (text == NULL || (*text == '\0' && spec->value_type != G_TYPE_STRING)
      || !gst_value_deserialize (value, text))
    return refuse (error, GST_URI_ERROR_BAD_REFERENCE,
        "Value '%s' of key '%s' in the URI is not a %s", text ? text : "", key,
        g_type_name (spec->value_type));
  if (g_param_value_validate (spec, value))
    return refuse (error, GST_URI_ERROR_BAD_REFERENCE,
        "Value '%s' of key '%s' in the URI is out of range", text, key);
  return TRUE;
}

typedef struct
{
  gchar *name;
  GValue value;
} Setting;

static void
setting_clear (gpointer data)
{
  Setting *setting = data;

  g_free (setting->name);
  if (G_VALUE_TYPE (&setting->value))
    g_value_unset (&setting->value);
}

static gboolean
parse_query (GstElement * element, GstUri * uri, GArray * settings,
    GError ** error)
{
  GList *keys = gst_uri_get_query_keys (uri), *l;
  gboolean ok = TRUE;

  for (l = keys; l && ok; l = l->next) {
    Setting setting = { g_strdup (l->data), G_VALUE_INIT };

    g_array_append_val (settings, setting);
    ok = parse_property (element, l->data,
        gst_uri_get_query_value (uri, l->data),
        &g_array_index (settings, Setting, settings->len - 1).value, error);
  }
  g_list_free (keys);
  return ok;
}

/* GstUri takes what follows a ':' that is no number as part of the host, and
 * wraps numbers that are too large. */
static gboolean
check_port (const gchar * text, GError ** error)
{
  const gchar *authority = strstr (text, "://") + 3;
  gsize length = strcspn (authority, "/?#");
  gchar *host_port = g_strndup (authority, length);
  const gchar *bracket = strrchr (host_port, ']');
  const gchar *colon = strrchr (bracket ? bracket : host_port, ':');
  guint64 port;
  gboolean ok = colon == NULL
      || g_ascii_string_to_unsigned (colon + 1, 10, 1, 65535, &port, NULL);

  if (!ok)
    refuse (error, GST_URI_ERROR_BAD_URI,
        "Port '%s' in the URI is not a number from 1 to 65535", colon + 1);
  g_free (host_port);
  return ok;
}

/* What has no meaning here is more likely a mistake than superfluous. */
static gboolean
check_rest (GstUri * uri, const gchar * text, GError ** error)
{
  gchar *path = gst_uri_get_path (uri);
  gboolean ok = (path == NULL || g_str_equal (path, "")
      || g_str_equal (path, "/")) && gst_uri_get_userinfo (uri) == NULL
      && gst_uri_get_fragment (uri) == NULL;

  if (!ok)
    refuse (error, GST_URI_ERROR_BAD_URI,
        "URI '%s' has a user, path or fragment", text);
  g_free (path);
  return ok;
}

gboolean
tfrc_uri_apply (GstElement * element, const gchar * text,
    const gchar * host_property, GError ** error)
{
  GstUri *uri;
  GArray *settings;
  const gchar *host;
  guint port, i;
  gboolean ok = FALSE;

  if (GST_STATE (element) > GST_STATE_READY)
    return refuse (error, GST_URI_ERROR_BAD_STATE,
        "The URI can only be changed in the states NULL and READY");
  if (text == NULL || !gst_uri_has_protocol (text, TFRC_URI_SCHEME)
      || strstr (text, "://") == NULL)
    return refuse (error, GST_URI_ERROR_UNSUPPORTED_PROTOCOL,
        "URI '%s' does not start with " TFRC_URI_SCHEME "://",
        text ? text : "");
  if (!check_port (text, error))
    return FALSE;
  uri = gst_uri_from_string (text);
  if (uri == NULL)
    return refuse (error, GST_URI_ERROR_BAD_URI, "URI '%s' cannot be parsed",
        text);

  settings = g_array_new (FALSE, FALSE, sizeof (Setting));
  g_array_set_clear_func (settings, setting_clear);
  host = gst_uri_get_host (uri);
  port = gst_uri_get_port (uri);
  if (!check_rest (uri, text, error))
    goto done;
  if (!parse_query (element, uri, settings, error))
    goto done;

  /* Nothing can go wrong any more: all or nothing is set. */
  if (host != NULL && *host != '\0')
    g_object_set (element, host_property, host, NULL);
  g_object_set (element, "port",
      port == GST_URI_NO_PORT ? TFRC_DEFAULT_PORT : (gint) port, NULL);
  for (i = 0; i < settings->len; i++) {
    Setting *setting = &g_array_index (settings, Setting, i);

    g_object_set_property (G_OBJECT (element), setting->name, &setting->value);
  }
  g_object_set_data (G_OBJECT (element), REFUSAL, NULL);
  ok = TRUE;

done:
  g_array_unref (settings);
  gst_uri_unref (uri);
  return ok;
}

static void
post_refusal (GstElement * element, const gchar * refusal)
{
  GST_ELEMENT_ERROR (element, RESOURCE, SETTINGS, ("%s", refusal),
      ("property uri"));
}

void
tfrc_uri_set (GstElement * element, const gchar * uri,
    const gchar * host_property)
{
  GError *error = NULL;

  if (tfrc_uri_apply (element, uri, host_property, &error))
    return;
  post_refusal (element, error->message);
  g_object_set_data_full (G_OBJECT (element), REFUSAL,
      g_strdup (error->message), g_free);
  g_error_free (error);
}

static gpointer
dup_refusal (gpointer data, gpointer unused)
{
  return g_strdup (data);
}

gboolean
tfrc_uri_check (GstElement * element)
{
  gchar *refusal = g_object_dup_data (G_OBJECT (element), REFUSAL, dup_refusal,
      NULL);

  if (refusal == NULL)
    return TRUE;
  post_refusal (element, refusal);
  g_free (refusal);
  return FALSE;
}

gchar *
tfrc_uri_format (const gchar * host, gint port)
{
  const gchar *form =
      strchr (host, ':') != NULL ? "%s://[%s]:%d" : "%s://%s:%d";
  /* the scope of a link-local address follows a '%' (RFC 6874) */
  gchar *escaped = g_uri_escape_string (host, ":", TRUE);
  gchar *uri = g_strdup_printf (form, TFRC_URI_SCHEME, escaped, port);

  g_free (escaped);
  return uri;
}
