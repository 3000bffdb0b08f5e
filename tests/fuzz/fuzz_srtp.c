/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes SRTP (gst/security/srtp.h): arbitrary and damaged packets at both ends, between valid
 * ones, while the keys change.  What one end unprotects is what the other end has protected, and
 * comes once.  Nothing arbitrary is unprotected.  Refused packets do not hinder the packets of the
 * other end. */
#include "events.h"
#include "gst/security/srtp.h"
#include "gst/queue/packet.h"
#include "initgst.h"

#define SSRC 8 /* and 9 for repairs */
#define OWN_SSRC 7
#define MAX_BYTES 4096
#define N_KEPT 8
#define FIRST_PAYLOAD_BYTES 4 /* at least, as a number that all packets differ by */

typedef struct
{
  gboolean is_rtcp, to_sender, is_repair, is_used;
  guint16 seq;
  gsize plain_size, size;
  guint8 plain[256], bytes[512];
} Kept;

typedef struct
{
  GstTfrcSrtp *sender, *receiver;
  guint64 now;
  guint64 index; /* of data */
  guint64 repair_index;
  guint32 number;
  guint generation;
  Kept kept[N_KEPT];
  guint n_kept;
} Fuzz;

/* ---- valid packets ------------------------------------------------------ */

/* Writes a plain packet.  Returns its size. */
static gsize
write_packet (Fuzz *fuzz, Kept *packet, gsize payload_bytes)
{
  guint32 header[3] = { GUINT32_TO_BE (0x80210000u | (packet->seq)), GUINT32_TO_BE (1),
    GUINT32_TO_BE (packet->is_repair ? SSRC + 1 : SSRC) };
  gsize header_bytes = packet->is_rtcp ? 8 : 12;

  if (packet->is_rtcp) {
    header[0] = GUINT32_TO_BE (0x80c80000u);
    header[1] = GUINT32_TO_BE (packet->to_sender ? OWN_SSRC : SSRC);
  }
  memcpy (packet->plain, header, header_bytes);
  memset (packet->plain + header_bytes, 0x55, payload_bytes);
  fuzz->number++;
  memcpy (packet->plain + header_bytes, &fuzz->number, sizeof fuzz->number);
  return header_bytes + payload_bytes;
}

static Kept *
protect (Fuzz *fuzz, unsigned what, gsize payload_bytes)
{
  Kept *packet = &fuzz->kept[fuzz->n_kept++ % N_KEPT];
  guint32 words[(sizeof packet->plain + GST_TFRC_PACKET_TAIL_BYTES) / 4];
  GstTfrcSrtpUsage usage;
  GstTfrcSrtp *end;

  packet->is_used = FALSE;
  packet->is_rtcp = (what & 1) != 0;
  packet->to_sender = packet->is_rtcp && what & 2;
  packet->is_repair = !packet->is_rtcp && what & 4;
  packet->seq = (guint16) (packet->is_repair ? fuzz->repair_index : fuzz->index);
  packet->plain_size = write_packet (fuzz, packet, payload_bytes);
  memcpy (words, packet->plain, packet->plain_size);
  end = packet->to_sender ? fuzz->receiver : fuzz->sender;
  packet->size = gst_tfrc_srtp_protect (end, packet->is_rtcp, (guint8 *) words, packet->plain_size);
  CHECK (packet->size > packet->plain_size + 9 && packet->size <= packet->plain_size + 20);
  memcpy (packet->bytes, words, packet->size);
  gst_tfrc_srtp_get_usage (end, &usage);
  CHECK (usage.packets > 0 && usage.generation > 0);
  if (packet->is_repair)
    fuzz->repair_index++;
  else if (!packet->is_rtcp)
    fuzz->index++;
  return packet;
}

static GstTfrcUnprotectResult
unprotect (Fuzz *fuzz, gboolean to_sender, gboolean is_rtcp, const guint8 *bytes, gsize size,
    guint8 **out, gsize *out_size)
{
  *out = g_memdup2 (bytes, size); /* exact size, so that ASan detects a read past the end */
  *out_size = size;
  return gst_tfrc_srtp_unprotect (
      to_sender ? fuzz->sender : fuzz->receiver, is_rtcp, *out, out_size, fuzz->now);
}

/* @is_fresh: the packet has just been protected, with keys that the other end has. */
static void
deliver (Fuzz *fuzz, Kept *packet, gboolean is_fresh)
{
  guint8 *out;
  gsize size;
  GstTfrcUnprotectResult result = unprotect (
      fuzz, packet->to_sender, packet->is_rtcp, packet->bytes, packet->size, &out, &size);

  CHECK (result != GST_TFRC_UNPROTECTED_NO_KEY);
  CHECK (!is_fresh || result == GST_TFRC_UNPROTECTED_OK);
  if (result == GST_TFRC_UNPROTECTED_OK) {
    CHECK (!packet->is_used);
    CHECK (size == packet->plain_size && memcmp (out, packet->plain, size) == 0);
    packet->is_used = TRUE;
  }
  g_free (out);
}

/* ---- keys --------------------------------------------------------------- */

static void
deliver_data (Fuzz *fuzz)
{
  deliver (fuzz, protect (fuzz, 0, FIRST_PAYLOAD_BYTES), TRUE);
}

/* The receiver knows the keys that the sender uses before both get others. */
static void
install (Fuzz *fuzz, unsigned what)
{
  GstTfrcStreamKeys keys = { .cipher = (GstTfrcCipher) (what & 3) };
  guint32 roc = (guint32) (fuzz->index >> 16), repair_roc = (guint32) (fuzz->repair_index >> 16);

  if (fuzz->generation++ > 0) {
    deliver_data (fuzz);
    roc = (guint32) (fuzz->index >> 16);
    CHECK (gst_tfrc_srtp_get_roc (fuzz->sender, (guint16) fuzz->index) == roc);
    CHECK (gst_tfrc_srtp_get_repair_roc (fuzz->sender) == repair_roc);
  }
  /* The keys before may be in use for many generations, and no two of these may be the same. */
  memcpy (&keys.sender, &fuzz->generation, sizeof fuzz->generation);
  memset (&keys.receiver, 128, sizeof keys.receiver);
  memcpy (&keys.receiver, &fuzz->generation, sizeof fuzz->generation);
  CHECK (gst_tfrc_srtp_install (fuzz->sender, &keys, SSRC, roc, repair_roc, NULL));
  if (roc > 0 && what & 4)
    roc--; /* as the receiver may be told */
  CHECK (gst_tfrc_srtp_install (fuzz->receiver, &keys, SSRC, roc, repair_roc, NULL));
}

/* ---- invalid packets ---------------------------------------------------- */

static void
deliver_arbitrary (Fuzz *fuzz, unsigned what, const guint8 *bytes, gsize size)
{
  guint8 *out;
  gsize out_size;

  CHECK (unprotect (fuzz, what & 1, (what & 2) != 0, bytes, size, &out, &out_size)
      >= GST_TFRC_UNPROTECTED_FORGED);
  g_free (out);
}

static void
deliver_damaged (Fuzz *fuzz, Kept *packet, unsigned what, gsize position, guint8 flip)
{
  guint8 bytes[sizeof packet->bytes + 16] = { 0 };
  gsize size = packet->size;

  if (size == 0)
    return;
  memcpy (bytes, packet->bytes, size);
  if (what & 4)
    size = position % size; /* cut off */
  else if (what & 8)
    size += 1 + position % 16;
  else
    bytes[position % size] ^= flip | 1;
  deliver_arbitrary (fuzz, packet->is_rtcp << 1 | packet->to_sender, bytes, size);
  if (what & 16) /* as the other kind or at the other end */
    deliver_arbitrary (
        fuzz, !packet->is_rtcp << 1 | packet->to_sender, packet->bytes, packet->size);
  if (what & 32)
    deliver_arbitrary (
        fuzz, packet->is_rtcp << 1 | !packet->to_sender, packet->bytes, packet->size);
}

static void
deliver_bytes (Fuzz *fuzz, Input *input, unsigned what)
{
  guint32 words[MAX_BYTES / 4] = { 0 };
  gsize size = take (input, 2) % sizeof words;
  gsize given = MIN (MIN (size, input->size), 64); /* the rest is 0 */

  for (gsize i = 0; i < given; i++)
    ((guint8 *) words)[i] = (guint8) take (input, 1);
  deliver_arbitrary (fuzz, what, (guint8 *) words, size);
}

/* ---- events ------------------------------------------------------------- */

static void
serve (Fuzz *fuzz, Input *input)
{
  unsigned event = take (input, 1), what = take (input, 1);
  Kept *kept = &fuzz->kept[what % N_KEPT];

  switch (event % 8) {
    case 0:
      install (fuzz, what);
      break;
    case 1:
      gst_tfrc_srtp_switch (fuzz->sender, fuzz->now);
      break;
    case 2:
      fuzz->now += take_duration (input);
      break;
    case 3:
      fuzz->index += what * 64; /* lost at once */
      deliver_data (fuzz);
      break;
    case 4:
      protect (fuzz, what, FIRST_PAYLOAD_BYTES + what % 200);
      break;
    case 5:
      deliver (fuzz, protect (fuzz, what & 7, FIRST_PAYLOAD_BYTES + what % 200), TRUE);
      break;
    case 6:
      if (kept->size > 0)
        deliver (fuzz, kept, FALSE);
      break;
    default:
      if (what & 128)
        deliver_bytes (fuzz, input, what);
      else
        deliver_damaged (fuzz, kept, what, take (input, 1), take (input, 1));
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  Input input = { bytes, size };
  Fuzz fuzz = { .now = GST_SECOND };
  guint8 early[40] = { 0x80 };
  gsize early_bytes = sizeof early;

  init_gstreamer ();
  fuzz.sender = gst_tfrc_srtp_new (GST_TFRC_SRTP_SENDER);
  fuzz.receiver = gst_tfrc_srtp_new (GST_TFRC_SRTP_RECEIVER);
  CHECK (gst_tfrc_srtp_unprotect (fuzz.receiver, FALSE, early, &early_bytes, fuzz.now)
      == GST_TFRC_UNPROTECTED_NO_KEY);
  fuzz.index = take (&input, 3);
  fuzz.repair_index = fuzz.index ^ 0xfff0; /* the other stream wraps soon */
  install (&fuzz, 0);
  deliver_data (&fuzz); /* the counter that was told is of the first packet */
  while (input.size > 0)
    serve (&fuzz, &input);
  deliver_data (&fuzz);
  gst_tfrc_srtp_free (fuzz.sender);
  gst_tfrc_srtp_free (fuzz.receiver);
  return 0;
}
