/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forward error correction at the receiver (SMPTE ST 2022-1): of a group with one packet missing the packet is
 * the XOR of all others and of the group's FEC packet. What comes back may complete another group, so that rows
 * and columns together bring back more than either.
 *
 * Payloads are copied: packets in the queue belong to the pipeline. Before the first FEC packet nothing is
 * kept, and so little is after GST_TFRC_FEC_DECODER_IDLE_PACKETS without any.
 *
 * Numbers are those of the movie's RTP packets, extended to 64 bits.
 *
 * No lock and no clock. */
#ifndef GST_TFRC_FECDECODER_H
#define GST_TFRC_FECDECODER_H

#include <glib.h>
#include <tfrc/wire.h>

#include "packet.h"

G_BEGIN_DECLS

/** Packets that are kept: a matrix of 100, the largest of ST 2022-1, while the next one comes. A power of two,
 * as the numbers' low bits are the place. 340 KB. */
#define GST_TFRC_FEC_DECODER_PACKETS 256

/** FEC packets that wait for others of their group, at most; the oldest gives way. 85 KB. */
#define GST_TFRC_FEC_DECODER_WAITING 64

/** Packets of a group, at most: no matrix of ST 2022-1 has more, and to bring one back takes as many XORs. */
#define GST_TFRC_FEC_DECODER_GROUP 100

/** After so many packets of the movie without a FEC packet the sender has stopped: the memory is freed. */
#define GST_TFRC_FEC_DECODER_IDLE_PACKETS 1024

/** For fecdecoder.c alone: a packet of the movie */
typedef struct
{
  guint64 seq;
  guint32 timestamp;
  guint16 bytes;
  gboolean is_here;
  guint8 payload[GST_TFRC_PACKET_MAX_PAYLOAD_BYTES];
} GstTfrcFecCell;

/** For fecdecoder.c alone: a FEC packet */
typedef struct
{
  guint64 first_seq;
  TfrcWireFec fec;
  gboolean is_plain;
  guint next; /* the first packet of the group that has not been looked for */
  guint gap;  /* the one in front of that which is missing; G_MAXUINT: there is none */
  guint16 bytes;
  guint8 payload[GST_TFRC_PACKET_MAX_PAYLOAD_BYTES];
} GstTfrcFecWaiting;

typedef struct
{
  guint64 received;  /**< FEC packets */
  guint64 recovered; /**< packets of the movie that were missing */
  guint64
      refused; /**< FEC packets of other groups than ST 2022-1 has, or that contradict what came */
  guint64
      looked_for; /**< packets of groups, as often as they were looked for: what lies may cost */
} GstTfrcFecDecoderStats;

/** For fecdecoder.c alone; all zero has received nothing. */
typedef struct
{
  GstTfrcFecCell *cells;      /* NULL: nothing is kept */
  GstTfrcFecWaiting *waiting; /* likewise; the oldest first */
  guint64 kept_from;          /* packets from this number on are kept */
  guint n_waiting;
  guint idle; /* packets since the last FEC packet */
  gboolean has_begun;
  guint64 highest, highest_received; /* brought back or received; received */
  GstTfrcFecDecoderStats stats;
} GstTfrcFecDecoder;

/** A packet that has come back */
typedef struct
{
  guint64 seq;
  guint32 timestamp;
  const guint8 *payload; /**< valid until the decoder is called again */
  gsize bytes;
} GstTfrcFecRecovered;

/** The numbers begin anew, or all is over: forgets all but the statistics. */
void gst_tfrc_fec_decoder_restart (GstTfrcFecDecoder *self);

/** A packet of the movie has come, whichever way. */
void gst_tfrc_fec_decoder_on_packet (
    GstTfrcFecDecoder *self, guint64 seq, guint32 timestamp, const guint8 *payload, gsize bytes);

/** A FEC packet has come.
 * @param is_plain it is of a sender without TFRC, which nothing but its address shows: a packet comes back only once a
 *   later one has come. A false packet that is newer than all others would be played before the true ones, which
 *   would all be too late then */
void gst_tfrc_fec_decoder_on_fec (GstTfrcFecDecoder *self, const TfrcWireFec *fec,
    gboolean is_plain, const guint8 *payload, gsize bytes);

/** Takes a packet that has come back. To be called after each packet until there is none.
 * @return FALSE: there is none */
gboolean gst_tfrc_fec_decoder_take (GstTfrcFecDecoder *self, GstTfrcFecRecovered *recovered);

void gst_tfrc_fec_decoder_get_stats (const GstTfrcFecDecoder *self, GstTfrcFecDecoderStats *stats);

G_END_DECLS
#endif
