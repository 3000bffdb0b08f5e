/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A source with keys plays only a sender that is there: a protected stream from its start, and what
 * a host that has recorded it does later. A receiver's flow (gst/flow/receiveflow.h) and the
 * keys of a sender, joined by a link of 20 ms in virtual time.  A packet of data leaves every 10
 * ms, and carries its number. */
#include "gst/common/random.h"
#include "gst/flow/receiveflow.h"
#include "keysends.h"

#define TS_BYTES 188
#define DELAY (20 * MS)
#define INTERVAL (10 * MS)
#define BYTES (TFRC_WIRE_MAX_HEADER_BYTES + TS_BYTES + GST_TFRC_PACKET_TAIL_BYTES)
#define ELSEWHERE 77
#define MAX_PLAYED 4096

/* A datagram under way */
typedef struct
{
  guint64 at_ns;
  gboolean to_source;
  GstTfrcAddress from;
  gsize size;
  guint32 words[GST_TFRC_MAX_PACKET_BYTES / 4];
} Datagram;

static Mode mode;
static GstTfrcReceiveFlow *flow;
static GstTfrcSinkKeys *sink;
static guint64 now, data_ns;
static GQueue under_way;  /* Datagram, in the order in which they arrive */
static GPtrArray *record; /* Datagram, all that has left for the source; NULL: nothing is kept */
static guint32 sender_host, ssrc;
static gboolean has_gone; /* the sender answers nothing any more */
static TfrcWireData header;
static guint32 sent; /* packets of data */
static guint played[MAX_PLAYED], n_played;
static guint64 first_played_ns, first_arrival_ns;

static guint64
wall_ns (void)
{
  return WALL_NS + now;
}

static void
new_flow (void)
{
  guint8 secret[GST_TFRC_SECRET_BYTES];
  GstTfrcReceiveFlowConfig config = { .limits.window_ns = 200 * MS,
    .keep_listening = TRUE,
    .ssrc = SRC_SSRC,
    .cname = "test",
    .secret = secret,
    .wall_ns = wall_ns,
    .security = security_of (&srcs[mode], GST_TFRC_PROTECT_ALL, 0) };

  fail_unless (gst_tfrc_random_fill (secret, sizeof secret));
  tfrc_receiver_config_init (&config.receiver);
  gst_tfrc_receive_flow_free (flow);
  flow = gst_tfrc_receive_flow_new (&config, now);
  memset (played, 0, sizeof played);
  n_played = 0;
}

static void
new_sender (void)
{
  GstTfrcSecurityConfig config = security_of (&sinks[mode], GST_TFRC_PROTECT_ALL, 0);

  gst_tfrc_sink_keys_free (sink);
  sink = gst_tfrc_sink_keys_new (&config, NULL);
  header = (TfrcWireData){
    .payload_type = TFRC_WIRE_PAYLOAD_TYPE, .seq = 100, .ssrc = ++ssrc, .has_rtt_sendts = TRUE
  };
  has_gone = FALSE;
}

static void
start (Mode of)
{
  mode = of;
  now = START_NS;
  data_ns = G_MAXUINT64;
  sender_host = SINK_HOST;
  sent = 0;
  g_queue_clear_full (&under_way, g_free);
  new_flow ();
  new_sender ();
}

static void
finish (void)
{
  g_queue_clear_full (&under_way, g_free);
  g_clear_pointer (&record, g_ptr_array_unref);
  g_clear_pointer (&flow, gst_tfrc_receive_flow_free);
  g_clear_pointer (&sink, gst_tfrc_sink_keys_free);
}

/* ---- the link ------------------------------------------------------------------ */

static gint
compare (gconstpointer a, gconstpointer b, gpointer user)
{
  return ((const Datagram *) a)->at_ns > ((const Datagram *) b)->at_ns ? 1 : -1;
}

static void
carry (gboolean to_source, guint32 host, const guint8 *bytes, gsize size)
{
  Datagram datagram = { now + DELAY, to_source, host_address (host), size, { 0 } };

  memcpy (datagram.words, bytes, size);
  if (record && to_source)
    g_ptr_array_add (record, g_memdup2 (&datagram, sizeof datagram));
  g_queue_insert_sorted (&under_way, g_memdup2 (&datagram, sizeof datagram), compare, NULL);
}

/* ---- the source ---------------------------------------------------------------- */

static void
play (void)
{
  GstTfrcReorderItem item;

  while (gst_tfrc_intake_pop (gst_tfrc_receive_flow_get_intake (flow), G_MAXUINT64, &item, 1) > 0) {
    GstBuffer *buffer = item.data;
    guint32 number;

    gst_buffer_extract (buffer, GST_BUFFER_OFFSET (buffer) + 4, &number, sizeof number);
    fail_unless (number < MAX_PLAYED);
    if (n_played++ == 0) {
      first_played_ns = now;
      first_arrival_ns = item.arrival_ns;
    }
    played[number]++;
    gst_buffer_unref (buffer);
  }
}

static void
poll_source (void)
{
  GstTfrcFlow *base = gst_tfrc_receive_flow_base (flow);
  GstTfrcPolled polled;

  for (;;) {
    gst_tfrc_polled_init (&polled);
    base->klass->poll (base, now, &polled);
    if (polled.n == 0)
      break;
    for (guint i = 0; i < polled.n; i++) {
      GstTfrcDatagram *datagram = &polled.datagrams[i];

      datagram->result = GST_TFRC_DATAGRAM_LEFT;
      if (!gst_tfrc_datagram_seal (datagram))
        continue;
      for (guint32 host = 1; host <= ELSEWHERE; host++) {
        const GstTfrcAddress address = host_address (host);

        if (gst_tfrc_address_equal (&datagram->to, &address))
          carry (FALSE, host, datagram->data, datagram->size);
      }
    }
    base->klass->on_sent (base, &polled, now);
  }
}

static void
serve_source (void)
{
  GstTfrcFlow *base = gst_tfrc_receive_flow_base (flow);
  const gchar *broken;

  base->klass->on_time (base, now);
  poll_source ();
  play ();
  broken = gst_tfrc_receive_flow_check (flow);
  fail_unless (broken == NULL, "%s", broken);
}

static void
arrive_at_source (Datagram *datagram)
{
  GstTfrcFlow *base = gst_tfrc_receive_flow_base (flow);
  GstTfrcReceivedPacket packet = { .data = (guint8 *) datagram->words,
    .size = datagram->size,
    .from = &datagram->from,
    .arrival_ns = now,
    .read_ns = now };

  base->klass->on_datagrams (base, &packet, 1, now);
  serve_source ();
}

/* ---- the sender ---------------------------------------------------------------- */

static void
send_sealed (gboolean is_rtcp, guint8 *bytes, gsize size)
{
  size = gst_tfrc_sink_keys_protect (sink, is_rtcp, bytes, size);
  if (size > 0)
    carry (TRUE, sender_host, bytes, size);
}

static void
send_packet (void)
{
  guint32 words[BYTES / 4 + 1] = { 0 };
  guint8 *bytes = (guint8 *) words;
  gsize size;

  if (!gst_tfrc_sink_keys_may_send (sink))
    return;
  header.send_time_us = (guint32) (now / 1000);
  header.timestamp = (guint32) (now / 1000 * 9 / 100);
  size = tfrc_wire_write_data (bytes, &header);
  bytes[size] = 0x47;
  memcpy (bytes + size + 4, &sent, sizeof sent);
  header.seq++;
  sent++;
  send_sealed (FALSE, bytes, size + TS_BYTES);
}

static void
serve_sender (void)
{
  guint32 words[(GST_TFRC_KEY_PACKET_MAX_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4];
  const GstTfrcKeyTime time = { now, wall_ns () };
  gsize size;

  if (has_gone)
    return;
  if (now >= gst_tfrc_sink_keys_next_ns (sink))
    gst_tfrc_sink_keys_on_time (sink, header.seq, &time);
  while ((size = gst_tfrc_sink_keys_write (sink, 0, now, (guint8 *) words)) > 0)
    carry (TRUE, sender_host, (guint8 *) words, size);
}

static void
answer (const TfrcWireRtcp *rtcp)
{
  guint32 words[(TFRC_WIRE_MAX_RTCP_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4];
  guint8 *bytes = (guint8 *) words;

  if (rtcp->has_challenge)
    send_sealed (TRUE, bytes, tfrc_wire_write_path_response (bytes, header.ssrc, rtcp->challenge));
}

static void
arrive_at_sender (Datagram *datagram)
{
  const GstTfrcKeyTime time = { now, wall_ns () };
  guint8 *bytes = (guint8 *) datagram->words;
  TfrcWireRtcp rtcp;

  if (has_gone)
    return;
  if (gst_tfrc_key_packet_is (bytes, datagram->size))
    gst_tfrc_sink_keys_on_packet (sink, bytes, datagram->size, header.seq, &time);
  else if (gst_tfrc_sink_keys_unprotect (sink, TRUE, bytes, &datagram->size, now)
      && tfrc_wire_parse_rtcp (bytes, datagram->size, 0, &rtcp) == TFRC_WIRE_OK)
    answer (&rtcp);
  serve_sender ();
}

/* ---- time ---------------------------------------------------------------------- */

static guint64
next_ns (void)
{
  GstTfrcFlow *base = gst_tfrc_receive_flow_base (flow);
  const Datagram *first_datagram = g_queue_peek_head (&under_way);
  guint64 next = MIN (data_ns, base->klass->deadline (base));

  if (!has_gone)
    next = MIN (next, gst_tfrc_sink_keys_next_ns (sink));
  return first_datagram ? MIN (next, first_datagram->at_ns) : next;
}

static void
step (void)
{
  Datagram *datagram = g_queue_peek_head (&under_way);

  if (datagram && datagram->at_ns <= now) {
    g_queue_pop_head (&under_way);
    if (datagram->to_source)
      arrive_at_source (datagram);
    else
      arrive_at_sender (datagram);
    g_free (datagram);
    return;
  }
  serve_source ();
  serve_sender ();
  if (now >= data_ns) {
    send_packet ();
    data_ns = now + INTERVAL;
  }
}

static void
run (guint64 duration_ns)
{
  guint64 end_ns = now + duration_ns, next;

  while ((next = next_ns ()) <= end_ns) {
    now = MAX (now, next);
    step ();
  }
  now = end_ns;
}

static void
begin_stream (void)
{
  const GstTfrcKeyTime time = { now, wall_ns () };

  gst_tfrc_sink_keys_start (sink, header.ssrc, header.seq, &time);
  serve_sender ();
  data_ns = now;
}

static void
end_stream (void)
{
  guint32 words[(TFRC_WIRE_MAX_RTCP_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4];
  guint8 *bytes = (guint8 *) words;

  data_ns = G_MAXUINT64;
  send_sealed (TRUE, bytes, tfrc_wire_write_bye (bytes, header.ssrc, "sender"));
  run (DELAY + MS);
  has_gone = TRUE;
  run (GST_SECOND);
}

/* The record comes again from this host, with the times between its packets that they had. */
static void
replay (const GPtrArray *recorded, guint32 host)
{
  guint64 begin_ns = now;

  for (guint i = 0; i < recorded->len; i++) {
    Datagram *again = g_memdup2 (recorded->pdata[i], sizeof *again);

    again->from = host_address (host);
    again->at_ns += begin_ns - START_NS;
    g_queue_insert_sorted (&under_way, again, compare, NULL);
  }
  run (10 * GST_SECOND);
}

static gboolean
has_peer (void)
{
  return gst_tfrc_selection_get_peer (gst_tfrc_receive_flow_get_selection (flow))->exists;
}

static void
assert_each_played_once (guint32 from, guint32 until)
{
  for (guint32 i = from; i < until; i++)
    fail_unless (played[i] == 1, "packet %u: %u times", i, played[i]);
  fail_unless_equals_int (n_played, until - from);
}

/* ---- a sender that is there ---------------------------------------------------- */

/* One round-trip time after the first data, as without keys.  That data is played, too. */
GST_START_TEST (a_stream_is_played_from_its_first_packet)
{
  for (guint i = 0; i < N_MODES; i++) {
    start (i);
    begin_stream ();
    run (2 * GST_SECOND);
    data_ns = G_MAXUINT64;
    run (100 * MS);
    fail_unless (has_peer ());
    fail_unless (gst_tfrc_selection_is_validated (gst_tfrc_receive_flow_get_selection (flow)));
    fail_unless_equals_int ((first_played_ns - START_NS) / MS, 60);
    fail_unless (first_arrival_ns <= first_played_ns);
    assert_each_played_once (0, sent);
    finish ();
  }
}
GST_END_TEST;

/* ---- a record ------------------------------------------------------------------ */

/* Its sender has gone.  @again: to the source that has played the stream, after its end */
static void
play_a_record (Mode of, gboolean again, guint32 host)
{
  GPtrArray *recorded = g_ptr_array_new_with_free_func (g_free);

  start (of);
  record = g_ptr_array_ref (recorded);
  begin_stream ();
  run (2 * GST_SECOND);
  end_stream ();
  g_clear_pointer (&record, g_ptr_array_unref);
  assert_each_played_once (0, sent);
  fail_if (has_peer ());
  if (!again)
    new_flow ();
  n_played = 0;
  replay (recorded, host);
  fail_unless_equals_int (n_played, 0);
  fail_if (has_peer ());
  g_ptr_array_unref (recorded);
  finish ();
}

GST_START_TEST (a_record_is_not_played)
{
  for (guint i = 0; i < N_MODES; i++) {
    for (gint again = FALSE; again <= TRUE; again++) {
      play_a_record (i, again, SINK_HOST);
      play_a_record (i, again, ELSEWHERE);
    }
  }
}
GST_END_TEST;

/* The same while another stream is played */
GST_START_TEST (a_record_takes_no_streams_place)
{
  for (guint i = 0; i < N_MODES; i++) {
    GPtrArray *recorded = g_ptr_array_new_with_free_func (g_free);
    guint32 begin;

    start (i);
    record = g_ptr_array_ref (recorded);
    begin_stream ();
    run (2 * GST_SECOND);
    g_clear_pointer (&record, g_ptr_array_unref);
    new_flow ();
    new_sender ();
    g_queue_clear_full (&under_way, g_free);
    sender_host = 2;
    begin = sent;
    begin_stream ();
    run (GST_SECOND);
    replay (recorded, SINK_HOST);
    data_ns = G_MAXUINT64;
    run (100 * MS);
    fail_unless (has_peer ());
    assert_each_played_once (begin, sent);
    g_ptr_array_unref (recorded);
    finish ();
  }
}
GST_END_TEST;

/* ---- old packets of a stream whose sender is there ----------------------------- */

/* The sender is silent, and copies come from elsewhere.  @relays: that host passes the challenges on, and
 * the responses, so that it becomes the peer. */
static void
copies_come_while_the_sender_is_silent (Mode of, gboolean relays)
{
  GPtrArray *recorded = g_ptr_array_new_with_free_func (g_free);

  start (of);
  record = g_ptr_array_ref (recorded);
  begin_stream ();
  run (2 * GST_SECOND);
  data_ns = G_MAXUINT64;
  run (100 * MS);
  g_clear_pointer (&record, g_ptr_array_unref);
  assert_each_played_once (0, sent);
  sender_host = relays ? ELSEWHERE : SINK_HOST;
  has_gone = !relays;
  replay (recorded, ELSEWHERE);
  assert_each_played_once (0, sent);
  /* The stream goes on, from where it is now. */
  has_gone = FALSE;
  data_ns = now;
  run (2 * GST_SECOND);
  data_ns = G_MAXUINT64;
  run (100 * MS);
  assert_each_played_once (0, sent);
  g_ptr_array_unref (recorded);
  finish ();
}

GST_START_TEST (no_packet_is_played_twice_while_the_sender_is_silent)
{
  for (guint i = 0; i < N_MODES; i++) {
    copies_come_while_the_sender_is_silent (i, FALSE);
    copies_come_while_the_sender_is_silent (i, TRUE);
  }
}
GST_END_TEST;

static Suite *
srcrecorded_suite (void)
{
  Suite *suite = suite_create ("srcrecorded");
  TCase *tcase = tcase_create ("general");

  make_ends ();
  atexit (free_rsa_keys);
  tcase_add_test (tcase, a_stream_is_played_from_its_first_packet);
  tcase_add_test (tcase, a_record_is_not_played);
  tcase_add_test (tcase, a_record_takes_no_streams_place);
  tcase_add_test (tcase, no_packet_is_played_twice_while_the_sender_is_silent);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (srcrecorded);
