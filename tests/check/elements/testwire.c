/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The network between two elements, see testwire.h. */
#include "testwire.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define THIRD_HOST "127.0.0.66"
#define TICK_MS 20 /* how soon the thread notices that it has to end */

typedef struct
{
  gboolean to_receiver;
  gint64 due_us;
  gsize size;
  guint8 data[2048];
} Packet;

static gint
open_socket (const gchar *address, gint *port)
{
  GstTfrcSocketConfig config = GST_TFRC_SOCKET_CONFIG_INIT;
  GstTfrcAddress local;
  gint fd;

  config.bind_address = address;
  fd = gst_tfrc_socket_open (&config, &local, NULL);
  fail_unless (fd >= 0);
  if (port)
    *port = gst_tfrc_address_port (&local);
  return fd;
}

/* A packet for an end that is gone is lost. */
static void
send_to (gint fd, const GstTfrcAddress *to, const guint8 *data, gsize size)
{
  GstTfrcSendItem item = { .data = data, .size = size };
  gint error;

  if (to->len > 0)
    gst_tfrc_socket_send (fd, to, NULL, &item, 1, &error);
}

void
test_wire_pass (TestWire *wire, gboolean to_receiver, const guint8 *data, gsize size)
{
  if (to_receiver)
    send_to (wire->far, &wire->receiver, data, size);
  else
    send_to (wire->near, &wire->sender, data, size);
}

void
test_wire_send_as_third (TestWire *wire, gboolean to_receiver, const guint8 *data, gsize size)
{
  send_to (wire->third, to_receiver ? &wire->receiver : &wire->sender, data, size);
}

static gssize
receive (gint fd, Packet *packet, GstTfrcAddress *from)
{
  struct sockaddr_in address;
  socklen_t length = sizeof address;
  gssize n = recvfrom (
      fd, packet->data, sizeof packet->data, MSG_DONTWAIT, (struct sockaddr *) &address, &length);

  if (n >= 0) {
    gst_tfrc_address_from_sockaddr (from, (struct sockaddr *) &address, length);
    packet->size = (gsize) n;
  }
  return n;
}

static gboolean
is_passed_on (TestWire *wire, const Packet *packet)
{
  gboolean passes = TRUE;

  g_mutex_lock (&wire->lock);
  if (wire->tap)
    passes = wire->tap (wire, packet->to_receiver, packet->data, packet->size, wire->user);
  g_mutex_unlock (&wire->lock);
  return passes;
}

static void
take_from (TestWire *wire, gint fd, gboolean to_receiver)
{
  Packet packet = { .to_receiver = to_receiver };
  GstTfrcAddress from;

  while (receive (fd, &packet, &from) >= 0) {
    if (to_receiver)
      wire->sender = from;
    if (to_receiver && !g_atomic_int_get (&wire->first_us_set)) {
      wire->first_us = g_get_monotonic_time ();
      g_atomic_int_set (&wire->first_us_set, 1);
    }
    packet.due_us = g_get_monotonic_time () + wire->delay_ms * 1000;
    if (!is_passed_on (wire, &packet))
      continue;
    if (wire->delay_ms == 0)
      test_wire_pass (wire, to_receiver, packet.data, packet.size);
    else
      g_queue_push_tail (&wire->under_way, g_memdup2 (&packet, sizeof packet));
  }
}

static void
listen_as_third (TestWire *wire)
{
  Packet packet;
  GstTfrcAddress from;

  while (receive (wire->third, &packet, &from) >= 0) {
    g_mutex_lock (&wire->lock);
    if (wire->listener)
      wire->listener (wire, &from, packet.data, packet.size, wire->user);
    g_mutex_unlock (&wire->lock);
  }
}

static gint
deliver (TestWire *wire)
{
  Packet *packet;

  while ((packet = g_queue_peek_head (&wire->under_way)) != NULL) {
    gint64 left_us = packet->due_us - g_get_monotonic_time ();

    if (left_us > 0)
      return (gint) MIN (left_us / 1000 + 1, TICK_MS);
    test_wire_pass (wire, packet->to_receiver, packet->data, packet->size);
    g_free (g_queue_pop_head (&wire->under_way));
  }
  return TICK_MS;
}

static gpointer
run (gpointer data)
{
  TestWire *wire = data;
  struct pollfd ready[] = { { wire->near, POLLIN, 0 }, { wire->far, POLLIN, 0 },
    { wire->third, POLLIN, 0 } };

  while (!g_atomic_int_get (&wire->ends)) {
    poll (ready, G_N_ELEMENTS (ready), deliver (wire));
    take_from (wire, wire->near, TRUE);
    take_from (wire, wire->far, FALSE);
    listen_as_third (wire);
  }
  return NULL;
}

TestWire *
test_wire_new (gint receiver_port, guint delay_ms)
{
  TestWire *wire = g_new0 (TestWire, 1);

  wire->near = open_socket ("127.0.0.1", &wire->port);
  wire->far = open_socket ("127.0.0.1", NULL);
  wire->third = open_socket (THIRD_HOST, NULL);
  wire->delay_ms = delay_ms;
  fail_unless (gst_tfrc_address_resolve (
      &wire->receiver, "127.0.0.1", (guint16) receiver_port, AF_INET, NULL));
  g_mutex_init (&wire->lock);
  g_queue_init (&wire->under_way);
  wire->thread = g_thread_new ("wire", run, wire);
  return wire;
}

void
test_wire_free (TestWire *wire)
{
  g_atomic_int_set (&wire->ends, 1);
  g_thread_join (wire->thread);
  g_queue_clear_full (&wire->under_way, g_free);
  close (wire->near);
  close (wire->far);
  close (wire->third);
  g_mutex_clear (&wire->lock);
  g_free (wire);
}

void
test_wire_set_tap (TestWire *wire, TestWireTap tap, TestWireListener listener, gpointer user)
{
  g_mutex_lock (&wire->lock);
  wire->tap = tap;
  wire->listener = listener;
  wire->user = user;
  g_mutex_unlock (&wire->lock);
}
