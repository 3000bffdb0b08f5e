/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The address of a receiver's exchange, see exchange.h. */
#include "exchange-private.h"

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* As long as a cookie counts (strangers/cookies.h) */
#define PROVEN_NS (20 * S_NS)

/* The rest of a message leaves at once, and a sender that is asked hears the request after one R. */
#define BUSY_NS S_NS

gboolean
gst_tfrc_exchange_is_busy (const GstTfrcExchange *self, guint64 now_ns)
{
  return now_ns < self->heard_ns + BUSY_NS
      && (self->request || gst_tfrc_key_assembly_is_partial (&self->assembly));
}

gboolean
gst_tfrc_exchange_is_weaker (
    const GstTfrcExchange *self, const GstTfrcExchange *other, guint64 now_ns)
{
  gboolean is_proven = gst_tfrc_exchange_is_proven (self, now_ns);
  gboolean is_busy = gst_tfrc_exchange_is_busy (self, now_ns);

  if (is_proven != gst_tfrc_exchange_is_proven (other, now_ns))
    return !is_proven;
  if (is_busy != gst_tfrc_exchange_is_busy (other, now_ns))
    return !is_busy;
  return self->heard_ns < other->heard_ns;
}

/* The bytes of a message that came in part need not be cleared.  They are 8 KiB, and every packet of
 * a flood could take a place. */
void
gst_tfrc_exchange_begin_with (
    GstTfrcExchange *self, const GstTfrcAddress *address, GstTfrcKeyParty *party)
{
  gst_tfrc_exchange_end (self);
  gst_tfrc_key_sending_restart (self->sending);
  self->asked_ns = 0;
  self->proven_until_ns = 0;
  self->address = *address;
  self->party = party;
  gst_tfrc_key_assembly_clear (&self->assembly);
}

/* What came without a cookie may be of another host. */
void
gst_tfrc_exchange_prove (GstTfrcExchange *self, guint64 now_ns)
{
  if (!gst_tfrc_exchange_is_proven (self, now_ns))
    gst_tfrc_key_assembly_clear (&self->assembly);
  self->proven_until_ns = now_ns + PROVEN_NS;
}

void
gst_tfrc_exchange_on_packet (
    GstTfrcExchange *self, const GstTfrcReceivedPacket *packet, guint64 now_ns)
{
  self->local = packet->local;
  self->heard_ns = now_ns;
  gst_tfrc_key_sending_add_credit (self->sending, packet->size);
}

const GstTfrcAddress *
gst_tfrc_exchange_get_address (const GstTfrcExchange *self)
{
  return &self->address;
}

const GstTfrcAddress *
gst_tfrc_exchange_get_local (const GstTfrcExchange *self)
{
  return &self->local;
}
