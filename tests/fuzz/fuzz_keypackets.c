/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes what any host can make an end do with key packets before the end computes anything: key
 * packets, their assembly to a message (gst/keys/keypacket.h), and the form of messages
 * (gst/security/mikeyparse.h).  No OpenSSL, so that an input costs microseconds; fuzz_mikey.c has
 * the proofs, and fuzz_keys.c the exchange.
 *
 * The input is packets, each behind its length, or, with an odd first byte, one message, which is cut
 * into packets that come in an order of the second byte, with or without a cookie. */
#include "events.h"

#include "gst/keys/keypacket.h"
#include "gst/security/mikeykeys.h"
#include "gst/security/mikeyparse.h"

#define WALL_NS (G_GUINT64_CONSTANT (1800000000) * 1000000000)

/* ---- messages ------------------------------------------------------------ */

static void
is_within (GstTfrcMikeyBytes part, const guint8 *bytes, gsize size)
{
  if (part.data == NULL)
    return;
  CHECK (part.data >= bytes && part.data <= bytes + size);
  CHECK (part.size <= size - (gsize) (part.data - bytes));
}

static void
check_parts (const GstTfrcMikeyMessage *message, const guint8 *bytes, gsize size)
{
  const GstTfrcMikeyBytes parts[] = { message->rand, message->ids[0], message->ids[1],
    message->certificate, message->policy, message->kemac, message->key_data, message->mac,
    message->envelope, message->signature, message->covered };
  GstTfrcMikeyBytes id, tgk;
  GstTfrcCipher cipher;

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    is_within (parts[i], bytes, size);
  CHECK (message->n_ids <= 2);
  if (message->policy.data != NULL
      && gst_tfrc_mikey_policy_read (message->policy.data, message->policy.size, &cipher, NULL))
    CHECK (cipher <= GST_TFRC_CIPHER_AES_256_ICM);
  /* as if it were decrypted */
  if (message->key_data.data != NULL
      && gst_tfrc_mikey_parse_key_data (
          message->key_data.data, message->key_data.size, &id, &tgk, NULL)) {
    is_within (id, message->key_data.data, message->key_data.size);
    is_within (tgk, message->key_data.data, message->key_data.size);
  }
  gst_tfrc_mikey_is_current (message->timestamp, WALL_NS);
}

/* A copy of its size, so that ASan detects a read past the end */
static void
check_message (const guint8 *given, gsize size)
{
  guint8 *bytes = g_memdup2 (given, size);
  GstTfrcMikeyMessage message;
  GstTfrcMikeyError reason;
  GstTfrcMikeyKind kind;
  GError *error = NULL;
  guint32 csb_id;

  if (gst_tfrc_mikey_peek (bytes, size, &kind, &csb_id))
    CHECK (size >= 10 && kind <= GST_TFRC_MIKEY_REFUSAL);
  if (gst_tfrc_mikey_parse (bytes, size, &message, &error))
    check_parts (&message, bytes, size);
  else
    CHECK (error->domain == GST_TFRC_MIKEY_ERROR && error->code <= GST_TFRC_MIKEY_UNSUPPORTED);
  if (gst_tfrc_mikey_read_refusal (bytes, size, &csb_id, &reason))
    CHECK (error == NULL && gst_tfrc_mikey_error_describe (reason) != NULL);
  g_clear_error (&error);
  g_free (bytes);
}

/* ---- packets ------------------------------------------------------------- */

static void
is_cookie_within (const guint8 *cookie, const guint8 *packet, gsize size)
{
  if (cookie)
    is_within ((GstTfrcMikeyBytes){ cookie, TFRC_WIRE_PATH_DATA_BYTES }, packet, size);
}

/* Returns whether the packet completes a message. */
static gboolean
take_packet (GstTfrcKeyAssembly *assembly, const guint8 *given, gsize size)
{
  guint8 *packet = g_memdup2 (given, size);
  gboolean is_complete = FALSE;
  GstTfrcKeyPacket parsed;

  CHECK (!gst_tfrc_key_packet_is_rekey (packet, size) || gst_tfrc_key_packet_is (packet, size));
  if (gst_tfrc_key_packet_parse (packet, size, &parsed)) {
    CHECK (gst_tfrc_key_packet_is (packet, size) && parsed.size <= size);
    CHECK (parsed.total == 0 || (gsize) parsed.offset + parsed.size <= parsed.total);
    CHECK (parsed.total == 0 || parsed.given == NULL);
    CHECK (parsed.cookie == NULL || parsed.given == NULL
        || parsed.given == parsed.cookie + TFRC_WIRE_PATH_DATA_BYTES);
    is_cookie_within (parsed.cookie, packet, size);
    is_cookie_within (parsed.given, packet, size);
    is_complete = gst_tfrc_key_assembly_add (assembly, &parsed);
    CHECK (!is_complete || (parsed.total > 0 && parsed.number == assembly->number));
  }
  g_free (packet);
  return is_complete;
}

static void
take_packets (Input input)
{
  GstTfrcKeyAssembly assembly = { 0 };

  while (input.size > 2) {
    gsize given = take (&input, 2), size = MIN (given, input.size), message_size;

    if (take_packet (&assembly, input.bytes, size)) {
      const guint8 *message = gst_tfrc_key_assembly_get (&assembly, &message_size);

      CHECK (message_size <= GST_TFRC_KEY_MESSAGE_MAX_BYTES);
      check_message (message, message_size);
    }
    input.bytes += size;
    input.size -= size;
  }
}

/* Whatever the order and the repetitions, the message is the one that was cut. */
static void
cut_and_assemble (Input input)
{
  static const guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  guint8 packet[GST_TFRC_KEY_PACKET_MAX_BYTES];
  guint order = take (&input, 1), n, n_complete = 0;
  GstTfrcKeyAssembly assembly = { 0 };
  GBytes *message;
  gsize size;

  if (input.size == 0 || input.size > GST_TFRC_KEY_MESSAGE_MAX_BYTES)
    return;
  message = g_bytes_new_static (input.bytes, input.size);
  n = (input.size + GST_TFRC_KEY_FRAGMENT_BYTES - 1) / GST_TFRC_KEY_FRAGMENT_BYTES;
  for (guint i = 0; i < n; i++) {
    guint at = order & 1 ? n - 1 - i : i;

    size = gst_tfrc_key_packet_write (packet, 7, order, message, at * GST_TFRC_KEY_FRAGMENT_BYTES);
    if (order & 4)
      size = gst_tfrc_key_packet_add_cookie (packet, size, cookie);
    /* the last one would begin the message anew */
    if (order & 2 && i + 1 < n)
      CHECK (!take_packet (&assembly, packet, size));
    n_complete += take_packet (&assembly, packet, size);
  }
  CHECK (n_complete == 1);
  CHECK (memcmp (gst_tfrc_key_assembly_get (&assembly, &size), input.bytes, input.size) == 0);
  CHECK (size == input.size);
  check_message (input.bytes, input.size);
  g_bytes_unref (message);
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  Input input = { bytes, size };

  if (take (&input, 1) & 1)
    cut_and_assemble (input);
  else
    take_packets (input);
  return 0;
}
