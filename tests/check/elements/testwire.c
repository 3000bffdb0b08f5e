/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The network between two elements, see testwire.h. */
#include "testwire.h"

#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define THIRD_HOST "127.0.0.66"
#define TICK_MS 20 /* how soon the thread notices that it has to end */

typedef struct
{
  gboolean to_receiver;
  gint64 due_us;
  guint8 tos;
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
send_to (gint fd, const GstTfrcAddress *to, guint8 tos, const guint8 *data, gsize size)
{
  GstTfrcSendItem item = { .data = data, .size = size, .tos = tos };
  gint error;

  if (to->len > 0)
    gst_tfrc_socket_send (fd, to, NULL, &item, 1, &error);
}

static void
pass_on (TestWire *wire, gboolean to_receiver, guint8 tos, const guint8 *data, gsize size)
{
  if (to_receiver)
    send_to (wire->far, &wire->receiver, tos, data, size);
  else
    send_to (wire->near, &wire->sender, tos, data, size);
}

void
test_wire_pass (TestWire *wire, gboolean to_receiver, const guint8 *data, gsize size)
{
  pass_on (wire, to_receiver, 0, data, size);
}

void
test_wire_set_ecn (TestWire *wire, TestWireEcn ecn)
{
  g_atomic_int_set (&wire->ecn, ecn);
}

/* Does to a packet with ECT what the test wants. Returns FALSE if the packet is lost. */
static gboolean
survives_ecn (TestWire *wire, Packet *packet)
{
  gint n;

  if ((packet->tos & TFRC_ECN_FIELD_CE) == TFRC_ECN_FIELD_NOT_ECT) {
    if (packet->to_receiver)
      g_atomic_int_set (&wire->others_tos, packet->tos);
    if (g_atomic_int_get (&wire->ecn) == TEST_WIRE_SETS_ALL_CE)
      packet->tos |= TFRC_ECN_FIELD_CE;
    return TRUE;
  }
  n = g_atomic_int_add (&wire->ect_packets, 1);
  if (tfrc_wire_classify (packet->data, packet->size) != TFRC_WIRE_KIND_DATA)
    g_atomic_int_inc (&wire->ect_rtcp);
  g_atomic_int_set (&wire->ect_tos, packet->tos);
  switch ((TestWireEcn) g_atomic_int_get (&wire->ecn)) {
    case TEST_WIRE_PASSES_ECT:
      return TRUE;
    case TEST_WIRE_BLEACHES_ECT:
      packet->tos &= ~TFRC_ECN_FIELD_CE;
      return TRUE;
    case TEST_WIRE_DROPS_ECT:
      return FALSE;
    case TEST_WIRE_SETS_CE:
      packet->tos |= n % 20 == 19 ? TFRC_ECN_FIELD_CE : 0;
      return TRUE;
    case TEST_WIRE_SETS_ALL_CE:
      packet->tos |= TFRC_ECN_FIELD_CE;
      return TRUE;
  }
  return TRUE;
}

void
test_wire_send_as_third (TestWire *wire, gboolean to_receiver, const guint8 *data, gsize size)
{
  send_to (wire->third, to_receiver ? &wire->receiver : &wire->sender, 0, data, size);
}

static guint8
tos_of (struct msghdr *header)
{
  for (struct cmsghdr *c = CMSG_FIRSTHDR (header); c; c = CMSG_NXTHDR (header, c)) {
    if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS)
      return *CMSG_DATA (c);
  }
  return 0;
}

static gssize
receive (gint fd, Packet *packet, GstTfrcAddress *from)
{
  union
  {
    struct cmsghdr align;
    guint8 bytes[256];
  } control;
  struct sockaddr_in address;
  struct iovec buffer = { packet->data, sizeof packet->data };
  struct msghdr header = { .msg_name = &address,
    .msg_namelen = sizeof address,
    .msg_iov = &buffer,
    .msg_iovlen = 1,
    .msg_control = &control,
    .msg_controllen = sizeof control };
  gssize n = recvmsg (fd, &header, MSG_DONTWAIT);

  if (n >= 0) {
    gst_tfrc_address_from_sockaddr (from, (struct sockaddr *) &address, header.msg_namelen);
    packet->size = (gsize) n;
    packet->tos = tos_of (&header);
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
    if (!survives_ecn (wire, &packet) || !is_passed_on (wire, &packet))
      continue;
    if (wire->delay_ms == 0)
      pass_on (wire, to_receiver, packet.tos, packet.data, packet.size);
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
    pass_on (wire, packet->to_receiver, packet->tos, packet->data, packet->size);
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
