/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the decoder of forward error correction (gst/queue/fecdecoder.h): packets of the movie and FEC packets with any
 * header come in any order. What comes back is of a length that a packet can have, was missing, and comes back once. */
#include "events.h"

#include "gst/queue/fecdecoder.h"

#define START 100000 /* so that no number is below 0 */
#define SPAN 1024    /* numbers of packets */

typedef struct
{
  GstTfrcFecDecoder decoder;
  uint64_t base;
  uint8_t payload[GST_TFRC_PACKET_MAX_PAYLOAD_BYTES];
} Fuzz;

static void
take_recovered (Fuzz *fuzz)
{
  GstTfrcFecRecovered recovered;
  uint64_t last = 0;
  unsigned n = 0;

  while (gst_tfrc_fec_decoder_take (&fuzz->decoder, &recovered)) {
    CHECK (recovered.bytes > 0 && recovered.bytes <= GST_TFRC_PACKET_MAX_PAYLOAD_BYTES);
    CHECK (recovered.seq != last);
    CHECK (recovered.seq <= fuzz->decoder.highest);
    last = recovered.seq;
    CHECK (++n <= GST_TFRC_FEC_DECODER_WAITING);
  }
}

static void
come (Fuzz *fuzz, Input *input)
{
  uint64_t seq = fuzz->base + take (input, 2) % SPAN;

  gst_tfrc_fec_decoder_on_packet (&fuzz->decoder, seq, (uint32_t) take (input, 4), fuzz->payload,
      take (input, 2) % (sizeof fuzz->payload + 1));
}

static void
come_fec (Fuzz *fuzz, Input *input)
{
  TfrcWireData data = { .payload_bytes = TFRC_WIRE_FEC_BYTES };
  uint8_t header[TFRC_WIRE_FEC_BYTES];
  TfrcWireFec fec;

  for (unsigned i = 0; i < sizeof header; i++)
    header[i] = (uint8_t) take (input, 1);
  if (tfrc_wire_take_fec (header, &data, &fec))
    gst_tfrc_fec_decoder_on_fec (&fuzz->decoder, &fec, fec.is_row, fuzz->payload,
        take (input, 2) % (sizeof fuzz->payload + 1));
}

/* A group that fits: most headers above do not. */
static void
come_near_fec (Fuzz *fuzz, Input *input)
{
  TfrcWireFec fec = { .first_seq = (uint16_t) (fuzz->base + take (input, 2) % SPAN),
    .length_recovery = (uint16_t) take (input, 2),
    .payload_type = take (input, 1) & 1 ? TFRC_WIRE_PAYLOAD_TYPE : 0,
    .offset = (uint8_t) (take (input, 1) % 20 + 1),
    .count = (uint8_t) (take (input, 1) % 12 + 1) };

  gst_tfrc_fec_decoder_on_fec (&fuzz->decoder, &fec, FALSE, fuzz->payload, sizeof fuzz->payload);
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  Input input = { bytes, size };
  Fuzz fuzz = { .base = START };

  while (input.size > 0) {
    switch (take (&input, 1) % 5) {
      case 0:
        come_fec (&fuzz, &input);
        break;
      case 1:
        come_near_fec (&fuzz, &input);
        break;
      case 2:
        gst_tfrc_fec_decoder_on_packet (&fuzz.decoder, ++fuzz.base, 0, fuzz.payload, 188);
        break;
      case 3:
        if (take (&input, 1) == 0)
          gst_tfrc_fec_decoder_restart (&fuzz.decoder);
        break;
      default:
        come (&fuzz, &input);
        break;
    }
    take_recovered (&fuzz);
  }
  gst_tfrc_fec_decoder_restart (&fuzz.decoder);
  return 0;
}
