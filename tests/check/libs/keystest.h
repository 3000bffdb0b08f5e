/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keys of a sender and of a source, joined by an emulated link in virtual time (keyslink.h). */
#ifndef GST_TFRC_TESTS_KEYSTEST_H
#define GST_TFRC_TESTS_KEYSTEST_H

#include "keyslink.h"

/* ---- the ends ------------------------------------------------------------ */

static inline void
note_event (Pair *pair, Events *events, const GstTfrcEvent *event)
{
  if (events->n[event->kind]++ == 0)
    events->first_ns[event->kind] = pair->now_ns;
  if (event->of.reason)
    events->reason = event->of.reason;
}

static inline void
take_events (Pair *pair)
{
  GstTfrcEvent event;

  while (gst_tfrc_events_take (&pair->sink_waiting, &event))
    note_event (pair, &pair->sink_events, &event);
  while (gst_tfrc_events_take (&pair->src_waiting, &event))
    note_event (pair, &pair->src_events, &event);
}

static inline void
write_src_keys (Pair *pair)
{
  guint32 words[(GST_TFRC_KEY_PACKET_MAX_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4];
  GstTfrcAddress to, local;
  gsize size;

  while ((size = gst_tfrc_src_keys_write (pair->src, (guint8 *) words, &to, &local)) > 0) {
    if (!gst_tfrc_address_equal (&to, &pair->sink_address)) {
      pair->key_bytes_to_others += size;
      continue;
    }
    pair->key_bytes_to_sink += size;
    put (pair, TRUE, TRUE, (guint8 *) words, size);
  }
}

static inline void
note_message (Pair *pair, const guint8 *bytes, gsize size)
{
  GstTfrcKeyPacket packet;
  GstTfrcMikeyKind kind;

  if (!gst_tfrc_key_packet_parse (bytes, size, &packet) || packet.total == 0)
    return;
  pair->message_number = packet.number;
  if (packet.offset == 0)
    fail_unless (gst_tfrc_mikey_peek (packet.data, packet.size, &kind, &pair->csb_id));
}

/* The timers of both ends; and what leaves because of them. */
static inline void
serve (Pair *pair)
{
  guint32 words[(GST_TFRC_KEY_PACKET_MAX_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4];
  GstTfrcKeyTime time = sink_time (pair);
  gsize size;

  if (pair->sink && pair->now_ns >= gst_tfrc_sink_keys_next_ns (pair->sink)) {
    gst_tfrc_sink_keys_on_time (pair->sink, pair->seq, &time);
    while (
        (size = gst_tfrc_sink_keys_write (pair->sink, pair->rtt_ns, pair->now_ns, (guint8 *) words))
        > 0) {
      pair->key_left_ns[pair->keys_from_sink++ % 64] = pair->now_ns;
      note_message (pair, (guint8 *) words, size);
      put (pair, FALSE, TRUE, (guint8 *) words, size);
    }
  }
  gst_tfrc_src_keys_on_time (pair->src, pair->now_ns);
  write_src_keys (pair);
  take_events (pair);
}

static inline gboolean
deliver_plain (
    Pair *pair, const GstTfrcAddress *from, guint8 *bytes, gsize size, GstTfrcReceivedPacket *plain)
{
  GstTfrcReceivedPacket packet = {
    .data = bytes, .size = size, .from = from, .arrival_ns = pair->now_ns
  };
  GstTfrcKeyTime time = src_time (pair);

  return gst_tfrc_src_keys_receive (pair->src, &packet, plain, &time);
}

static inline gboolean
deliver_to_src (Pair *pair, const GstTfrcAddress *from, guint8 *bytes, gsize *size)
{
  GstTfrcReceivedPacket plain;
  gboolean is_used = deliver_plain (pair, from, bytes, *size, &plain);

  *size = plain.size;
  return is_used;
}

/* A packet is to be used. */
static inline void
take_plain (Pair *pair, const GstTfrcReceivedPacket *plain)
{
  const guint8 *bytes = plain->data;
  guint8 expected[DATA_BYTES];

  if (bytes[1] != 33 || !gst_tfrc_src_keys_play (pair->src, plain, GST_READ_UINT32_BE (bytes + 8)))
    return;
  if (pair->data_taken++ == 0) {
    pair->first_data_ns = pair->now_ns;
    pair->first_seq = GST_READ_UINT16_BE (bytes + 2);
  }
  if (gst_tfrc_src_keys_is_protected (pair->src)) {
    write_data (expected, GST_READ_UINT32_BE (bytes + 8), GST_READ_UINT16_BE (bytes + 2));
    fail_unless_equals_int (plain->size, DATA_BYTES);
    fail_unless (memcmp (expected, bytes, DATA_BYTES) == 0);
  }
}

static inline void
arrive_at_src (Pair *pair, Flying *flying)
{
  GstTfrcReceivedPacket plain, held;
  gboolean is_used;

  pair->bytes_to_src += flying->size;
  is_used = deliver_plain (pair, &flying->from, (guint8 *) flying->words, flying->size, &plain);
  while (gst_tfrc_src_keys_take_held (pair->src, &held)) {
    fail_unless (held.arrival_ns <= pair->now_ns && held.is_protected && held.proves_address);
    pair->packets_held++;
    take_plain (pair, &held);
  }
  if (is_used)
    take_plain (pair, &plain);
}

static inline void
arrive_at_sink (Pair *pair, Flying *flying)
{
  GstTfrcKeyTime time = sink_time (pair);
  guint8 *bytes = (guint8 *) flying->words;

  if (pair->sink == NULL)
    return;
  if (gst_tfrc_key_packet_is (bytes, flying->size))
    gst_tfrc_sink_keys_on_packet (pair->sink, bytes, flying->size, pair->seq, &time);
  else if (gst_tfrc_sink_keys_unprotect (pair->sink, TRUE, bytes, &flying->size, pair->now_ns))
    pair->reports_taken++;
}

/* Returns the packet that arrives next; NULL: none. */
static inline Flying *
next_flying (const Pair *pair)
{
  Flying *next = NULL;

  for (guint i = 0; i < pair->flying->len; i++) {
    Flying *flying = pair->flying->pdata[i];

    if (next == NULL || flying->at_ns < next->at_ns)
      next = flying;
  }
  return next;
}

static inline guint64
next_time (const Pair *pair)
{
  Flying *flying = next_flying (pair);
  guint64 next_ns = MIN (pair->report_ns, gst_tfrc_src_keys_next_ns (pair->src));

  if (pair->sink)
    next_ns = MIN (next_ns, gst_tfrc_sink_keys_next_ns (pair->sink));
  if (pair->data_interval_ns > 0)
    next_ns = MIN (next_ns, pair->data_ns);
  return flying ? MIN (next_ns, flying->at_ns) : next_ns;
}

static inline void
assert_sound (const Pair *pair)
{
  const gchar *broken = gst_tfrc_src_keys_check (pair->src);

  fail_unless (broken == NULL, "source: %s", broken);
  broken = pair->sink ? gst_tfrc_sink_keys_check (pair->sink) : NULL;
  fail_unless (broken == NULL, "sink: %s", broken);
}

static inline void
pair_step (Pair *pair)
{
  Flying *flying;

  while ((flying = next_flying (pair)) && flying->at_ns <= pair->now_ns) {
    if (flying->to_sink)
      arrive_at_sink (pair, flying);
    else
      arrive_at_src (pair, flying);
    g_ptr_array_remove_fast (pair->flying, flying);
    g_free (flying);
    assert_sound (pair);
    serve (pair);
  }
  serve (pair);
  assert_sound (pair);
  if (pair->data_interval_ns > 0 && pair->now_ns >= pair->data_ns) {
    send_data (pair);
    pair->data_ns = pair->now_ns + pair->data_interval_ns;
  }
  if (pair->now_ns >= pair->report_ns) {
    send_reports (pair);
    pair->report_ns = pair->now_ns + pair->report_interval_ns;
  }
  take_events (pair);
}

static inline void
pair_start (Pair *pair)
{
  GstTfrcKeyTime time = sink_time (pair);

  gst_tfrc_sink_keys_start (pair->sink, pair->ssrc, pair->seq, &time);
}

static inline void
pair_run (Pair *pair, guint64 duration_ns)
{
  guint64 end_ns = pair->now_ns + duration_ns, next_ns;

  pair_step (pair);
  while ((next_ns = next_time (pair)) <= end_ns) {
    pair->now_ns = MAX (pair->now_ns, next_ns);
    pair_step (pair);
  }
  pair->now_ns = end_ns;
}

#endif
