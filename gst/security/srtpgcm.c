/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SRTP with AES-GCM, see srtpgcm.h. */
#include "srtpgcm.h"

#include <openssl/crypto.h>
#include <string.h>

#include "aead.h"
#include "replaywindow.h"
#include "srtpkdf.h"

#define RTP_HEADER_BYTES 12 /* RFC 3550 section 5.1 */
#define RTP_EXTENSION_BIT 0x10
#define RTCP_HEADER_BYTES 8 /* RFC 3711 section 3.4: the part that stays plain */
#define RTCP_INDEX_BYTES 4  /* behind the tag (RFC 7714 section 9.2) */
#define RTCP_ENCRYPTED_BIT 0x80000000u
#define RTCP_LAST_INDEX 0x7fffffffu

/* Of a protected report */
#define SHORTEST_REPORT ((gsize) (RTCP_HEADER_BYTES + GST_TFRC_AEAD_TAG_BYTES + RTCP_INDEX_BYTES))

/* Reports that the window of an SSRC covers, as in libsrtp.  A receiver sends one in a round-trip
 * time, so that it is many times what a path reorders. */
#define REPORT_WINDOW 128

/* The reports of an SSRC */
typedef struct
{
  guint32 ssrc;
  GstTfrcReplayWindow window;
} Reports;

struct _GstTfrcSrtpGcm
{
  gboolean seals;
  gboolean has_data;
  GstTfrcSrtpStreams data; /* if has_data */

  GstTfrcAead *rtp, *rtcp;                            /* NULL: no key; rtp as well without data */
  GstTfrcReplayWindow windows[GST_TFRC_SRTP_STREAMS]; /* of the data */
  guint32 rtcp_index;                                 /* of the last report that was sealed */
  Reports reports[GST_TFRC_SRTP_REPORT_SSRCS];        /* that were opened */
  guint n_reports;
};

/* The index of a report and the nonce are at any address. */
static guint32
read_u32 (const guint8 *from)
{
  guint32 value;

  memcpy (&value, from, sizeof value);
  return GUINT32_FROM_BE (value);
}

static void
write_u32 (guint8 *to, guint32 value)
{
  value = GUINT32_TO_BE (value);
  memcpy (to, &value, sizeof value);
}

GstTfrcSrtpGcm *
gst_tfrc_srtp_gcm_new (gboolean seals, const GstTfrcSrtpStreams *data)
{
  GstTfrcSrtpGcm *self = g_new0 (GstTfrcSrtpGcm, 1);

  self->seals = seals;
  self->has_data = data != NULL;
  if (data != NULL)
    self->data = *data;
  return self;
}

/* ---- keys --------------------------------------------------------------- */

static void
drop_keys (GstTfrcSrtpGcm *self)
{
  g_clear_pointer (&self->rtp, gst_tfrc_aead_free);
  g_clear_pointer (&self->rtcp, gst_tfrc_aead_free);
}

static GstTfrcAead *
derive (gboolean seals, GstTfrcCipher cipher, const GstTfrcMasterKey *master,
    GstTfrcSrtpLabel key_label, GstTfrcSrtpLabel salt_label)
{
  gsize key_bytes = gst_tfrc_cipher_get_sizes (cipher)->key_bytes;
  guint8 key[GST_TFRC_CIPHER_MAX_KEY_BYTES], salt[GST_TFRC_AEAD_NONCE_BYTES];
  GstTfrcAead *aead = NULL;

  if (gst_tfrc_srtp_derive (cipher, master, key_label, key, key_bytes)
      && gst_tfrc_srtp_derive (cipher, master, salt_label, salt, sizeof salt))
    aead = gst_tfrc_aead_new (key, key_bytes, salt, seals);
  OPENSSL_cleanse (key, sizeof key);
  OPENSSL_cleanse (salt, sizeof salt);
  return aead;
}

gboolean
gst_tfrc_srtp_gcm_set_key (GstTfrcSrtpGcm *self, GstTfrcCipher cipher, const GstTfrcMasterKey *key)
{
  drop_keys (self);
  for (guint i = 0; i < GST_TFRC_SRTP_STREAMS; i++)
    gst_tfrc_replay_window_forget (&self->windows[i]);
  for (guint i = 0; i < self->n_reports; i++)
    gst_tfrc_replay_window_forget (&self->reports[i].window);
  self->rtcp = derive (self->seals, cipher, key, GST_TFRC_SRTP_RTCP_KEY, GST_TFRC_SRTP_RTCP_SALT);
  if (self->has_data)
    self->rtp = derive (self->seals, cipher, key, GST_TFRC_SRTP_RTP_KEY, GST_TFRC_SRTP_RTP_SALT);
  return self->rtcp != NULL && (self->rtp != NULL || !self->has_data);
}

void
gst_tfrc_srtp_gcm_free (GstTfrcSrtpGcm *self)
{
  if (self == NULL)
    return;
  drop_keys (self);
  g_free (self);
}

/* ---- data --------------------------------------------------------------- */

static GstTfrcReplayWindow *
find_window (GstTfrcSrtpGcm *self, guint32 ssrc)
{
  GstTfrcSrtpStream stream = self->has_data ? gst_tfrc_srtp_streams_find (&self->data, ssrc)
                                            : GST_TFRC_SRTP_NO_STREAM;

  return stream == GST_TFRC_SRTP_NO_STREAM ? NULL : &self->windows[stream];
}

/* Returns the bytes of the header with CSRCs and extension (RFC 3550 sections 5.1 and 5.3.1), which
 * stay plain; 0: the packet is shorter. */
static gsize
get_header_bytes (const guint8 *packet, gsize size)
{
  gsize bytes = RTP_HEADER_BYTES + 4 * (gsize) (packet[0] & 0x0f);

  if (packet[0] & RTP_EXTENSION_BIT) {
    if (size < bytes + 4)
      return 0;
    bytes += 4 + 4 * (gsize) GST_READ_UINT16_BE (packet + bytes + 2);
  }
  return bytes <= size ? bytes : 0;
}

/* RFC 7714 section 8.1: SSRC, rollover counter, sequence number */
static void
write_data_unique (guint8 unique[GST_TFRC_AEAD_NONCE_BYTES], guint32 roc, const guint8 *packet)
{
  memset (unique, 0, 2);
  memcpy (unique + 2, packet + 8, 4);
  write_u32 (unique + 6, roc);
  memcpy (unique + 10, packet + 2, 2);
}

static guint64
get_index (guint32 roc, const guint8 *packet)
{
  return (guint64) roc << 16 | GST_READ_UINT16_BE (packet + 2);
}

gsize
gst_tfrc_srtp_gcm_protect_data (GstTfrcSrtpGcm *self, guint32 roc, guint8 *packet, gsize size)
{
  GstTfrcReplayWindow *window = find_window (self, GST_READ_UINT32_BE (packet + 8));
  gsize header_bytes = get_header_bytes (packet, size);
  guint8 unique[GST_TFRC_AEAD_NONCE_BYTES];
  const GstTfrcAeadPacket parts = { .unique = unique,
    .header = packet,
    .header_bytes = header_bytes,
    .text = packet + header_bytes,
    .text_bytes = size - header_bytes };

  /* The number is used up even if OpenSSL should fail: no nonce comes twice. */
  if (window == NULL || header_bytes == 0
      || !gst_tfrc_replay_window_take (window, get_index (roc, packet)))
    return 0;
  write_data_unique (unique, roc, packet);
  return gst_tfrc_aead_seal (self->rtp, &parts) ? size + GST_TFRC_AEAD_TAG_BYTES : 0;
}

GstTfrcUnprotectResult
gst_tfrc_srtp_gcm_unprotect_data (GstTfrcSrtpGcm *self, guint32 roc, guint8 *packet, gsize *size)
{
  GstTfrcReplayWindow *window = find_window (self, GST_READ_UINT32_BE (packet + 8));
  gsize plain_bytes = MAX (*size, GST_TFRC_AEAD_TAG_BYTES) - GST_TFRC_AEAD_TAG_BYTES;
  gsize header_bytes = get_header_bytes (packet, plain_bytes);
  guint8 unique[GST_TFRC_AEAD_NONCE_BYTES];
  const GstTfrcAeadPacket parts = { .unique = unique,
    .header = packet,
    .header_bytes = header_bytes,
    .text = packet + header_bytes,
    .text_bytes = plain_bytes - header_bytes };
  guint64 index = get_index (roc, packet);

  if (window == NULL || header_bytes == 0)
    return GST_TFRC_UNPROTECTED_FORGED;
  if (!gst_tfrc_replay_window_is_new (window, index, GST_TFRC_REPLAY_WINDOW_NUMBERS))
    return GST_TFRC_UNPROTECTED_REPLAYED;
  write_data_unique (unique, roc, packet);
  if (!gst_tfrc_aead_open (self->rtp, &parts))
    return GST_TFRC_UNPROTECTED_FORGED;
  gst_tfrc_replay_window_take (window, index);
  *size = plain_bytes;
  return GST_TFRC_UNPROTECTED_OK;
}

/* ---- reports ------------------------------------------------------------ */

/* RFC 7714 section 9.1: SSRC, two zeros, index */
static void
write_report_unique (guint8 unique[GST_TFRC_AEAD_NONCE_BYTES], guint32 index, const guint8 *packet)
{
  memset (unique, 0, GST_TFRC_AEAD_NONCE_BYTES);
  memcpy (unique + 2, packet + 4, 4);
  write_u32 (unique + 8, index);
}

static gboolean
is_report_allowed (const GstTfrcSrtpGcm *self, const guint8 *packet)
{
  return !self->has_data
      || gst_tfrc_srtp_streams_find (&self->data, GST_READ_UINT32_BE (packet + 4))
      != GST_TFRC_SRTP_NO_STREAM;
}

static GstTfrcAeadPacket
split_report (guint8 *packet, gsize plain_bytes, const guint8 *trailer, const guint8 *unique)
{
  const GstTfrcAeadPacket parts = { .unique = unique,
    .header = packet,
    .header_bytes = RTCP_HEADER_BYTES,
    .trailer = trailer,
    .trailer_bytes = RTCP_INDEX_BYTES,
    .text = packet + RTCP_HEADER_BYTES,
    .text_bytes = plain_bytes - RTCP_HEADER_BYTES };

  return parts;
}

/* All SSRCs share an index, which the first packet has 1 of, as in libsrtp. */
gsize
gst_tfrc_srtp_gcm_protect_report (GstTfrcSrtpGcm *self, guint8 *packet, gsize size)
{
  guint8 unique[GST_TFRC_AEAD_NONCE_BYTES];
  guint8 *trailer = packet + size + GST_TFRC_AEAD_TAG_BYTES;
  const GstTfrcAeadPacket parts = split_report (packet, size, trailer, unique);

  if (!is_report_allowed (self, packet) || self->rtcp_index == RTCP_LAST_INDEX)
    return 0;
  self->rtcp_index++;
  write_report_unique (unique, self->rtcp_index, packet);
  write_u32 (trailer, RTCP_ENCRYPTED_BIT | self->rtcp_index);
  if (!gst_tfrc_aead_seal (self->rtcp, &parts))
    return 0;
  return size + GST_TFRC_AEAD_TAG_BYTES + RTCP_INDEX_BYTES;
}

static Reports *
find_reports (GstTfrcSrtpGcm *self, guint32 ssrc)
{
  for (guint i = 0; i < self->n_reports; i++) {
    if (self->reports[i].ssrc == ssrc)
      return &self->reports[i];
  }
  return NULL;
}

/* @return NULL: there are too many already */
static Reports *
add_reports (GstTfrcSrtpGcm *self, guint32 ssrc)
{
  Reports *reports;

  if (self->n_reports == G_N_ELEMENTS (self->reports))
    return NULL;
  reports = &self->reports[self->n_reports++];
  reports->ssrc = ssrc;
  return reports;
}

/* An SSRC gets a window when a report of it has a right tag, not before: forged ones fill nothing. */
GstTfrcUnprotectResult
gst_tfrc_srtp_gcm_unprotect_report (GstTfrcSrtpGcm *self, guint8 *packet, gsize *size)
{
  gsize plain_bytes = MAX (*size, SHORTEST_REPORT) - GST_TFRC_AEAD_TAG_BYTES - RTCP_INDEX_BYTES;
  const guint8 *trailer = packet + *size - RTCP_INDEX_BYTES;
  guint32 ssrc = GST_READ_UINT32_BE (packet + 4), word = read_u32 (trailer);
  guint32 index = word & RTCP_LAST_INDEX;
  guint8 unique[GST_TFRC_AEAD_NONCE_BYTES];
  const GstTfrcAeadPacket parts = split_report (packet, plain_bytes, trailer, unique);
  Reports *reports = find_reports (self, ssrc);

  if (*size < SHORTEST_REPORT || !is_report_allowed (self, packet) || !(word & RTCP_ENCRYPTED_BIT))
    return GST_TFRC_UNPROTECTED_FORGED;
  if (reports != NULL && !gst_tfrc_replay_window_is_new (&reports->window, index, REPORT_WINDOW))
    return GST_TFRC_UNPROTECTED_REPLAYED;
  write_report_unique (unique, index, packet);
  if (!gst_tfrc_aead_open (self->rtcp, &parts))
    return GST_TFRC_UNPROTECTED_FORGED;
  if (reports == NULL)
    reports = add_reports (self, ssrc);
  if (reports == NULL)
    return GST_TFRC_UNPROTECTED_FORGED;
  gst_tfrc_replay_window_take (&reports->window, index);
  *size = plain_bytes;
  return GST_TFRC_UNPROTECTED_OK;
}
