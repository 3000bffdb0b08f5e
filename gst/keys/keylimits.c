/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits of what other hosts can make an end do, see keylimits.h. */
#include "keylimits.h"

#include <string.h>

#include "../common/log.h"
#include "../common/tokenbucket.h"

/* Two hosts share a bucket with a probability of 1/64.  An attacker with one address thus keeps at
 * most 1 in 64 senders from being read. */
#define HOST_BUCKETS 64

typedef struct
{
  guint per_s, burst; /* both 0: no limit */
} Rate;

typedef struct
{
  Rate all, host, answers;
} Rates;

static const Rates sender_rates = { .all = { 1, 2 }, .answers = { 1, 2 } };
static const Rates receiver_rsa_rates = {
  .all = { 20, 20 }, .host = { 2, 4 }, .answers = { 50, 50 }
};
static const Rates receiver_psk_rates = {
  .all = { 500, 500 }, .host = { 20, 40 }, .answers = { 50, 50 }
};

struct _GstTfrcKeyLimits
{
  GstTfrcTokenBucket all, answers;
  GstTfrcTokenBucket hosts[HOST_BUCKETS];
  gboolean has_hosts;
  guint8 secret[GST_TFRC_KEY_SECRET_BYTES];
  guint exhausted; /* messages in a row that were not read, for the log */
};

static void
init_bucket (GstTfrcTokenBucket *bucket, Rate rate)
{
  gst_tfrc_token_bucket_init (bucket, rate.per_s, rate.burst);
}

GstTfrcKeyLimits *
gst_tfrc_key_limits_new (GstTfrcSrtpEnd end, gboolean has_psk, const guint8 *secret)
{
  const Rates *rates = end == GST_TFRC_SRTP_SENDER ? &sender_rates
      : has_psk                                    ? &receiver_psk_rates
                                                   : &receiver_rsa_rates;
  GstTfrcKeyLimits *self = g_new0 (GstTfrcKeyLimits, 1);

  init_bucket (&self->all, rates->all);
  init_bucket (&self->answers, rates->answers);
  self->has_hosts = rates->host.per_s > 0;
  for (guint i = 0; self->has_hosts && i < HOST_BUCKETS; i++)
    init_bucket (&self->hosts[i], rates->host);
  if (self->has_hosts)
    memcpy (self->secret, secret, sizeof self->secret);
  return self;
}

/* Without the secret no host can find out which other hosts share its bucket. */
static GstTfrcTokenBucket *
bucket_of (GstTfrcKeyLimits *self, const GstTfrcAddress *host)
{
  GHmac *hmac = g_hmac_new (G_CHECKSUM_SHA256, self->secret, sizeof self->secret);
  guint8 digest[32];
  gsize size = sizeof digest;

  if (gst_tfrc_address_family (host) == AF_INET)
    g_hmac_update (hmac, (const guchar *) &host->u.v4.sin_addr, 4);
  else
    g_hmac_update (hmac, (const guchar *) &host->u.v6.sin6_addr, 16);
  g_hmac_get_digest (hmac, digest, &size);
  g_hmac_unref (hmac);
  return &self->hosts[digest[0] % HOST_BUCKETS];
}

/* In a flood nearly no message passes the first condition, and so the hash costs nothing. */
static gboolean
take (GstTfrcKeyLimits *self, const GstTfrcAddress *from, guint64 now_ns)
{
  if (now_ns < gst_tfrc_token_bucket_next_ns (&self->all))
    return FALSE;
  if (self->has_hosts && !gst_tfrc_token_bucket_take (bucket_of (self, from), now_ns))
    return FALSE;
  return gst_tfrc_token_bucket_take (&self->all, now_ns);
}

gboolean
gst_tfrc_key_limits_may_read (GstTfrcKeyLimits *self, const GstTfrcAddress *from, guint64 now_ns)
{
  gboolean may = take (self, from, now_ns);

  if (may && self->exhausted > 0)
    gst_tfrc_log (keys, DEBUG, "%u key messages were not read", self->exhausted);
  if (!may && self->exhausted == 0)
    gst_tfrc_log (keys, DEBUG, "key messages come too often: this one is not read");
  self->exhausted = may ? 0 : self->exhausted + 1;
  return may;
}

gboolean
gst_tfrc_key_limits_may_answer (GstTfrcKeyLimits *self, guint64 now_ns)
{
  return gst_tfrc_token_bucket_take (&self->answers, now_ns);
}
