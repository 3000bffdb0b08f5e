/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes what any host can make a listening sender do with calls, and a calling receiver with answers: the
 * packets (gst/strangers/callpacket.h), the table of callers (callers.h) and the probes (probes.h).
 *
 * The input is events of one byte, with what each needs behind. Packets come as they are in the input, or
 * as true calls of one of 256 ports, with the cookie of their port or without. */
#include "events.h"

#include "gst/strangers/callers.h"
#include "gst/strangers/probes.h"

#define S G_GUINT64_CONSTANT (1000000000)
#define MAX_CALLERS 8

typedef struct
{
  GstTfrcCallers *callers;
  GstTfrcCookies cookies; /* the same as those of callers */
  GstTfrcProbes probes;
  guint64 now_ns;
  guint64 ids[256]; /* of the callers that were told, by port */
} World;

static const guint8 secret[GST_TFRC_SECRET_BYTES] = { 1, 2, 3 };

static GstTfrcAddress
address_of (guint8 port)
{
  GstTfrcAddress address = { .len = sizeof address.u.v4 };

  address.u.v4.sin_family = AF_INET;
  address.u.v4.sin_addr.s_addr = g_htonl (0xc6336407);
  address.u.v4.sin_port = g_htons (1000 + port);
  return address;
}

static GstTfrcReceivedPacket
received (const World *world, guint8 *data, gsize size, const GstTfrcAddress *from)
{
  GstTfrcReceivedPacket packet = { .data = data, .size = size, .from = from };

  packet.arrival_ns = packet.read_ns = world->now_ns;
  return packet;
}

static void
deliver_call (World *world, guint8 port, guint8 *data, gsize size)
{
  const GstTfrcAddress from = address_of (port);
  GstTfrcReceivedPacket packet = received (world, data, size, &from);
  GstTfrcCaller caller;
  guint64 replaced;

  if (gst_tfrc_callers_on_packet (world->callers, &packet, world->now_ns, &caller, &replaced)
      == GST_TFRC_CALLERS_NEW) {
    CHECK (gst_tfrc_stream_id_is_valid (caller.stream_id));
    CHECK (gst_tfrc_address_equal (&caller.address, &from));
    world->ids[port] = caller.id;
  }
}

/* An answer reaches the probes, too, as if they had called. */
static void
deliver_answer (World *world, guint8 port, guint8 *data, gsize size)
{
  const GstTfrcAddress from = address_of (port);
  GstTfrcReceivedPacket packet = received (world, data, size, &from);

  gst_tfrc_probes_on_answer (&world->probes, &packet);
  CHECK (strlen (gst_tfrc_call_get_reason (gst_tfrc_probes_get_call (&world->probes)))
      <= GST_TFRC_REASON_MAX_BYTES);
}

/* A copy of its size, so that ASan detects a read past the end */
static void
deliver (World *world, guint8 port, const guint8 *given, gsize size, gboolean is_answer)
{
  guint8 *data = g_memdup2 (given, size);

  if (is_answer)
    deliver_answer (world, port, data, size);
  else
    deliver_call (world, port, data, size);
  g_free (data);
}

static void
deliver_raw (World *world, Input *input, gboolean is_answer)
{
  guint8 port = (guint8) take (input, 1);
  gsize words = take (input, 1), size = MIN (words * 4, input->size);

  deliver (world, port, input->bytes, size, is_answer);
  input->bytes += size;
  input->size -= size;
}

static void
deliver_true_call (World *world, Input *input)
{
  guint8 port = (guint8) take (input, 1), flags = (guint8) take (input, 1);
  GstTfrcCallPacket call = { .ssrc = flags >> 4, .number = flags >> 6, .stream_id = "film" };
  const GstTfrcAddress from = address_of (port);
  guint8 data[GST_TFRC_CALL_MAX_BYTES];

  if (flags & 1)
    gst_tfrc_cookies_get_dated (&world->cookies, &from, world->now_ns, call.cookie);
  deliver (world, port, data, gst_tfrc_call_packet_write (data, &call), FALSE);
}

static void
decide (World *world, Input *input)
{
  guint64 id = world->ids[take (input, 1)];
  guint what = take (input, 1);
  GstTfrcAddress address = address_of ((guint8) (what >> 2));
  GstTfrcCaller caller;

  switch (what & 3) {
    case 0:
      gst_tfrc_callers_accept (world->callers, id, &caller);
      break;
    case 1:
      gst_tfrc_callers_refuse (world->callers, id, "no\n\xff", world->now_ns, &caller);
      break;
    case 2:
      gst_tfrc_callers_move (world->callers, id, &address);
      break;
    default:
      gst_tfrc_callers_forget (world->callers, id);
      break;
  }
}

/* No answer is larger than the shortest call, unless its address is proven. */
static void
send_answers (World *world)
{
  guint8 data[GST_TFRC_ANSWER_MAX_BYTES];
  GstTfrcAnswerPacket answer;
  GstTfrcAddress to, local;
  gsize size;

  while ((size = gst_tfrc_callers_write (world->callers, data, &to, &local)) > 0) {
    CHECK (gst_tfrc_answer_packet_parse (data, size, &answer));
    CHECK (answer.kind != GST_TFRC_ANSWER_COOKIE || size <= GST_TFRC_CALL_HEADER_BYTES);
  }
}

static void
pass_time (World *world, guint64 by_ns)
{
  guint8 call[GST_TFRC_CALL_MAX_BYTES];
  GstTfrcAddress to;

  world->now_ns += by_ns;
  gst_tfrc_callers_on_time (world->callers, world->now_ns);
  if (!gst_tfrc_probes_take_challenge (&world->probes, world->now_ns))
    gst_tfrc_probes_write_call (&world->probes, world->now_ns, call, &to);
}

static void
act (World *world, Input *input)
{
  switch (take (input, 1) % 7) {
    case 0:
      deliver_raw (world, input, FALSE);
      break;
    case 1:
      deliver_raw (world, input, TRUE);
      break;
    case 2:
      deliver_true_call (world, input);
      break;
    case 3:
      decide (world, input);
      break;
    case 4:
      send_answers (world);
      break;
    case 5:
      pass_time (world, take (input, 1) * S / 10);
      break;
    default:
      gst_tfrc_callers_set_max (world->callers, take (input, 1) % (2 * MAX_CALLERS));
      break;
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  const GstTfrcAddress server = address_of (0);
  World world = { .now_ns = 1000 * S };
  Input input = { bytes, size };
  const gchar *broken;

  gst_tfrc_cookies_init (&world.cookies, secret);
  world.callers = gst_tfrc_callers_new (secret, 7, MAX_CALLERS);
  gst_tfrc_probes_start (&world.probes, &server, world.now_ns);
  gst_tfrc_probes_call (&world.probes, 5, 0, "film", world.now_ns);
  while (input.size > 0) {
    act (&world, &input);
    broken = gst_tfrc_callers_check (world.callers);
    CHECK (broken == NULL);
  }
  gst_tfrc_callers_free (world.callers);
  return 0;
}
