/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The addresses that a receiver exchanges key messages with, see contacts.h. */
#include "contacts.h"

#include "../common/tokenbucket.h"
#include "../strangers/cookies.h"

/* Each has room for a message, 8 KiB, and is made when the first address needs the place: most sources hear one
 * sender. */
#define MAX_CONTACTS 8

/* Cookies that wait: as many as packets are read from a socket in one turn, so that nearly every packet
 * of a flood is answered, and the true sender's with them. The newest take the places of the oldest. */
#define MAX_WAITING GST_TFRC_BATCH_PACKETS

/* Cookies while a stream plays: 1 % of a processor, and a sender that follows the stream's while nobody
 * floods gets one. */
#define PER_S_BESIDE_STREAM 1000
#define BURST_BESIDE_STREAM 64

typedef struct
{
  GstTfrcAddress to, local;
  guint32 number; /* of the message that is answered */
  guint64 at_ns;
} Waiting;

struct _GstTfrcContacts
{
  GstTfrcExchange *exchanges[MAX_CONTACTS];
  guint n; /* exchanges that have been made */
  const GstTfrcKeyParties *parties;
  GstTfrcCookies cookies;
  Waiting waiting[MAX_WAITING]; /* the last n_waiting before next */
  guint next, n_waiting;
  GstTfrcTokenBucket beside_stream;
};

GstTfrcContacts *
gst_tfrc_contacts_new (const GstTfrcKeyParties *parties, const guint8 secret[GST_TFRC_SECRET_BYTES])
{
  GstTfrcContacts *self = g_new0 (GstTfrcContacts, 1);

  self->parties = parties;
  gst_tfrc_cookies_init (&self->cookies, secret);
  gst_tfrc_token_bucket_init (&self->beside_stream, PER_S_BESIDE_STREAM, BURST_BESIDE_STREAM);
  return self;
}

void
gst_tfrc_contacts_free (GstTfrcContacts *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n; i++)
    gst_tfrc_exchange_free (self->exchanges[i]);
  g_free (self);
}

/* ---- places -------------------------------------------------------------- */

static GstTfrcExchange *
find (const GstTfrcContacts *self, const GstTfrcAddress *address)
{
  for (guint i = 0; i < self->n; i++)
    if (gst_tfrc_address_equal (gst_tfrc_exchange_get_address (self->exchanges[i]), address))
      return self->exchanges[i];
  return NULL;
}

gboolean
gst_tfrc_contacts_has (const GstTfrcContacts *self, const GstTfrcAddress *address)
{
  return find (self, address) != NULL;
}

/* Returns the exchange that gives way next.
 * @host: among those with this host; NULL: among all */
static GstTfrcExchange *
find_weakest (const GstTfrcContacts *self, const GstTfrcAddress *host, guint64 now_ns)
{
  GstTfrcExchange *weakest = NULL;

  for (guint i = 0; i < self->n; i++) {
    GstTfrcExchange *exchange = self->exchanges[i];

    if ((host == NULL
            || gst_tfrc_address_same_network (gst_tfrc_exchange_get_address (exchange), host))
        && (weakest == NULL || gst_tfrc_exchange_is_weaker (exchange, weakest, now_ns)))
      weakest = exchange;
  }
  return weakest;
}

/* Returns the place that the next address takes: one that nobody has had yet, or else the weakest. */
static GstTfrcExchange *
get_next_place (GstTfrcContacts *self, guint64 now_ns)
{
  if (self->n == MAX_CONTACTS)
    return find_weakest (self, NULL, now_ns);
  self->exchanges[self->n] = gst_tfrc_exchange_new (GST_TFRC_SRTP_RECEIVER, NULL);
  return self->exchanges[self->n++];
}

/* Whoever has shown no cookie, which many addresses can be forged for, takes no place in which another
 * message is under way.  Whoever has one takes places of its own host first.
 * @is_proven: the address has shown a cookie, or a key */
static GstTfrcExchange *
begin_with (
    GstTfrcContacts *self, const GstTfrcAddress *address, gboolean is_proven, guint64 now_ns)
{
  GstTfrcExchange *exchange = get_next_place (self, now_ns), *own;

  if (gst_tfrc_exchange_is_proven (exchange, now_ns)
      || gst_tfrc_exchange_is_busy (exchange, now_ns)) {
    if (!is_proven)
      return NULL;
    own = find_weakest (self, address, now_ns);
    exchange = own ? own : exchange;
  }
  gst_tfrc_exchange_begin_with (
      exchange, address, gst_tfrc_key_parties_find (self->parties, address));
  return exchange;
}

GstTfrcExchange *
gst_tfrc_contacts_get (
    GstTfrcContacts *self, const GstTfrcReceivedPacket *packet, gboolean is_sealed, guint64 now_ns)
{
  GstTfrcExchange *exchange = find (self, packet->from);

  if (exchange == NULL)
    exchange = begin_with (self, packet->from, is_sealed, now_ns);
  if (exchange)
    gst_tfrc_exchange_on_packet (exchange, packet, now_ns);
  return exchange;
}

void
gst_tfrc_contacts_forget (GstTfrcContacts *self, const GstTfrcAddress *address)
{
  static const GstTfrcAddress none;
  GstTfrcExchange *exchange = find (self, address);

  if (exchange)
    gst_tfrc_exchange_begin_with (exchange, &none, NULL);
}

/* ---- cookies ------------------------------------------------------------- */

static void
give_cookie (GstTfrcContacts *self, const GstTfrcReceivedPacket *packet, guint32 number,
    gboolean has_stream, guint64 now_ns)
{
  if (packet->size < GST_TFRC_KEY_COOKIE_PACKET_BYTES
      || (has_stream && !gst_tfrc_token_bucket_take (&self->beside_stream, now_ns)))
    return;
  self->waiting[self->next] = (Waiting){ *packet->from, packet->local, number, now_ns };
  self->next = (self->next + 1) % MAX_WAITING;
  self->n_waiting = MIN (self->n_waiting + 1, MAX_WAITING);
}

/* Returns the exchange with an address that has shown a cookie, or may do without one; NULL: it has to
 * show one. */
static GstTfrcExchange *
find_place (GstTfrcContacts *self, const GstTfrcAddress *from, gboolean is_proven, guint64 now_ns)
{
  GstTfrcExchange *exchange = find (self, from);
  GstTfrcKeyLimits *limits = gst_tfrc_key_party_get_limits (
      gst_tfrc_key_parties_find (self->parties, from));

  if (!is_proven
      && ((exchange && gst_tfrc_exchange_is_proven (exchange, now_ns))
          || !gst_tfrc_key_limits_could_read (limits, from, now_ns)))
    return NULL;
  if (exchange)
    return exchange;
  if (!gst_tfrc_key_limits_may_take_place (limits, from, is_proven, now_ns))
    return NULL;
  return begin_with (self, from, is_proven, now_ns);
}

/* A cookie that is wrong may be an old one of the true sender. */
GstTfrcExchange *
gst_tfrc_contacts_admit (GstTfrcContacts *self, const GstTfrcReceivedPacket *packet,
    const GstTfrcKeyPacket *parsed, gboolean has_stream, guint64 now_ns)
{
  gboolean is_proven = parsed->cookie
      && gst_tfrc_cookies_check (&self->cookies, packet->from, now_ns, parsed->cookie);
  GstTfrcExchange *exchange = NULL;

  if (is_proven || parsed->cookie == NULL)
    exchange = find_place (self, packet->from, is_proven, now_ns);
  if (exchange == NULL && !is_proven)
    give_cookie (self, packet, parsed->number, has_stream, now_ns);
  if (exchange == NULL)
    return NULL;
  if (is_proven)
    gst_tfrc_exchange_prove (exchange, now_ns);
  gst_tfrc_exchange_on_packet (exchange, packet, now_ns);
  return exchange;
}

/* ---- packets that leave -------------------------------------------------- */

static gsize
write_cookie (GstTfrcContacts *self, guint32 own_ssrc, guint8 *buffer, GstTfrcAddress *to,
    GstTfrcAddress *local)
{
  const Waiting *waiting =
      &self->waiting[(self->next + MAX_WAITING - self->n_waiting) % MAX_WAITING];
  guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES];

  if (self->n_waiting == 0)
    return 0;
  self->n_waiting--;
  *to = waiting->to;
  *local = waiting->local;
  gst_tfrc_cookies_get (&self->cookies, to, waiting->at_ns, cookie);
  return gst_tfrc_key_packet_write_cookie (buffer, own_ssrc, waiting->number, cookie);
}

gsize
gst_tfrc_contacts_write (GstTfrcContacts *self, guint32 own_ssrc, guint8 *buffer,
    GstTfrcAddress *to, GstTfrcAddress *local)
{
  gsize size;

  for (guint i = 0; i < self->n; i++) {
    size = gst_tfrc_exchange_write (self->exchanges[i], own_ssrc, 0, 0, buffer);
    if (size == 0)
      continue;
    *to = *gst_tfrc_exchange_get_address (self->exchanges[i]);
    *local = *gst_tfrc_exchange_get_local (self->exchanges[i]);
    return size;
  }
  return write_cookie (self, own_ssrc, buffer, to, local);
}

/* ---- for tests and gdb --------------------------------------------------- */

const gchar *
gst_tfrc_contacts_check (const GstTfrcContacts *self)
{
  const gchar *broken = NULL;

  for (guint i = 0; i < self->n && broken == NULL; i++)
    broken = gst_tfrc_exchange_check (self->exchanges[i]);
  return broken;
}

void
gst_tfrc_contacts_print (const GstTfrcContacts *self)
{
  for (guint i = 0; i < self->n; i++)
    gst_tfrc_exchange_print (self->exchanges[i]);
}
