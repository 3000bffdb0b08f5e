/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The demultiplexer, see demux.h. */
#include "demux.h"

#include <string.h>

/* Bytes of a datagram before the SSRC of its sender: of RTP (RFC 3550 section 5.1), and of RTCP
 * (section 6.4.1).  Protection leaves both in the clear (RFC 3711 sections 3.1 and 3.4). */
#define RTP_SSRC_OFFSET 8
#define RTCP_SSRC_OFFSET 4

typedef struct
{
  GstTfrcAddress address;
  guint32 ssrc;
} Key;

static guint32
mix (guint32 hash, guint32 word)
{
  hash = (hash ^ word) * 0x9e3779b1; /* 2^32 / the golden ratio */
  return hash ^ hash >> 15;
}

/* The scope of an IPv6 address is left out: addresses that are equal may differ in it. */
static guint
hash_key (gconstpointer data)
{
  const Key *key = data;
  guint32 words[4] = { 0 }, hash = mix (key->ssrc, gst_tfrc_address_port (&key->address));

  if (gst_tfrc_address_family (&key->address) == AF_INET)
    words[0] = key->address.u.v4.sin_addr.s_addr;
  else if (gst_tfrc_address_family (&key->address) == AF_INET6)
    memcpy (words, &key->address.u.v6.sin6_addr, sizeof words);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    hash = mix (hash, words[i]);
  return hash;
}

static gboolean
equal_keys (gconstpointer a, gconstpointer b)
{
  const Key *x = a, *y = b;

  return x->ssrc == y->ssrc && gst_tfrc_address_equal (&x->address, &y->address);
}

static void
free_queue (gpointer queue)
{
  g_queue_free (queue);
}

void
gst_tfrc_demux_init (GstTfrcDemux *self)
{
  memset (self, 0, sizeof *self);
  self->sessions = g_hash_table_new_full (hash_key, equal_keys, g_free, NULL);
  self->hosts = g_hash_table_new_full (hash_key, equal_keys, g_free, free_queue);
}

void
gst_tfrc_demux_clear (GstTfrcDemux *self)
{
  g_clear_pointer (&self->sessions, g_hash_table_unref);
  g_clear_pointer (&self->hosts, g_hash_table_unref);
}

static Key *
new_key (const GstTfrcAddress *address, guint32 ssrc)
{
  Key *key = g_new0 (Key, 1);

  key->address = *address;
  key->ssrc = ssrc;
  return key;
}

void
gst_tfrc_demux_add (
    GstTfrcDemux *self, const GstTfrcAddress *address, guint32 ssrc, gpointer session)
{
  const Key host = { *address, 0 };
  GQueue *at_host;

  gst_tfrc_demux_remove (self, address, ssrc);
  g_hash_table_insert (self->sessions, new_key (address, ssrc), session);
  at_host = g_hash_table_lookup (self->hosts, &host);
  if (at_host == NULL) {
    at_host = g_queue_new ();
    g_hash_table_insert (self->hosts, new_key (address, 0), at_host);
  }
  g_queue_push_tail (at_host, session);
}

void
gst_tfrc_demux_remove (GstTfrcDemux *self, const GstTfrcAddress *address, guint32 ssrc)
{
  const Key key = { *address, ssrc }, host = { *address, 0 };
  gpointer session = g_hash_table_lookup (self->sessions, &key);
  GQueue *at_host = g_hash_table_lookup (self->hosts, &host);

  if (session == NULL)
    return;
  g_hash_table_remove (self->sessions, &key);
  g_queue_remove (at_host, session);
  if (g_queue_is_empty (at_host))
    g_hash_table_remove (self->hosts, &host);
}

gpointer
gst_tfrc_demux_find (const GstTfrcDemux *self, const GstTfrcAddress *address, guint32 ssrc)
{
  const Key key = { *address, ssrc };

  return g_hash_table_lookup (self->sessions, &key);
}

gpointer
gst_tfrc_demux_find_at (const GstTfrcDemux *self, const GstTfrcAddress *address)
{
  const Key host = { *address, 0 };
  GQueue *at_host = g_hash_table_lookup (self->hosts, &host);

  return at_host ? g_queue_peek_head (at_host) : NULL;
}

/* Returns the SSRC of the sender; 0: the datagram is too short. */
static guint32
get_ssrc (const guint8 *data, gsize size)
{
  /* RTCP packet types (RFC 5761 section 4) */
  gboolean is_rtcp = size > 1 && data[1] >= 192 && data[1] <= 223;
  gsize offset = is_rtcp ? RTCP_SSRC_OFFSET : RTP_SSRC_OFFSET;
  guint32 ssrc = 0;

  if (size >= offset + sizeof ssrc)
    memcpy (&ssrc, data + offset, sizeof ssrc);
  return g_ntohl (ssrc);
}

gpointer
gst_tfrc_demux_find_packet (
    const GstTfrcDemux *self, const GstTfrcAddress *from, const guint8 *data, gsize size)
{
  gpointer session;

  if (gst_tfrc_demux_size (self) == 0)
    return NULL;
  session = gst_tfrc_demux_find (self, from, get_ssrc (data, size));
  return session ? session : gst_tfrc_demux_find_at (self, from);
}

guint
gst_tfrc_demux_size (const GstTfrcDemux *self)
{
  return g_hash_table_size (self->sessions);
}
