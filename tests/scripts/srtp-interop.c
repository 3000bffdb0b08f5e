/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The helper of srtp-interop.sh: gst/security/srtp.h against GStreamer's srtpdec and srtpenc, which
 * are given one cipher and key.  Both take the packets of both kinds, and only packets that come out
 * unchanged count.  Writes "skipped: ..." and returns 77 if an element is missing. */
#include <gst/check/gstharness.h>
#include <string.h>

#include "gst/security/srtp.h"
#include "gst/queue/packet.h"

#define SSRC 0x01020304u
#define N_PACKETS 100
#define FIRST_SEQ 65500 /* the rollover counter goes on within the packets */
#define DATA_BYTES 1340
#define REPORT_BYTES 28

static const gchar *const names[] = { "aes-128-gcm", "aes-256-gcm", "aes-128-icm", "aes-256-icm" };

static gsize
write_packet (guint8 *packet, gboolean is_rtcp, guint i)
{
  gsize size = is_rtcp ? REPORT_BYTES : DATA_BYTES;

  memset (packet, (int) i + 1, size);
  GST_WRITE_UINT32_BE (packet, is_rtcp ? 0x80c80006u : 0x80210000u | ((FIRST_SEQ + i) & 0xffff));
  GST_WRITE_UINT32_BE (packet + (is_rtcp ? 4 : 8), SSRC);
  return size;
}

static GstBuffer *
new_key (const GstTfrcStreamKeys *keys)
{
  const GstTfrcCipherSizes *sizes = gst_tfrc_cipher_get_sizes (keys->cipher);
  GstBuffer *key = gst_buffer_new_allocate (NULL, sizes->key_bytes + sizes->salt_bytes, NULL);

  gst_buffer_fill (key, 0, keys->sender.key, sizes->key_bytes);
  gst_buffer_fill (key, sizes->key_bytes, keys->sender.salt, sizes->salt_bytes);
  return key;
}

static GstCaps *
new_srtp_caps (const GstTfrcStreamKeys *keys, gboolean is_rtcp)
{
  const gchar *name = names[keys->cipher];
  /* GCM authenticates by itself, and srtpdec wants a name all the same. */
  const gchar *auth = g_str_has_suffix (name, "gcm") ? "null" : "hmac-sha1-80";
  GstBuffer *key = new_key (keys);
  GstCaps *caps = gst_caps_new_simple (is_rtcp ? "application/x-srtcp" : "application/x-srtp",
      "ssrc", G_TYPE_UINT, SSRC, "roc", G_TYPE_UINT, 0, "srtp-key", GST_TYPE_BUFFER, key,
      "srtp-cipher", G_TYPE_STRING, name, "srtcp-cipher", G_TYPE_STRING, name, "srtp-auth",
      G_TYPE_STRING, auth, "srtcp-auth", G_TYPE_STRING, auth, NULL);

  gst_buffer_unref (key);
  return caps;
}

/* Returns whether the buffer holds what write_packet() writes; takes the buffer. */
static gboolean
is_packet (GstBuffer *buffer, gboolean is_rtcp, guint i)
{
  guint8 plain[DATA_BYTES];
  gsize size = write_packet (plain, is_rtcp, i);
  gboolean is_same = buffer && gst_buffer_get_size (buffer) == size
      && gst_buffer_memcmp (buffer, 0, plain, size) == 0;

  if (buffer)
    gst_buffer_unref (buffer);
  return is_same;
}

/* srtpdec decrypts what this module has protected. */
static guint
count_decrypted (const GstTfrcStreamKeys *keys, gboolean is_rtcp)
{
  GstHarness *harness = is_rtcp ? gst_harness_new_with_padnames ("srtpdec", "rtcp_sink", "rtcp_src")
                                : gst_harness_new_with_padnames ("srtpdec", "rtp_sink", "rtp_src");
  GstTfrcSrtp *sender = gst_tfrc_srtp_new (GST_TFRC_SRTP_SENDER);
  guint n = 0;

  g_assert_true (gst_tfrc_srtp_install (sender, keys, SSRC, 0, 0, NULL));
  gst_harness_set_src_caps (harness, new_srtp_caps (keys, is_rtcp));
  for (guint i = 0; i < N_PACKETS; i++) {
    guint32 words[(DATA_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4];
    gsize size = write_packet ((guint8 *) words, is_rtcp, i);

    size = gst_tfrc_srtp_protect (sender, is_rtcp, (guint8 *) words, size);
    gst_harness_push (harness, gst_buffer_new_memdup (words, size));
    n += is_packet (gst_harness_try_pull (harness), is_rtcp, i);
  }
  gst_tfrc_srtp_free (sender);
  gst_harness_teardown (harness);
  return n;
}

static GstHarness *
new_encoder (const GstTfrcStreamKeys *keys, gboolean is_rtcp)
{
  GstElement *encoder = gst_element_factory_make ("srtpenc", NULL);
  const gchar *auth = gst_tfrc_cipher_get_sizes (keys->cipher)->tag_bytes == 16 ? "null"
                                                                                : "hmac-sha1-80";
  GstBuffer *key = new_key (keys);
  GstHarness *harness;

  g_object_set (encoder, "key", key, NULL);
  gst_buffer_unref (key);
  gst_util_set_object_arg (G_OBJECT (encoder), "rtp-cipher", names[keys->cipher]);
  gst_util_set_object_arg (G_OBJECT (encoder), "rtcp-cipher", names[keys->cipher]);
  gst_util_set_object_arg (G_OBJECT (encoder), "rtp-auth", auth);
  gst_util_set_object_arg (G_OBJECT (encoder), "rtcp-auth", auth);
  harness = is_rtcp ? gst_harness_new_with_element (encoder, "rtcp_sink_0", "rtcp_src_0")
                    : gst_harness_new_with_element (encoder, "rtp_sink_0", "rtp_src_0");
  gst_object_unref (encoder);
  gst_harness_set_src_caps_str (harness, is_rtcp ? "application/x-rtcp" : "application/x-rtp");
  return harness;
}

/* This module unprotects what srtpenc has encrypted. */
static guint
count_unprotected (const GstTfrcStreamKeys *keys, gboolean is_rtcp)
{
  GstHarness *harness = new_encoder (keys, is_rtcp);
  GstTfrcSrtp *receiver = gst_tfrc_srtp_new (GST_TFRC_SRTP_RECEIVER);
  guint n = 0;

  g_assert_true (gst_tfrc_srtp_install (receiver, keys, SSRC, 0, 0, NULL));
  for (guint i = 0; i < N_PACKETS; i++) {
    guint32 words[(DATA_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4];
    gsize size = write_packet ((guint8 *) words, is_rtcp, i);
    GstBuffer *encrypted;

    gst_harness_push (harness, gst_buffer_new_memdup (words, size));
    encrypted = gst_harness_try_pull (harness);
    if (!encrypted)
      continue;
    size = gst_buffer_extract (encrypted, 0, words, sizeof words);
    gst_buffer_unref (encrypted);
    if (gst_tfrc_srtp_unprotect (receiver, is_rtcp, (guint8 *) words, &size, 0)
        == GST_TFRC_UNPROTECTED_OK)
      n += is_packet (gst_buffer_new_memdup (words, size), is_rtcp, i);
  }
  gst_tfrc_srtp_free (receiver);
  gst_harness_teardown (harness);
  return n;
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  if (!gst_element_factory_find ("srtpdec") || !gst_element_factory_find ("srtpenc")) {
    g_print ("skipped: there is no element srtpdec or srtpenc\n");
    return 77;
  }
  for (gint cipher = 0; cipher < (gint) G_N_ELEMENTS (names); cipher++) {
    GstTfrcStreamKeys keys = { .cipher = (GstTfrcCipher) cipher };
    const GstTfrcCipherSizes *sizes = gst_tfrc_cipher_get_sizes (keys.cipher);

    for (gsize i = 0; i < sizes->key_bytes; i++)
      keys.sender.key[i] = (guint8) (i * 7 + 1);
    for (gsize i = 0; i < sizes->salt_bytes; i++)
      keys.sender.salt[i] = (guint8) (i * 11 + 2);
    keys.receiver = keys.sender;
    for (gboolean is_rtcp = FALSE; is_rtcp <= TRUE; is_rtcp++)
      g_print ("%s %s: srtpdec %u, from srtpenc %u\n", names[cipher], is_rtcp ? "SRTCP" : "SRTP",
          count_decrypted (&keys, is_rtcp), count_unprotected (&keys, is_rtcp));
  }
  return 0;
}
