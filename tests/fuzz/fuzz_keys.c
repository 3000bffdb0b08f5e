/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the key exchange at both ends (gst/keys/sinkkeys.h, srckeys.h): packets that are lost,
 * held back, repeated, damaged and invented, between calls and restarts.  No damaged packet is used.
 * An address gets no more bytes than have come from there.  Once the attacker stops, data comes
 * through, unless the sender has given up.
 *
 * The keys are random, and so differ between runs of the same input. */
#include "events.h"
#include "initgst.h"

#include <gst/check/gstcheck.h>

/* The checks of the harness, outside of a test */
#undef fail_unless
#define fail_unless(condition, ...) CHECK (condition)

#include "libs/keysends.h"

#define ATTACKER 9
#define MAX_EVENTS 200
#define RECOVERY_NS (100 * GST_SECOND)

/* Of virtual time, before recovery: two re-keyings that fail and are tried again after 30 s.  Time is
 * what an input costs, since packets leave meanwhile, a few a second so that it costs little. */
#define MAX_LIFE_NS (100 * GST_SECOND)
#define DATA_INTERVAL_NS (100 * MS)
#define REPORT_INTERVAL_NS (500 * MS)

typedef struct
{
  Pair pair;
  Mode mode;
  GstTfrcProtect protect;
  Flying recorded[4]; /* copies of packets that an attacker has seen */
  guint n_recorded;
  guint64 attacker_bytes;
  guint64 end_ns; /* of the events */
} Fuzz;

static void
init_ends (void)
{
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    make_ends ();
    atexit (free_rsa_keys);
    g_once_init_leave (&once, 1);
  }
}

/* ---- the attacker -------------------------------------------------------- */

/* Delivers bytes of any origin.  Returns whether the packet is used.  The memory has the exact size,
 * so that ASan detects a read past the end. */
static gboolean
deliver (Fuzz *fuzz, gboolean to_sink, guint host, const guint8 *bytes, gsize size)
{
  Pair *pair = &fuzz->pair;
  guint8 *copy = g_memdup2 (bytes, size);
  GstTfrcAddress from = host_address (host);
  GstTfrcKeyTime time = sink_time (pair);
  gboolean is_used = FALSE;

  if (!to_sink) {
    fuzz->attacker_bytes += host == ATTACKER ? size : 0;
    is_used = tfrc_wire_classify (copy, size) != TFRC_WIRE_KIND_NONE
        && deliver_to_src (pair, &from, copy, &size);
  } else if (gst_tfrc_key_packet_is (copy, size))
    gst_tfrc_sink_keys_on_packet (pair->sink, copy, size, pair->seq, &time);
  else if (tfrc_wire_classify (copy, size) == TFRC_WIRE_KIND_RTCP)
    is_used = gst_tfrc_sink_keys_unprotect (
        pair->sink, host != ATTACKER, copy, &size, pair->now_ns);
  g_free (copy);
  return is_used;
}

static void
attack (Fuzz *fuzz, Input *input, Flying *packet)
{
  guint8 bytes[sizeof packet->words];
  gsize size = packet->size;
  unsigned how = take (input, 1), position = take (input, 2), flip = take (input, 1);
  gboolean is_damaged = flip != 0 && size > 0;
  guint host = how & 1 ? ATTACKER : SINK_HOST;

  memcpy (bytes, packet->words, size);
  if (is_damaged)
    bytes[position % size] ^= flip;
  if (how & 2 && size > 0) {
    size = position % size;
    is_damaged = TRUE;
  }
  if (deliver (fuzz, packet->to_sink ^ ((how & 4) != 0), host, bytes, size))
    CHECK (!is_damaged || fuzz->protect != GST_TFRC_PROTECT_ALL);
}

static void
invent (Fuzz *fuzz, Input *input)
{
  guint8 bytes[GST_TFRC_KEY_PACKET_MAX_BYTES] = { 0 };
  unsigned what = take (input, 1), given = take (input, 1) % 64;
  gsize size = gst_tfrc_key_packet_write_request (
      bytes, take (input, 1) & 1 ? SINK_SSRC : 7, 0, 20 + (what >> 2) % 60 * 4);

  for (guint i = 0; i < given; i++)
    bytes[(what & 2 ? 12 : 0) + i] = take (input, 1);
  if (deliver (fuzz, what & 1, take (input, 1) & 1 ? ATTACKER : SINK_HOST, bytes, size))
    CHECK (fuzz->protect != GST_TFRC_PROTECT_ALL);
}

static void
refuse (Fuzz *fuzz, unsigned reason)
{
  GBytes *refusal = gst_tfrc_mikey_refuse (fuzz->pair.csb_id, reason % 10);
  guint8 bytes[GST_TFRC_KEY_PACKET_MAX_BYTES];

  if (refusal == NULL)
    return;
  deliver (fuzz, TRUE, SINK_HOST, bytes, gst_tfrc_key_packet_write (bytes, 7, 9, refusal, 0));
  g_bytes_unref (refusal);
}

/* ---- the ends ------------------------------------------------------------ */

static void
restart_sink (Fuzz *fuzz)
{
  const GstTfrcSecurityConfig config = security_of (&sinks[fuzz->mode], fuzz->protect, 0);

  gst_tfrc_sink_keys_free (fuzz->pair.sink);
  fuzz->pair.sink = gst_tfrc_sink_keys_new (&config, &fuzz->pair.sink_waiting);
  fuzz->pair.ssrc++;
  fuzz->pair.seq += 30000;
  pair_start (&fuzz->pair);
}

static void
restart_source (Fuzz *fuzz)
{
  gst_tfrc_src_keys_free (fuzz->pair.src);
  fuzz->pair.src = new_src (&srcs[fuzz->mode], fuzz->protect, &fuzz->pair.src_waiting);
  fuzz->pair.key_bytes_to_others = fuzz->attacker_bytes = 0;
}

static void
run (Fuzz *fuzz, guint64 duration_ns)
{
  pair_run (&fuzz->pair, duration_ns);
  CHECK (fuzz->pair.key_bytes_to_others <= fuzz->attacker_bytes);
}

static guint64
left_ns (const Fuzz *fuzz)
{
  return fuzz->end_ns - MIN (fuzz->pair.now_ns, fuzz->end_ns);
}

static void
serve_flying (Fuzz *fuzz, Input *input, unsigned event, unsigned what)
{
  GPtrArray *flying = fuzz->pair.flying;

  if (flying->len == 0)
    return;
  if (event == 3)
    fuzz->recorded[fuzz->n_recorded++ % 4] = *(Flying *) flying->pdata[what % flying->len];
  else if (event == 4)
    attack (fuzz, input, flying->pdata[what % flying->len]);
  else
    pair_drop_flying (&fuzz->pair);
}

static void
serve_event (Fuzz *fuzz, Input *input)
{
  unsigned event = take (input, 1) % 14, what = take (input, 1);
  GstTfrcKeyTime time = sink_time (&fuzz->pair);

  assert_sound (&fuzz->pair);
  if (event < 3)
    run (fuzz, MIN ((event == 0 ? 1 : event == 1 ? 20 : 300) * MS * what, left_ns (fuzz)));
  else if (event < 6)
    serve_flying (fuzz, input, event, what);
  else if (event == 6 && fuzz->n_recorded > 0)
    attack (fuzz, input, &fuzz->recorded[what % MIN (fuzz->n_recorded, 4)]);
  else if (event == 7)
    invent (fuzz, input);
  else if (event == 8)
    refuse (fuzz, what);
  else if (event == 9)
    gst_tfrc_sink_keys_rekey (fuzz->pair.sink, time.now_ns);
  else if (event == 10)
    gst_tfrc_src_keys_rekey (fuzz->pair.src);
  else if (event == 11 && what & 1)
    restart_sink (fuzz);
  else if (event == 11)
    restart_source (fuzz);
  else if (event == 12)
    gst_tfrc_sink_keys_seal_from_now_on (fuzz->pair.sink, fuzz->pair.now_ns);
  else if (event == 13) {
    fuzz->pair.loses_all_keys = what & 1;
    fuzz->pair.loss_percent = what & 2 ? 30 : 0;
    fuzz->pair.jitter_ns = what & 4 ? 50 * MS : 0;
    fuzz->pair.repeats = (what & 8) != 0;
  }
}

static void
recover (Fuzz *fuzz)
{
  Pair *pair = &fuzz->pair;
  guint taken;

  pair->loses_all_keys = pair->repeats = FALSE;
  pair->loss_percent = pair->jitter_ns = 0;
  run (fuzz, RECOVERY_NS);
  taken = pair->data_taken;
  run (fuzz, GST_SECOND);
  CHECK (gst_tfrc_sink_keys_get_state (pair->sink) >= GST_TFRC_SINK_KEYS_FAILED
      || pair->data_taken >= taken + GST_SECOND / DATA_INTERVAL_NS - 1);
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  Input input = { bytes, size };
  Fuzz fuzz = { 0 };
  unsigned first = take (&input, 1);

  init_gstreamer ();
  init_ends ();
  fuzz.mode = first % N_MODES;
  fuzz.protect = first & 64 ? GST_TFRC_PROTECT_RAISED_TTL : GST_TFRC_PROTECT_ALL;
  pair_init_with (&fuzz.pair, &sinks[fuzz.mode], &srcs[fuzz.mode], fuzz.protect,
      first & 128 ? 10 * GST_SECOND : 0);
  fuzz.pair.data_interval_ns = DATA_INTERVAL_NS;
  fuzz.pair.report_interval_ns = REPORT_INTERVAL_NS;
  fuzz.end_ns = fuzz.pair.now_ns + MAX_LIFE_NS;
  pair_start (&fuzz.pair);
  for (guint i = 0; i < MAX_EVENTS && input.size > 0; i++)
    serve_event (&fuzz, &input);
  recover (&fuzz);
  pair_clear (&fuzz.pair);
  return 0;
}
