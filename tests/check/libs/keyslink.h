/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A pair of ends for keystest.h, and the link between them.
 *
 * The link delays each packet by the same time and a random addition, which changes the order; it
 * may lose and repeat packets.  Key packets are numbered from 0 in the order in which they leave
 * either end, so that a test can lose single ones. */
#ifndef GST_TFRC_TESTS_KEYSLINK_H
#define GST_TFRC_TESTS_KEYSLINK_H

#include "mikeyrsatest.h"

#include "gst/keys/sinkkeys.h"
#include "gst/keys/srckeys.h"
#include "gst/queue/packet.h"

#define SINK_SSRC 0x01020304u
#define SRC_SSRC 0x0a0b0c0du
#define MS GST_MSECOND
#define START_NS (100 * GST_SECOND)
#define DATA_BYTES (12 + 188)
#define N_EVENTS GST_TFRC_EVENT_KINDS
#define SINK_HOST 1 /* the last byte of the sender's address */

/* Of one end: how often each event came, when the first one came, and the last one's reason */
typedef struct
{
  guint n[N_EVENTS];
  guint64 first_ns[N_EVENTS];
  const gchar *reason;
} Events;

typedef struct
{
  guint64 at_ns;
  gboolean to_sink;
  GstTfrcAddress from;
  gsize size;
  guint32 words[(GST_TFRC_KEY_PACKET_MAX_BYTES + GST_TFRC_PACKET_TAIL_BYTES + 3) / 4];
} Flying;

typedef struct
{
  GstTfrcSinkKeys *sink;
  GstTfrcSrcKeys *src;
  GstTfrcAddress sink_address;
  GPtrArray *flying;
  GPtrArray *record; /* Flying, copies of all that has left for the source; NULL: nothing is kept */
  guint64 now_ns, rtt_ns;
  gint64 sink_clock_ns, src_clock_ns; /* how far the wall clocks are off */

  guint64 delay_ns, jitter_ns;
  guint loss_percent;
  guint64 lost_keys; /* a bit for each key packet */
  gboolean loses_all_keys, repeats;
  guint32 random;

  guint32 ssrc;
  guint16 seq;
  guint64 data_ns, data_interval_ns;     /* 0: no data */
  guint64 report_ns, report_interval_ns; /* of either end */

  guint key_packets;
  guint64 key_left_ns[64];        /* of the sender's key packets */
  guint32 message_number, csb_id; /* of the sender's last message that could be read */
  guint keys_from_sink, key_bytes_to_sink, key_bytes_to_others, bytes_to_src;
  guint packets_held; /* that the source has taken later */
  guint data_sent, data_taken, reports_sent, reports_taken;
  guint64 first_data_ns; /* when the first data was taken */
  guint16 first_seq;
  guint64 may_send_ns; /* when the first data left */
  GstTfrcEvents sink_waiting, src_waiting;
  Events sink_events, src_events;
  guint64 sink_refused, src_refused; /* what assert_nothing_refused() does not count */
} Pair;

static inline GstTfrcAddress
host_address (guint32 host)
{
  struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons (5004) };
  GstTfrcAddress address;

  v4.sin_addr.s_addr = htonl (0x0a000000u + host);
  gst_tfrc_address_from_sockaddr (&address, (struct sockaddr *) &v4, sizeof v4);
  return address;
}

static inline GstTfrcSecurityConfig
security_of (GstTfrcCredentials *credentials, GstTfrcProtect protect, guint64 rekey_interval_ns)
{
  return (GstTfrcSecurityConfig){ credentials, protect, GST_TFRC_CIPHER_AES_128_GCM,
    rekey_interval_ns };
}

static inline GstTfrcSrcKeys *
new_src (GstTfrcCredentials *credentials, GstTfrcProtect protect, GstTfrcEvents *events)
{
  const guint8 secret[GST_TFRC_SECRET_BYTES] = { 1, 2, 3 };
  GstTfrcSecurityConfig config = security_of (credentials, protect, 0);
  GstTfrcSrcKeys *src = gst_tfrc_src_keys_new (&config, secret, SRC_SSRC, events);
  const GstTfrcAddress sink = host_address (SINK_HOST);

  gst_tfrc_src_keys_set_peer (src, &sink, SINK_SSRC);
  return src;
}

/* @sink: NULL: the sender is not protected */
static inline void
pair_init_with (Pair *pair, GstTfrcCredentials *sink, GstTfrcCredentials *src,
    GstTfrcProtect protect, guint64 rekey_interval_ns)
{
  GstTfrcSecurityConfig config = security_of (sink, protect, rekey_interval_ns);

  memset (pair, 0, sizeof *pair);
  pair->sink = sink ? gst_tfrc_sink_keys_new (&config, &pair->sink_waiting) : NULL;
  pair->src = new_src (src, protect, &pair->src_waiting);
  pair->sink_address = host_address (SINK_HOST);
  pair->flying = g_ptr_array_new ();
  pair->now_ns = pair->data_ns = pair->report_ns = START_NS;
  pair->data_interval_ns = 10 * MS;
  pair->report_interval_ns = 50 * MS;
  pair->delay_ns = 20 * MS;
  pair->random = 1;
  pair->ssrc = SINK_SSRC;
  pair->seq = 1000;
}

static inline void
pair_init (Pair *pair, GstTfrcCredentials *sink, GstTfrcCredentials *src)
{
  pair_init_with (pair, sink, src, GST_TFRC_PROTECT_ALL, 0);
}

static inline void
pair_drop_flying (Pair *pair)
{
  for (guint i = 0; i < pair->flying->len; i++)
    g_free (pair->flying->pdata[i]);
  g_ptr_array_set_size (pair->flying, 0);
}

static inline void
pair_clear (Pair *pair)
{
  gst_tfrc_sink_keys_free (pair->sink);
  gst_tfrc_src_keys_free (pair->src);
  gst_tfrc_events_clear (&pair->sink_waiting);
  gst_tfrc_events_clear (&pair->src_waiting);
  pair_drop_flying (pair);
  g_ptr_array_unref (pair->flying);
  g_clear_pointer (&pair->record, g_ptr_array_unref);
}

static inline GstTfrcKeyTime
sink_time (const Pair *pair)
{
  return (GstTfrcKeyTime){ pair->now_ns, WALL_NS + pair->now_ns + pair->sink_clock_ns };
}

static inline GstTfrcKeyTime
src_time (const Pair *pair)
{
  return (GstTfrcKeyTime){ pair->now_ns, WALL_NS + pair->now_ns + pair->src_clock_ns };
}

static inline guint
next_random (Pair *pair, guint below)
{
  pair->random = pair->random * 1664525u + 1013904223u;
  return below > 0 ? (pair->random >> 8) % below : 0;
}

/* ---- the link ------------------------------------------------------------ */

static inline void
fly (Pair *pair, gboolean to_sink, GstTfrcAddress from, const guint8 *bytes, gsize size)
{
  Flying *flying = g_new0 (Flying, 1);

  flying->at_ns = pair->now_ns + pair->delay_ns
      + next_random (pair, (guint) (pair->jitter_ns / 1000)) * G_GUINT64_CONSTANT (1000);
  flying->to_sink = to_sink;
  flying->from = from;
  flying->size = size;
  memcpy (flying->words, bytes, size);
  g_ptr_array_add (pair->flying, flying);
  if (pair->record && !to_sink)
    g_ptr_array_add (pair->record, g_memdup2 (flying, sizeof *flying));
}

static inline void
put (Pair *pair, gboolean to_sink, gboolean is_key, const guint8 *bytes, gsize size)
{
  guint number = is_key ? pair->key_packets++ : 64;

  if ((number < 64 && pair->lost_keys >> number & 1) || (is_key && pair->loses_all_keys)
      || next_random (pair, 100) < pair->loss_percent)
    return;
  fly (pair, to_sink, pair->sink_address, bytes, size);
  if (pair->repeats)
    fly (pair, to_sink, pair->sink_address, bytes, size);
}

static inline void
write_header (guint8 *packet, guint32 first, guint32 second, guint32 third)
{
  GST_WRITE_UINT32_BE (packet, first);
  GST_WRITE_UINT32_BE (packet + 4, second);
  GST_WRITE_UINT32_BE (packet + 8, third);
}

/* Writes a packet of data without protection. */
static inline gsize
write_data (guint8 *packet, guint32 ssrc, guint16 seq)
{
  memset (packet, 0x55, DATA_BYTES);
  write_header (packet, 0x80210000u | seq, seq * 3000u, ssrc);
  packet[12] = 0x47;
  return DATA_BYTES;
}

static inline gsize
write_report (guint8 *packet, guint32 ssrc)
{
  memset (packet, 0, 28);
  write_header (packet, 0x80c80006u, ssrc, 0);
  return 28;
}

static inline void
send_data (Pair *pair)
{
  guint32 words[(DATA_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4];
  gsize size = write_data ((guint8 *) words, pair->ssrc, pair->seq);

  if (pair->sink) {
    if (!gst_tfrc_sink_keys_may_send (pair->sink))
      return;
    size = gst_tfrc_sink_keys_protect (pair->sink, FALSE, (guint8 *) words, size);
    if (size == 0)
      return;
  }
  if (pair->data_sent++ == 0)
    pair->may_send_ns = pair->now_ns;
  pair->seq++;
  put (pair, FALSE, FALSE, (guint8 *) words, size);
}

static inline void
send_reports (Pair *pair)
{
  guint32 words[(28 + GST_TFRC_PACKET_TAIL_BYTES) / 4 + 1];
  guint8 *bytes = (guint8 *) words;
  gsize size = write_report (bytes, pair->ssrc);

  size = pair->sink ? gst_tfrc_sink_keys_protect (pair->sink, TRUE, bytes, size) : size;
  if (size > 0 && pair->data_sent > 0)
    put (pair, FALSE, FALSE, bytes, size);
  size = write_report (bytes, SRC_SSRC);
  size = gst_tfrc_src_keys_protect (pair->src, &pair->sink_address, bytes, size);
  if (size == 0 || pair->data_taken == 0)
    return;
  pair->reports_sent++;
  put (pair, TRUE, FALSE, bytes, size);
}

#endif
