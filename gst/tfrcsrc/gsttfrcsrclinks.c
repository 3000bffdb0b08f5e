/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The change of tfrcsrc to another link, see gsttfrcsrclinks.h. */
#include "gsttfrcsrclinks.h"

#include <net/if.h>
#include <string.h>

#include "../common/log.h"

#define GST_CAT_DEFAULT gst_tfrc_src_debug

/* ---- options of the action signal --------------------------------------- */

static gboolean
refuse (GError **error, const gchar *format, const gchar *value)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, format, value);
  return FALSE;
}

static gboolean
read_interface (const GValue *value, guint *interface, GError **error)
{
  const gchar *name = G_VALUE_HOLDS_STRING (value) ? g_value_get_string (value) : NULL;

  if (name == NULL)
    return refuse (error, "Option '%s' is not a string", "interface");
  *interface = if_nametoindex (name);
  return *interface != 0 || refuse (error, "The host has no interface '%s'", name);
}

static gboolean
read_address (const GValue *value, GstTfrcAddress *address, GError **error)
{
  const gchar *host = G_VALUE_HOLDS_STRING (value) ? g_value_get_string (value) : NULL;

  if (host == NULL)
    return refuse (error, "Option '%s' is not a string", "bind-address");
  /* The check needs a port; which port does not matter. */
  if (!gst_tfrc_address_resolve (address, host, 1, AF_UNSPEC, error))
    return FALSE;
  return gst_tfrc_address_is_unicast (address)
      || refuse (error, "'%s' is not the address of a single host", host);
}

/* Takes every type of integer. */
static gboolean
read_bandwidth (const GValue *value, guint64 *bandwidth_bps, GError **error)
{
  gint64 number = -1;

  if (G_VALUE_HOLDS_UINT64 (value))
    number = (gint64) MIN (g_value_get_uint64 (value), G_MAXINT64);
  else if (G_VALUE_HOLDS_INT64 (value))
    number = g_value_get_int64 (value);
  else if (G_VALUE_HOLDS_UINT (value))
    number = g_value_get_uint (value);
  else if (G_VALUE_HOLDS_INT (value))
    number = g_value_get_int (value);
  if (number < 0)
    return refuse (error, "Option '%s' is not an integer of 0 bit/s or more", "bandwidth");
  *bandwidth_bps = (guint64) number;
  return TRUE;
}

static gboolean
read_boolean (const GValue *value, gboolean *result, GError **error)
{
  if (!G_VALUE_HOLDS_BOOLEAN (value))
    return refuse (error, "Option '%s' is not a boolean", "suppress-echo");
  *result = g_value_get_boolean (value);
  return TRUE;
}

static gboolean
read_option (GstTfrcSrcHandover *handover, const gchar *name, const GValue *value, GError **error)
{
  if (strcmp (name, "interface") == 0)
    return read_interface (value, &handover->path.interface, error);
  if (strcmp (name, "bind-address") == 0)
    return read_address (value, &handover->path.local, error);
  if (strcmp (name, "bandwidth") == 0)
    return read_bandwidth (value, &handover->bandwidth_bps, error);
  if (strcmp (name, "suppress-echo") == 0)
    return read_boolean (value, &handover->suppress_echo, error);
  return refuse (error, "The signal has no option '%s'", name);
}

static gboolean
read_options (GstTfrcSrcHandover *handover, const GstStructure *options, GError **error)
{
  gint n = options ? gst_structure_n_fields (options) : 0;

  memset (handover, 0, sizeof *handover);
  for (gint i = 0; i < n; i++) {
    const gchar *name = gst_structure_nth_field_name (options, (guint) i);

    if (!read_option (handover, name, gst_structure_get_value (options, name), error))
      return FALSE;
  }
  return TRUE;
}

/* ---- handovers ----------------------------------------------------------- */

static gboolean
change_link (GstTfrcRunning *self, const GstTfrcSrcHandover *handover, GError **error)
{
  GstElement *element = gst_tfrc_running_get_element (self);
  GstTfrcSrcStream *stream = gst_tfrc_running_enter_in_turn (self, GST_TFRC_TURN_LINK);
  gboolean done;

  if (stream == NULL)
    return refuse (error, "Element %s is not running", GST_OBJECT_NAME (element));
  done = gst_tfrc_src_stream_start_handover (stream, handover, error);
  gst_tfrc_running_leave_turn (self, GST_TFRC_TURN_LINK);
  return done;
}

gboolean
gst_tfrc_src_links_change (GstTfrcRunning *self, const GstStructure *options)
{
  GstElement *element = gst_tfrc_running_get_element (self);
  GstTfrcSrcHandover handover;
  GError *error = NULL;

  GST_INFO_OBJECT (element, "handover: %" GST_PTR_FORMAT, options);
  if (read_options (&handover, options, &error) && change_link (self, &handover, &error))
    return TRUE;
  GST_ELEMENT_WARNING (
      element, RESOURCE, SETTINGS, ("Cannot change to another link: %s", error->message), (NULL));
  g_clear_error (&error);
  return FALSE;
}

static gboolean
is_automatic (GstTfrcRunning *self)
{
  gboolean automatic;

  g_object_get (gst_tfrc_running_get_element (self), "auto-handover", &automatic, NULL);
  return automatic;
}

static void
on_routes_changed (gpointer user)
{
  gst_tfrc_src_links_follow_route (user);
}

void
gst_tfrc_src_links_follow_route (GstTfrcRunning *self)
{
  GstTfrcSrcStream *stream;

  if (!is_automatic (self) || !(stream = gst_tfrc_running_enter_in_turn (self, GST_TFRC_TURN_LINK)))
    return;
  gst_tfrc_src_stream_follow_route (stream);
  gst_tfrc_running_leave_turn (self, GST_TFRC_TURN_LINK);
}

GstTfrcRouteWatch *
gst_tfrc_src_links_watch (GstTfrcRunning *self)
{
  GstTfrcRouteWatch *watch;
  GError *error = NULL;

  if (!is_automatic (self))
    return NULL;
  watch = gst_tfrc_routes_watch (on_routes_changed, self, &error);
  if (watch == NULL) {
    GST_ELEMENT_WARNING (gst_tfrc_running_get_element (self), RESOURCE, SETTINGS,
        ("Cannot follow changes of routes: %s", error->message), (NULL));
    g_clear_error (&error);
  }
  return watch;
}

void
gst_tfrc_src_links_close_old_socket (GstTfrcRunning *self)
{
  GstTfrcSrcStream *stream = gst_tfrc_running_enter_in_turn (self, GST_TFRC_TURN_LINK);

  if (stream == NULL)
    return;
  gst_tfrc_src_stream_close_old_endpoint (stream);
  gst_tfrc_running_leave_turn (self, GST_TFRC_TURN_LINK);
}
