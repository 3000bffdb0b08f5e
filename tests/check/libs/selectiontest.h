/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hosts that send to a source in virtual time, and the source's peer. Data and reports arrive when
 * they leave. A challenge is answered one round-trip time after it has left. */
#ifndef SELECTIONTEST_H
#define SELECTIONTEST_H

#include <gst/check/gstcheck.h>
#include <string.h>
#include "gst/strangers/selection.h"

#define MS GST_MSECOND
#define S GST_SECOND
#define NEVER G_MAXUINT64
#define RTT (60 * MS)
#define REPORTS (3900 * MS) /* the time between the reports of a tfrcsink */
#define OWN_SSRC 0xfeedbac4
#define PAYLOAD_BYTES 1316
#define MAX_HOSTS 4

typedef struct
{
  GstTfrcAddress address;
  guint32 ssrc;
  guint16 seq;                /* the next packet */
  gboolean plain;             /* whether the host sends RTP without TFRC */
  gboolean unresponsive;      /* the host knows no challenges, or has gone */
  guint lose_challenges;      /* this number of the next challenges does not arrive */
  guint64 interval_ns;        /* the time between data packets; 0: no data */
  guint64 data_ns, report_ns; /* when the next packet is due */

  guint64 sent, taken; /* data packets */
  guint64 first_taken_ns, last_taken_ns;
  guint64 packets_from, bytes_from; /* of all packets of the host */
  guint challenges;                 /* challenges that were sent to the host */
  guint64 challenge_ns[64];
} Host;

typedef struct
{
  guint64 due_ns;
  Host *host;
  guint8 data[TFRC_WIRE_PATH_DATA_BYTES];
} Response;

static const guint8 secret[GST_TFRC_SECRET_BYTES] = { 53, 48 };
static GstTfrcSelection *o;
static guint64 now, begin;
static Host hosts[MAX_HOSTS];
static GQueue responses; /* queue of Response, in order */
static guint ends;       /* streams that have ended */
static guint64 end_ns;
static guint peers;        /* peers so far */
static guint64 bye_rtt_ns; /* R of the peer's stream */
static guint64 stall_ns;   /* how long a packet waits before it is read */
static guint elsewhere;    /* challenges to hosts that do not exist */

static inline GstTfrcAddress
address_of (const gchar *host, guint16 port)
{
  GstTfrcAddress address;

  fail_unless (gst_tfrc_address_resolve (&address, host, port, AF_UNSPEC, NULL));
  return address;
}

static inline void
start_trusting (const gchar *senders, gboolean keep_listening, GstTfrcTrust trust)
{
  GstTfrcAddressFilter filter;

  fail_unless (gst_tfrc_address_filter_parse (&filter, senders, NULL));
  now = begin = 1000 * S;
  memset (hosts, 0, sizeof hosts);
  g_queue_clear_full (&responses, g_free);
  ends = peers = elsewhere = 0;
  end_ns = bye_rtt_ns = stall_ns = 0;
  gst_tfrc_selection_free (o); /* the selection of the previous test */
  o = gst_tfrc_selection_new (&filter, keep_listening, trust, secret, now);
}

static inline void
start_with (const gchar *senders, gboolean keep_listening)
{
  start_trusting (senders, keep_listening, GST_TFRC_TRUST_FIRST);
}

static inline void
start (gboolean keep_listening)
{
  start_with (NULL, keep_listening);
}

/* Adds a tfrcsink that sends a packet every @interval_ns from now on; 0: no data */
static inline Host *
add_host (guint number, guint64 interval_ns)
{
  Host *host = &hosts[number];

  host->address = address_of ("192.0.2.1", (guint16) (5000 + number));
  host->ssrc = 0x11111111 * (number + 1);
  host->seq = 65530;
  host->interval_ns = interval_ns;
  host->data_ns = interval_ns ? now : NEVER;
  host->report_ns = NEVER;
  return host;
}

/* The host goes without a BYE. */
static inline void
kill_host (Host *host)
{
  host->data_ns = host->report_ns = NEVER;
  host->unresponsive = TRUE;
}

/* ---- packets ------------------------------------------------------------- */

static inline GstTfrcReceivedPacket
packet_of (const GstTfrcAddress *from, guint8 *data, gsize size)
{
  GstTfrcReceivedPacket packet = { 0 };

  packet.data = data;
  packet.size = size;
  packet.from = from;
  packet.local = address_of ("192.0.2.99", 0);
  packet.arrival_ns = now - stall_ns;
  packet.read_ns = now;
  return packet;
}

static inline void
count_taken (Host *host, guint64 n)
{
  if (host->taken == 0)
    host->first_taken_ns = now;
  host->taken += n;
  host->last_taken_ns = now;
}

static inline Host *
find_host (const GstTfrcAddress *address)
{
  for (guint i = 0; i < MAX_HOSTS; i++) {
    if (hosts[i].address.len > 0 && gst_tfrc_address_equal (&hosts[i].address, address))
      return &hosts[i];
  }
  return NULL;
}

static inline void
check (void)
{
  const gchar *broken = gst_tfrc_selection_check (o);

  fail_unless (broken == NULL, "%s", broken);
}

static inline void
follow_at (guint64 at_ns)
{
  const GstTfrcPendingPeer *sender;

  if (gst_tfrc_selection_take_end (o)) {
    ends++;
    end_ns = now;
  }
  sender = gst_tfrc_selection_take_new_peer (o, at_ns);
  if (sender) {
    peers++;
    if (find_host (&sender->base.id.address))
      count_taken (find_host (&sender->base.id.address), sender->n_held);
    gst_tfrc_selection_release (o, sender);
  }
  check ();
}

/* Notes the changes after a packet. */
static inline void
follow (void)
{
  follow_at (now - stall_ns);
}

static inline void
serve (void)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  GstTfrcAddress to, local;
  gsize size;

  gst_tfrc_selection_on_time (o, bye_rtt_ns, now);
  follow_at (now);
  while ((size = gst_tfrc_selection_write_challenge (o, OWN_SSRC, now, buffer, &to, &local)) > 0) {
    Host *host = find_host (&to);
    TfrcWireRtcp rtcp;
    Response *response;

    fail_unless_equals_int (size, TFRC_WIRE_MIN_PATH_BYTES);
    fail_unless_equals_int (tfrc_wire_parse_rtcp (buffer, size, 0, &rtcp), TFRC_WIRE_OK);
    fail_unless (rtcp.has_challenge && rtcp.sender_ssrc == OWN_SSRC);
    if (host == NULL) {
      elsewhere++;
      continue;
    }
    host->challenge_ns[host->challenges++ % 64] = now;
    if (host->unresponsive || host->lose_challenges > 0) {
      host->lose_challenges -= host->lose_challenges > 0;
      continue;
    }
    response = g_new (Response, 1);
    response->due_ns = now + RTT;
    response->host = host;
    memcpy (response->data, rtcp.challenge, sizeof response->data);
    g_queue_push_tail (&responses, response);
  }
}

static inline GstTfrcVerdict
rtcp_arrives (Host *host, const TfrcWireRtcp *rtcp, gsize size)
{
  GstTfrcReceivedPacket packet = packet_of (&host->address, NULL, size);
  GstTfrcVerdict verdict;

  host->packets_from++;
  host->bytes_from += size;
  verdict = gst_tfrc_selection_on_rtcp (o, &packet, rtcp, bye_rtt_ns);
  follow ();
  serve ();
  return verdict;
}

static inline GstTfrcVerdict
report_arrives (Host *host)
{
  TfrcWireRtcp rtcp = { .sender_ssrc = host->ssrc, .has_sr = TRUE };

  return rtcp_arrives (host, &rtcp, 28);
}

static inline GstTfrcVerdict
bye_arrives (Host *host)
{
  TfrcWireRtcp rtcp = { .sender_ssrc = host->ssrc, .has_bye = TRUE };

  return rtcp_arrives (host, &rtcp, 28);
}

static inline GstTfrcVerdict
response_arrives (Host *host, const guint8 *data)
{
  TfrcWireRtcp rtcp = { .sender_ssrc = host->ssrc, .has_response = TRUE };

  memcpy (rtcp.response, data, sizeof rtcp.response);
  return rtcp_arrives (host, &rtcp, TFRC_WIRE_MIN_PATH_BYTES);
}

static inline GstTfrcVerdict
data_arrives_from (const GstTfrcAddress *address, guint32 ssrc, guint16 seq, gboolean plain)
{
  guint8 data[TFRC_WIRE_HEADER_BYTES + PAYLOAD_BYTES] = { 0 };
  GstTfrcReceivedPacket packet = packet_of (address, data, sizeof data);
  TfrcWireData header = { .payload_type = TFRC_WIRE_PAYLOAD_TYPE,
    .seq = seq,
    .ssrc = ssrc,
    .has_rtt_sendts = !plain,
    .header_bytes = TFRC_WIRE_HEADER_BYTES,
    .payload_bytes = PAYLOAD_BYTES };

  return gst_tfrc_selection_on_data (o, &packet, &header);
}

static inline GstTfrcVerdict
data_arrives (Host *host)
{
  GstTfrcVerdict verdict = data_arrives_from (&host->address, host->ssrc, host->seq++, host->plain);

  host->sent++;
  host->packets_from++;
  host->bytes_from += TFRC_WIRE_HEADER_BYTES + PAYLOAD_BYTES;
  if (verdict == GST_TFRC_VERDICT_PEER)
    count_taken (host, 1);
  follow ();
  serve ();
  return verdict;
}

/* ---- time ---------------------------------------------------------------- */

static inline guint64
next_ns (void)
{
  Response *response = g_queue_peek_head (&responses);
  guint64 next_ns = gst_tfrc_selection_next_ns (o);

  if (response)
    next_ns = MIN (next_ns, response->due_ns);
  for (guint i = 0; i < MAX_HOSTS; i++) {
    if (hosts[i].ssrc)
      next_ns = MIN (next_ns, MIN (hosts[i].data_ns, hosts[i].report_ns));
  }
  return next_ns;
}

static inline void
serve_hosts (void)
{
  for (guint i = 0; i < MAX_HOSTS; i++) {
    Host *host = &hosts[i];

    if (host->ssrc && host->data_ns <= now) {
      host->data_ns = now + host->interval_ns;
      data_arrives (host);
    }
    if (host->ssrc && host->report_ns <= now) {
      host->report_ns = now + REPORTS;
      report_arrives (host);
    }
  }
}

/* Lets time pass until its end. Packets that are due at the end have left. */
static inline void
run (guint64 duration_ns)
{
  guint64 until_ns = now + duration_ns;
  guint events = 0;

  while (next_ns () <= until_ns) {
    Response *response = g_queue_peek_head (&responses);

    now = MAX (now, next_ns ());
    if (response && response->due_ns <= now) {
      g_queue_pop_head (&responses);
      if (!response->host->unresponsive)
        response_arrives (response->host, response->data);
      g_free (response);
    }
    serve_hosts ();
    serve ();
    fail_unless (++events < 1000000, "this never ends");
  }
  now = until_ns;
}

static inline gboolean
has_peer (void)
{
  return gst_tfrc_selection_get_peer (o)->exists;
}

static inline gboolean
is_validated (void)
{
  return gst_tfrc_selection_is_validated (o);
}

static inline GstTfrcSelectionStats
stats (void)
{
  GstTfrcSelectionStats stats;

  gst_tfrc_selection_get_stats (o, &stats);
  return stats;
}

/* Writes the cookie that the selection sends to this address now. */
static inline void
get_cookie (const GstTfrcAddress *address, guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES])
{
  GstTfrcCookies cookies;

  gst_tfrc_cookies_init (&cookies, secret);
  gst_tfrc_cookies_get (&cookies, address, now, cookie);
}

static inline gboolean
is_peer (const Host *host)
{
  return gst_tfrc_peer_id_is (gst_tfrc_selection_get_peer (o), &host->address, host->ssrc);
}

/* The host is the peer, and none of its packets were lost. */
static inline void
check_is_played (const Host *host)
{
  fail_unless (is_peer (host));
  fail_unless_equals_uint64 (host->taken, host->sent);
}

/* Starts with a sender that is the peer, and validated. */
static inline Host *
start_with_peer (void)
{
  Host *sender;

  start (TRUE);
  sender = add_host (0, 20 * MS);
  sender->report_ns = now;
  run (S);
  fail_unless (is_peer (sender));
  fail_unless (is_validated ());
  return sender;
}

/* ---- other hosts --------------------------------------------------------- */

/* Adds a forger, a host whose packets have an address that does not respond. */
static inline Host *
forge (guint number, guint packets)
{
  Host *forger = add_host (number, 0);

  forger->unresponsive = TRUE;
  for (guint i = 0; i < packets; i++)
    data_arrives (forger);
  return forger;
}

static inline gboolean
is_provisional_peer (const Host *host)
{
  return is_peer (host) && !is_validated ();
}

/* Adds a sender of plain RTP. */
static inline Host *
add_plain_host (guint number, guint64 interval_ns)
{
  Host *host = add_host (number, interval_ns);

  host->plain = host->unresponsive = TRUE;
  return host;
}

#endif
