/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The key packets that leave to one address, see keysending.h. */
#include "keysending.h"

#include <string.h>

#include <tfrc/path.h>

#include "../common/random.h"

#define MS_NS G_GUINT64_CONSTANT (1000000)
#define S_NS (1000 * MS_NS)

/* Often enough for a path that loses packets, and no flood to a receiver that is not there.  The lowest one
 * serves as well while R is unknown: a receiver under a flood may lose every second packet, and keys are to
 * be there within a second all the same. */
#define MIN_INTERVAL_NS (100 * MS_NS)
#define MAX_INTERVAL_NS (2 * S_NS)

/* More than any message has.  A host that sends data for hours before it is asked for keys earns no
 * more. */
#define MAX_CREDIT_BYTES 65536

/* The ways in which an end sends.  A receiver's request has a certificate in it, and may be no
 * longer than what has come: therefore a sender asks by two packets of full size. */
typedef struct
{
  gboolean repeats;
  gsize ask_bytes; /* of an empty key packet */
  guint asks;      /* packets that ask, before the interval */
} Manner;

static const Manner manners[] = {
  [GST_TFRC_SRTP_SENDER] = { TRUE, GST_TFRC_KEY_PACKET_FULL_BYTES, 2 },
  [GST_TFRC_SRTP_RECEIVER] = { FALSE, GST_TFRC_KEY_PACKET_HEADER_BYTES, 1 },
};

struct _GstTfrcKeySending
{
  const Manner *manner;
  GBytes *message; /* that is leaving; NULL: none */
  guint32 number;  /* of the message, or of a sender's questions */
  guint turn;      /* packets that have left since the message or the questions began anew */
  gboolean wants_ask;
  gboolean is_proof;   /* the empty packets ask for nothing */
  gboolean has_cookie; /* which leaves with all packets but proofs and a receiver's questions */
  guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES];
  gboolean gives_cookie; /* with a sender's questions */
  guint8 given[TFRC_WIRE_PATH_DATA_BYTES];
  guint64 next_ns;     /* if it repeats */
  guint64 interval_ns; /* if it repeats; 0: nothing has left yet */
  gsize credit_bytes;  /* unless it repeats: that may still leave */
};

GstTfrcKeySending *
gst_tfrc_key_sending_new (GstTfrcSrtpEnd end)
{
  GstTfrcKeySending *self = g_new0 (GstTfrcKeySending, 1);

  self->manner = &manners[end];
  self->next_ns = G_MAXUINT64;
  /* No host that does not see the messages can guess their numbers, and so give cookies. */
  if (self->manner->repeats && !gst_tfrc_random_fill (&self->number, sizeof self->number))
    self->number = 0;
  return self;
}

void
gst_tfrc_key_sending_free (GstTfrcKeySending *self)
{
  gst_tfrc_key_sending_stop (self);
  g_free (self);
}

void
gst_tfrc_key_sending_stop (GstTfrcKeySending *self)
{
  g_clear_pointer (&self->message, g_bytes_unref);
  self->turn = 0;
  self->wants_ask = FALSE;
  self->next_ns = G_MAXUINT64;
}

void
gst_tfrc_key_sending_restart (GstTfrcKeySending *self)
{
  gst_tfrc_key_sending_stop (self);
  self->number = 0;
  self->credit_bytes = 0;
  self->has_cookie = FALSE;
}

/* ---- what leaves --------------------------------------------------------- */

static void
begin (GstTfrcKeySending *self, GBytes *message, guint64 now_ns)
{
  g_clear_pointer (&self->message, g_bytes_unref);
  self->message = message;
  self->number++;
  self->turn = 0;
  if (!self->manner->repeats)
    return;
  self->wants_ask = message == NULL;
  self->is_proof = FALSE;
  self->next_ns = now_ns;
  self->interval_ns = 0;
}

void
gst_tfrc_key_sending_send (GstTfrcKeySending *self, GBytes *message, guint64 now_ns)
{
  begin (self, message, now_ns);
}

void
gst_tfrc_key_sending_ask (GstTfrcKeySending *self, guint64 now_ns)
{
  if (self->manner->repeats) {
    begin (self, NULL, now_ns);
    self->gives_cookie = gst_tfrc_random_fill (self->given, sizeof self->given);
  }
  self->wants_ask = TRUE;
}

void
gst_tfrc_key_sending_prove (GstTfrcKeySending *self, guint64 now_ns)
{
  begin (self, NULL, now_ns);
  self->is_proof = TRUE;
}

void
gst_tfrc_key_sending_add_credit (GstTfrcKeySending *self, gsize bytes)
{
  self->credit_bytes = MIN (self->credit_bytes + bytes, MAX_CREDIT_BYTES);
}

guint64
gst_tfrc_key_sending_next_ns (const GstTfrcKeySending *self)
{
  return self->next_ns;
}

void
gst_tfrc_key_sending_hurry (GstTfrcKeySending *self, guint64 now_ns)
{
  if (self->next_ns != G_MAXUINT64)
    self->next_ns = MIN (self->next_ns, now_ns);
}

gboolean
gst_tfrc_key_sending_take_cookie (GstTfrcKeySending *self, const GstTfrcKeyPacket *packet)
{
  if (self->next_ns == G_MAXUINT64 || self->is_proof || packet->number != self->number
      || !gst_tfrc_key_sending_is_other_cookie (self, packet->given))
    return FALSE;
  gst_tfrc_key_sending_set_cookie (self, packet->given);
  self->interval_ns = 0; /* somebody is there */
  return TRUE;
}

gboolean
gst_tfrc_key_sending_is_other_cookie (
    const GstTfrcKeySending *self, const guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES])
{
  return !self->has_cookie || memcmp (self->cookie, cookie, sizeof self->cookie) != 0;
}

void
gst_tfrc_key_sending_set_cookie (
    GstTfrcKeySending *self, const guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES])
{
  memcpy (self->cookie, cookie, sizeof self->cookie);
  self->has_cookie = TRUE;
  self->turn = 0;
}

gboolean
gst_tfrc_key_sending_has_given (
    const GstTfrcKeySending *self, const guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES])
{
  return self->gives_cookie && tfrc_path_is_same_data (self->given, cookie);
}

gboolean
gst_tfrc_key_sending_is_busy_with (const GstTfrcKeySending *self, GBytes *message)
{
  return self->message == message;
}

static void
schedule_next (GstTfrcKeySending *self, guint64 rtt_ns, guint64 now_ns)
{
  guint64 first_ns = CLAMP (2 * rtt_ns, MIN_INTERVAL_NS, MAX_INTERVAL_NS);

  self->interval_ns = self->interval_ns > 0 ? MIN (2 * self->interval_ns, MAX_INTERVAL_NS)
                                            : first_ns;
  self->next_ns = now_ns + self->interval_ns;
}

/* A packet has left, one of @packets after which the message or the questions are complete. */
static void
count_packet (GstTfrcKeySending *self, guint packets, guint64 rtt_ns, guint64 now_ns)
{
  if (++self->turn < packets)
    return;
  self->turn = 0;
  if (self->manner->repeats)
    schedule_next (self, rtt_ns, now_ns);
  else
    g_clear_pointer (&self->message, g_bytes_unref);
}

static gboolean
take_credit (GstTfrcKeySending *self, gsize size)
{
  if (self->manner->repeats)
    return TRUE;
  if (size > self->credit_bytes)
    return FALSE;
  self->credit_bytes -= size;
  return TRUE;
}

static guint
count_fragments (const GstTfrcKeySending *self)
{
  gsize size = g_bytes_get_size (self->message);

  return (guint) ((size + GST_TFRC_KEY_FRAGMENT_BYTES - 1) / GST_TFRC_KEY_FRAGMENT_BYTES);
}

/* Returns the size of the packet, with the cookie. */
static gsize
add_cookie (const GstTfrcKeySending *self, guint8 *buffer, gsize size)
{
  return self->has_cookie ? gst_tfrc_key_packet_add_cookie (buffer, size, self->cookie) : size;
}

static gsize
write_ask (const GstTfrcKeySending *self, guint32 own_ssrc, gsize size, guint8 *buffer)
{
  guint32 number = self->manner->repeats && !self->is_proof ? self->number : 0;

  size = gst_tfrc_key_packet_write_request (buffer, own_ssrc, number, size);
  if (!self->manner->repeats || self->is_proof)
    return size;
  if (self->gives_cookie)
    gst_tfrc_key_packet_give_cookie (buffer, self->given);
  return add_cookie (self, buffer, size);
}

gsize
gst_tfrc_key_sending_write (
    GstTfrcKeySending *self, guint32 own_ssrc, guint64 rtt_ns, guint64 now_ns, guint8 *buffer)
{
  static const Manner proof = { TRUE, GST_TFRC_KEY_PACKET_HEADER_BYTES, 1 };
  const Manner *manner = self->is_proof ? &proof : self->manner;
  gsize size;

  if (self->wants_ask) {
    self->wants_ask = manner->repeats;
    if (manner->repeats)
      count_packet (self, manner->asks, rtt_ns, now_ns);
    if (take_credit (self, manner->ask_bytes))
      return write_ask (self, own_ssrc, manner->ask_bytes, buffer);
  }
  if (self->message == NULL)
    return 0;
  size = gst_tfrc_key_packet_write (buffer, own_ssrc, self->number, self->message,
      (gsize) self->turn * GST_TFRC_KEY_FRAGMENT_BYTES);
  size = add_cookie (self, buffer, size);
  if (!take_credit (self, size))
    return 0;
  count_packet (self, count_fragments (self), rtt_ns, now_ns);
  return size;
}

/* ---- for tests and gdb --------------------------------------------------- */

const gchar *
gst_tfrc_key_sending_check (const GstTfrcKeySending *self)
{
  gboolean is_busy = self->message || self->wants_ask;

  if (self->message && self->turn >= count_fragments (self))
    return "The next fragment is one of the message.";
  if (self->credit_bytes > MAX_CREDIT_BYTES)
    return "The credit of an address is limited.";
  if (!self->manner->repeats)
    return self->next_ns == G_MAXUINT64 ? NULL : "A receiver repeats nothing by itself.";
  if (self->message && self->wants_ask)
    return "A sender asks or sends a message, and does not do both.";
  return is_busy == (self->next_ns != G_MAXUINT64) ? NULL : "A sender repeats what is leaving.";
}

void
gst_tfrc_key_sending_print (const GstTfrcKeySending *self)
{
  g_printerr ("message %u of %" G_GSIZE_FORMAT " bytes, packet %u is next%s, at %" G_GUINT64_FORMAT
              " ns, credit %" G_GSIZE_FORMAT " bytes\n",
      self->number, self->message ? g_bytes_get_size (self->message) : 0, self->turn,
      self->wants_ask ? ", asks" : "", self->next_ns, self->credit_bytes);
}
