/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the classifier (gst/tfrcsink/tsclassifier.h): packets of a transport stream, sections with a
 * right CRC and packets of known streams, as the input says. A packet of RTP is worth no more than its
 * most important part, tables and audio belong to no picture, and the pictures of a packet are those of its
 * parts. */
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "gst/tfrcsink/tsclassifier.h"
#include "libs/tsbuilder.h"

#define MAX_BYTES 65536
#define PMT_PID 0x1000
#define FIRST_PID 0x100
#define N_STREAMS 4
#define RTP_PACKETS 7

enum
{
  EVENT_PACKET,  /* any packet */
  EVENT_SECTION, /* a section in the PID of the PAT or a PMT */
  EVENT_VIDEO,   /* a packet of a stream in the first tables */
  EVENT_RESET,
  N_EVENTS
};

/* The same stream, with and without others in the packet of RTP */
static GstTfrcTsClassifier alone, together;
static GstTfrcImportance parts[RTP_PACKETS];
static unsigned n_parts;

static void
check_number (const GstTfrcImportance *importance)
{
  CHECK (importance->class < GST_TFRC_CLASSES);
  if (importance->class == GST_TFRC_CLASS_TABLES || importance->class == GST_TFRC_CLASS_AUDIO
      || importance->class == GST_TFRC_CLASS_NULL)
    CHECK (importance->picture == 0 && importance->group == 0);
  if (importance->class == GST_TFRC_CLASS_RANDOM_ACCESS)
    CHECK (importance->picture != 0 && importance->group != 0);
}

static void
end_packet (void)
{
  GstTfrcImportance whole;
  unsigned best = GST_TFRC_CLASS_NULL, i;
  gboolean is_found = FALSE;

  gst_tfrc_ts_classifier_end_packet (&together, &whole);
  check_number (&whole);
  for (i = 0; i < n_parts; i++) {
    best = MIN (best, parts[i].class);
    is_found |= parts[i].picture == whole.picture;
  }
  if (n_parts > 0)
    CHECK (whole.class >= best && is_found);
  if (n_parts > 0 && best <= GST_TFRC_CLASS_AUDIO)
    CHECK (whole.class == best);
  n_parts = 0;
}

static void
add (const guint8 *packet)
{
  gst_tfrc_ts_classifier_add (&alone, packet);
  gst_tfrc_ts_classifier_end_packet (&alone, &parts[n_parts]);
  check_number (&parts[n_parts]);
  n_parts++;
  gst_tfrc_ts_classifier_add (&together, packet);
  if (n_parts == RTP_PACKETS)
    end_packet ();
}

/* Adds all packets of a stream, and empties it. */
static void
add_all (GByteArray *stream)
{
  for (unsigned at = 0; at < stream->len; at += TS_BYTES)
    add (stream->data + at);
  g_byte_array_set_size (stream, 0);
}

static unsigned
take_bytes (Input *input, guint8 *bytes, unsigned n)
{
  n = (unsigned) MIN (n, input->size);
  memcpy (bytes, input->bytes, n);
  input->bytes += n;
  input->size -= n;
  return n;
}

static void
begin (GByteArray *stream)
{
  static const guint16 pids[] = { PMT_PID };
  static const guint8 types[N_STREAMS] = { 0x1b, 0x24, 0x02, 0x0f };
  TsStream streams[N_STREAMS];

  for (unsigned i = 0; i < N_STREAMS; i++)
    streams[i] = (TsStream){ types[i], (guint16) (FIRST_PID + i), NULL, 0 };
  gst_tfrc_ts_classifier_init (&alone);
  gst_tfrc_ts_classifier_init (&together);
  n_parts = 0;
  ts_append_pat (stream, 0, pids, 1);
  ts_append_pmt (stream, PMT_PID, 1, 0, streams, N_STREAMS);
  add_all (stream);
}

static void
add_section (GByteArray *stream, Input *input)
{
  const unsigned choice = take (input, 1), number = take (input, 1);
  guint8 bytes[800];
  unsigned n = take_bytes (input, bytes, (unsigned) take (input, 2) % sizeof bytes);

  ts_append_section (stream, choice & 1 ? PMT_PID : TS_PAT_PID,
      ts_section_new (choice & 1 ? 2 : 0, number, choice >> 1 & 31, bytes, n));
  add_all (stream);
}

static void
add_video (GByteArray *stream, Input *input)
{
  const unsigned choice = take (input, 1);
  guint8 bytes[TS_PAYLOAD_BYTES];
  unsigned flags = choice >> 2
      & (TS_START | TS_RANDOM_ACCESS | TS_PRIORITY | TS_PCR | TS_SCRAMBLED);
  unsigned n = take_bytes (input, bytes, (unsigned) take (input, 1) % (TS_PAYLOAD_BYTES - 7));

  ts_append (stream, FIRST_PID + choice % N_STREAMS, flags, bytes, n);
  add_all (stream);
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  Input input = { bytes, size };
  GByteArray *stream;

  if (size > MAX_BYTES)
    return 0;
  stream = g_byte_array_new ();
  begin (stream);
  while (input.size > 0) {
    guint8 packet[TS_BYTES] = { 0 };

    switch (take (&input, 1) % N_EVENTS) {
      case EVENT_PACKET:
        take_bytes (&input, packet, sizeof packet);
        add (packet);
        break;
      case EVENT_SECTION:
        add_section (stream, &input);
        break;
      case EVENT_VIDEO:
        add_video (stream, &input);
        break;
      default:
        end_packet ();
        gst_tfrc_ts_classifier_reset (&alone);
        gst_tfrc_ts_classifier_reset (&together);
        break;
    }
  }
  end_packet ();
  g_byte_array_unref (stream);
  return 0;
}
