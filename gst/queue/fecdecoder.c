/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forward error correction at the receiver, see fecdecoder.h. */
#include "fecdecoder.h"

#include "xor.h"

#define NONE G_MAXUINT

static void
stop (GstTfrcFecDecoder *self)
{
  g_clear_pointer (&self->cells, g_free);
  g_clear_pointer (&self->waiting, g_free);
  self->n_waiting = self->idle = 0;
  self->kept_from = 0;
}

void
gst_tfrc_fec_decoder_restart (GstTfrcFecDecoder *self)
{
  stop (self);
  self->has_begun = FALSE;
}

/* ---- packets of the movie ----------------------------------------------------------- */

static GstTfrcFecCell *
cell_of (const GstTfrcFecDecoder *self, guint64 seq)
{
  return &self->cells[seq % GST_TFRC_FEC_DECODER_PACKETS];
}

static gboolean
is_here (const GstTfrcFecDecoder *self, guint64 seq)
{
  const GstTfrcFecCell *cell = cell_of (self, seq);

  return cell->is_here && cell->seq == seq;
}

/* Is the number so old that a newer one may have its place? */
static gboolean
is_too_old (const GstTfrcFecDecoder *self, guint64 seq)
{
  return seq + GST_TFRC_FEC_DECODER_PACKETS <= self->highest;
}

/* ... or nothing was kept yet when the packet came? */
static gboolean
is_past (const GstTfrcFecDecoder *self, guint64 seq)
{
  return seq < self->kept_from || is_too_old (self, seq);
}

void
gst_tfrc_fec_decoder_on_packet (
    GstTfrcFecDecoder *self, guint64 seq, guint32 timestamp, const guint8 *payload, gsize bytes)
{
  GstTfrcFecCell *cell;

  self->highest = self->has_begun ? MAX (self->highest, seq) : seq;
  self->highest_received = self->has_begun ? MAX (self->highest_received, seq) : seq;
  self->has_begun = TRUE;
  if (self->cells == NULL || is_past (self, seq) || bytes > sizeof cell->payload)
    return;
  if (++self->idle > GST_TFRC_FEC_DECODER_IDLE_PACKETS) {
    stop (self);
    return;
  }
  cell = cell_of (self, seq);
  cell->seq = seq;
  cell->timestamp = timestamp;
  cell->bytes = (guint16) bytes;
  cell->is_here = TRUE;
  memcpy (cell->payload, payload, bytes);
}

/* ---- FEC packets ---------------------------------------------------------------------- */

/* Its group must fit into what is kept, and begin and end near the packets that have come. Near what was brought
 * back would not do: each lie could begin where the last one has ended, and lead away from the true packets. */
static gboolean
find_group (const GstTfrcFecDecoder *self, const TfrcWireFec *fec, guint64 *first_seq)
{
  guint span = (fec->count - 1u) * fec->offset;
  guint64 received = self->highest_received;
  gint16 ahead = (gint16) (fec->first_seq - (guint16) received);

  if (!self->has_begun || fec->count > GST_TFRC_FEC_DECODER_GROUP
      || span >= GST_TFRC_FEC_DECODER_PACKETS || (ahead < 0 && received < (guint64) -ahead)
      || ahead > GST_TFRC_FEC_DECODER_PACKETS)
    return FALSE;
  *first_seq = received + (guint64) ahead;
  return !is_too_old (self, *first_seq);
}

static void
forget_waiting (GstTfrcFecDecoder *self, guint i)
{
  self->n_waiting--;
  memmove (
      &self->waiting[i], &self->waiting[i + 1], (self->n_waiting - i) * sizeof self->waiting[0]);
}

void
gst_tfrc_fec_decoder_on_fec (GstTfrcFecDecoder *self, const TfrcWireFec *fec, gboolean is_plain,
    const guint8 *payload, gsize bytes)
{
  GstTfrcFecWaiting *waiting;
  guint64 first_seq;

  self->stats.received++;
  if (bytes > sizeof waiting->payload || !find_group (self, fec, &first_seq)) {
    self->stats.refused++;
    return;
  }
  if (self->cells == NULL) {
    self->cells = g_new0 (GstTfrcFecCell, GST_TFRC_FEC_DECODER_PACKETS);
    self->waiting = g_new (GstTfrcFecWaiting, GST_TFRC_FEC_DECODER_WAITING);
    self->kept_from = self->highest + 1;
  }
  self->idle = 0;
  if (self->n_waiting == GST_TFRC_FEC_DECODER_WAITING)
    forget_waiting (self, 0);
  waiting = &self->waiting[self->n_waiting++];
  waiting->first_seq = first_seq;
  waiting->fec = *fec;
  waiting->is_plain = is_plain;
  waiting->next = 0;
  waiting->gap = NONE;
  waiting->bytes = (guint16) bytes;
  memcpy (waiting->payload, payload, bytes);
}

/* ---- recovery --------------------------------------------------------------------------- */

static guint64
nth_of (const GstTfrcFecWaiting *waiting, guint i)
{
  return waiting->first_seq + i * waiting->fec.offset;
}

static gboolean
looks_for (GstTfrcFecDecoder *self, const GstTfrcFecWaiting *waiting, guint i)
{
  self->stats.looked_for++;
  return is_here (self, nth_of (waiting, i));
}

/* Looks on from the first packet that was missing besides one. A packet that is here stays, while its group is not
 * past; so each is looked for about once, however many packets come.
 * @return packets that are missing: 0, 1, or 2 for more */
static guint
count_missing (GstTfrcFecDecoder *self, GstTfrcFecWaiting *waiting)
{
  if (waiting->gap != NONE && looks_for (self, waiting, waiting->gap))
    waiting->gap = NONE;
  for (; waiting->next < waiting->fec.count; waiting->next++)
    if (!looks_for (self, waiting, waiting->next)) {
      if (waiting->gap != NONE)
        return 2;
      waiting->gap = waiting->next;
    }
  return waiting->gap != NONE;
}

/* Brings the group's gap back: the XOR of the FEC packet and of all others of the group. Its cell may have an older
 * packet, which stays if this is a lie.
 * @return FALSE: that is no packet of the movie, so one of them lies */
static gboolean
recover (GstTfrcFecDecoder *self, const GstTfrcFecWaiting *waiting)
{
  GstTfrcFecCell cell = { .seq = nth_of (waiting, waiting->gap),
    .timestamp = waiting->fec.timestamp,
    .bytes = waiting->fec.length_recovery,
    .is_here = TRUE };
  guint8 payload_type = waiting->fec.payload_type;

  memcpy (cell.payload, waiting->payload, waiting->bytes);
  for (guint i = 0; i < waiting->fec.count; i++) {
    const GstTfrcFecCell *other = cell_of (self, nth_of (waiting, i));

    if (i == waiting->gap)
      continue;
    gst_tfrc_xor (cell.payload, other->payload, other->bytes);
    cell.timestamp ^= other->timestamp;
    cell.bytes ^= other->bytes;
    payload_type ^= TFRC_WIRE_PAYLOAD_TYPE;
  }
  if (cell.bytes == 0 || cell.bytes > waiting->bytes || payload_type != TFRC_WIRE_PAYLOAD_TYPE)
    return FALSE;
  *cell_of (self, cell.seq) = cell;
  return TRUE;
}

/* Looks at a FEC packet that waits, and forgets it unless it is worth keeping. */
static gboolean
try (GstTfrcFecDecoder *self, guint i, guint64 *seq)
{
  GstTfrcFecWaiting *waiting = &self->waiting[i];
  gboolean is_over = is_past (self, waiting->first_seq), is_recovered = FALSE;
  guint missing = is_over ? 0 : count_missing (self, waiting);

  if (missing == 1)
    *seq = nth_of (waiting, waiting->gap);
  if (missing > 1 || (missing == 1 && waiting->is_plain && *seq > self->highest_received))
    return FALSE;
  if (missing == 1) {
    is_recovered = recover (self, waiting);
    self->stats.refused += !is_recovered;
  }
  forget_waiting (self, i);
  return is_recovered;
}

gboolean
gst_tfrc_fec_decoder_take (GstTfrcFecDecoder *self, GstTfrcFecRecovered *recovered)
{
  const GstTfrcFecCell *cell;
  guint64 seq;

  for (guint i = 0; i < self->n_waiting;) {
    guint before = self->n_waiting;

    if (try (self, i, &seq)) {
      cell = cell_of (self, seq);
      self->highest = MAX (self->highest, seq);
      self->stats.recovered++;
      *recovered = (GstTfrcFecRecovered){ seq, cell->timestamp, cell->payload, cell->bytes };
      return TRUE;
    }
    i += self->n_waiting == before;
  }
  return FALSE;
}

void
gst_tfrc_fec_decoder_get_stats (const GstTfrcFecDecoder *self, GstTfrcFecDecoderStats *stats)
{
  *stats = self->stats;
}
