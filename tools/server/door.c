/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls, see door.h.  A tfrcsink that listens asks on a thread of its own; the streams are the main loop's, so
 * the answer is put off until that has looked at the call. */
#include "door.h"

#include <gio/gio.h>
#include <string.h>

#include "error.h"

struct _Door
{
  gint refs;        /* atomic: a call that waits for the main loop has one, too */
  Streams *streams; /* NULL: the door is closed */
  GstElement *listener;
  gchar *address;
  guint16 port;
};

typedef struct
{
  Door *door;
  guint64 id;
  gchar *movie, *host;
  guint16 port;
} Call;

/* ---- calls --------------------------------------------------------------------- */

static void
unref (Door *door)
{
  if (!g_atomic_int_dec_and_test (&door->refs))
    return;
  gst_object_unref (door->listener);
  g_free (door->address);
  g_free (door);
}

static void
call_free (gpointer data)
{
  Call *call = data;

  unref (call->door);
  g_free (call->movie);
  g_free (call->host);
  g_free (call);
}

/* On the thread of the main loop */
static gboolean
answer (gpointer data)
{
  const Call *call = data;
  Request request = { .movie = call->movie, .host = call->host, .port = call->port };
  GError *error = NULL;

  if (call->door->streams == NULL)
    return G_SOURCE_REMOVE;
  request.properties = gst_structure_new_empty ("properties");
  request.listener = call->door->listener;
  request.caller_id = call->id;
  if (streams_start (call->door->streams, &request, &error) == NULL) {
    g_signal_emit_by_name (call->door->listener, "refuse-caller", call->id, error->message);
    g_error_free (error);
  }
  gst_structure_free (request.properties);
  return G_SOURCE_REMOVE;
}

static gboolean
take_leave (gpointer data)
{
  const Call *call = data;

  if (call->door->streams != NULL)
    streams_on_caller_gone (call->door->streams, call->id);
  return G_SOURCE_REMOVE;
}

/* A socket for IPv4 and IPv6 gives an IPv4 address as ::ffff:192.0.2.1, and allow lists have 192.0.2.1. */
static gchar *
dup_host (GInetAddress *address)
{
  static const guint8 mapped[12] = { [10] = 0xff, [11] = 0xff };
  const guint8 *bytes = g_inet_address_to_bytes (address);
  GInetAddress *inner;
  gchar *host;

  if (g_inet_address_get_family (address) != G_SOCKET_FAMILY_IPV6
      || memcmp (bytes, mapped, sizeof mapped) != 0)
    return g_inet_address_to_string (address);
  inner = g_inet_address_new_from_bytes (bytes + sizeof mapped, G_SOCKET_FAMILY_IPV4);
  host = g_inet_address_to_string (inner);
  g_object_unref (inner);
  return host;
}

static Call *
call_new (Door *door, guint64 id)
{
  Call *call = g_new0 (Call, 1);

  g_atomic_int_inc (&door->refs);
  call->door = door;
  call->id = id;
  return call;
}

/* On a thread of the plugin, which other elements wait for */
static GstStructure *
on_connecting (
    GstElement *listener, guint64 id, GSocketAddress *address, const gchar *stream_id, Door *door)
{
  GInetSocketAddress *inet = G_INET_SOCKET_ADDRESS (address);
  Call *call = call_new (door, id);

  call->movie = g_strdup (stream_id);
  call->host = dup_host (g_inet_socket_address_get_address (inet));
  call->port = g_inet_socket_address_get_port (inet);
  g_idle_add_full (G_PRIORITY_DEFAULT, answer, call, call_free);
  return gst_structure_new ("answer", "defer", G_TYPE_BOOLEAN, TRUE, NULL);
}

static void
on_removed (GstElement *listener, guint64 id, GSocketAddress *address, const gchar *stream_id,
    const gchar *reason, Door *door)
{
  g_idle_add_full (G_PRIORITY_DEFAULT, take_leave, call_new (door, id), call_free);
}

/* ---- the port -------------------------------------------------------------------- */

static GstElement *
make_listener (const gchar *address, guint16 port)
{
  GstElement *listener = gst_element_factory_make ("tfrcsink", "door");

  /* The element has no input: a sink that is not async plays without. */
  gst_util_set_object_arg (G_OBJECT (listener), "mode", "listener");
  g_object_set (listener, "async", FALSE, "bind-address", address, "port", (gint) port, NULL);
  return gst_object_ref_sink (listener);
}

static void
set_problem (GError **error, GstBus *bus)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  GError *problem = NULL;

  if (message != NULL) {
    gst_message_parse_error (message, &problem, NULL);
    gst_message_unref (message);
  }
  g_set_error_literal (error, SERVER_ERROR, SERVER_ERROR_FAILED,
      problem != NULL ? problem->message : "the UDP port cannot be opened");
  g_clear_error (&problem);
}

static gboolean
open_port (Door *door, GError **error)
{
  GstBus *bus = gst_bus_new ();
  gboolean is_open;

  gst_element_set_bus (door->listener, bus);
  is_open = gst_element_set_state (door->listener, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE;
  if (!is_open)
    set_problem (error, bus);
  /* Nobody would take the messages about callers. */
  gst_bus_set_flushing (bus, TRUE);
  gst_object_unref (bus);
  return is_open;
}

Door *
door_new (Streams *streams, const gchar *address, guint16 port, GError **error)
{
  Door *door = g_new0 (Door, 1);

  door->refs = 1;
  door->streams = streams;
  door->address = g_strdup (address);
  door->port = port;
  door->listener = make_listener (address, port);
  g_signal_connect (door->listener, "caller-connecting", G_CALLBACK (on_connecting), door);
  g_signal_connect (door->listener, "caller-removed", G_CALLBACK (on_removed), door);
  if (!open_port (door, error)) {
    door_free (door);
    return NULL;
  }
  return door;
}

void
door_free (Door *door)
{
  if (door == NULL)
    return;
  gst_element_set_state (door->listener, GST_STATE_NULL);
  door->streams = NULL;
  unref (door);
}

gchar *
door_dup_uri (const Door *door)
{
  return g_strdup_printf (
      strchr (door->address, ':') ? "tfrc://[%s]:%u" : "tfrc://%s:%u", door->address, door->port);
}
