/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Extended RTP sequence numbers, see rtpseq.h. */
#include "rtpseq.h"

#include <string.h>

/* Further behind than this a number is taken as ahead, as the library does
 * (TFRC_SEQ_MAX_OUTAGE). */
#define MAX_BEHIND 0x4000

/* Lets the sequence go on at this number: the next extended number with these low 16 bits. */
static guint64
restart_at (GstTfrcRtpSeq *self, guint16 seq, guint64 transport_seq)
{
  self->highest += (guint16) (seq - (guint16) self->highest);
  self->highest_transport = transport_seq;
  return self->highest;
}

/* Returns FALSE if the number has risen by more than the transport number. */
static gboolean
extend (GstTfrcRtpSeq *self, guint16 seq, guint64 transport_seq, guint64 *extended)
{
  guint16 behind = (guint16) ((guint16) self->highest - seq);
  guint16 ahead = (guint16) -behind;

  *extended = self->highest - behind;
  if (behind <= MAX_BEHIND)
    return TRUE;
  if (transport_seq < self->highest_transport || ahead > transport_seq - self->highest_transport)
    return FALSE;
  *extended = restart_at (self, seq, transport_seq);
  return TRUE;
}

void
gst_tfrc_rtp_seq_on_suspect (GstTfrcRtpSeq *self, const TfrcWireData *header)
{
  self->is_suspect_known = !gst_tfrc_rtp_is_fec (header);
  self->suspect = header->seq;
}

/* The library's number is the RTP number. */
static void
follow_library (GstTfrcRtpSeq *self, const TfrcArrival *arrival, GstTfrcRtpPlace *place)
{
  self->has_begun = TRUE;
  self->highest = self->highest_transport = MAX (self->highest, arrival->seq);
  place->is_used = arrival->kind != TFRC_ARRIVAL_DUPLICATE;
  place->seq = arrival->seq;
  place->is_previous_used = arrival->confirms_previous;
  place->previous_seq = arrival->seq - 1;
}

/* Numbers begin, or begin anew after a restart of the sender, with the suspect packet or with this one. */
static void
begin (GstTfrcRtpSeq *self, guint16 seq, guint64 transport_seq)
{
  /* The library leaves room below the first number, and so does this sequence. */
  if (!self->has_begun)
    self->highest = GST_TFRC_RTP_SEQ_ORIGIN;
  self->has_begun = TRUE;
  self->has_ended = FALSE;
  restart_at (self, seq, transport_seq);
}

void
gst_tfrc_rtp_seq_on_packet (GstTfrcRtpSeq *self, const TfrcWireData *header,
    const TfrcArrival *arrival, GstTfrcRtpPlace *place)
{
  gboolean has_number = !gst_tfrc_rtp_is_fec (header);
  gboolean confirms = arrival->confirms_previous && self->is_suspect_known;

  memset (place, 0, sizeof *place);
  self->is_separate |= header->has_transport_seq;
  if (!self->is_separate) {
    follow_library (self, arrival, place);
    return;
  }
  self->has_ended |= arrival->kind == TFRC_ARRIVAL_RESTART;
  if ((!self->has_begun || self->has_ended) && (confirms || has_number))
    begin (self, confirms ? self->suspect : header->seq, arrival->seq - confirms);
  if (confirms)
    place->is_previous_used = extend (self, self->suspect, arrival->seq - 1, &place->previous_seq);
  place->is_used = has_number && arrival->kind != TFRC_ARRIVAL_DUPLICATE
      && extend (self, header->seq, arrival->seq, &place->seq);
}

guint32
gst_tfrc_rtp_seq_get_highest (const GstTfrcRtpSeq *self)
{
  return gst_tfrc_rtp_seq_to_rtcp (self->highest);
}
