/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits of each host and of all together, see hostlimits.h. */
#include "hostlimits.h"

static void
init_bucket (GstTfrcTokenBucket *bucket, const GstTfrcRate *rate)
{
  gst_tfrc_token_bucket_init (bucket, rate->per_s, rate->burst);
}

void
gst_tfrc_host_limits_init (
    GstTfrcHostLimits *self, const GstTfrcHostRates *rates, const GstTfrcCookies *key)
{
  init_bucket (&self->all, &rates->all);
  self->hosts = NULL;
  if (rates->host.per_s == 0)
    return;
  self->hosts = g_new (GstTfrcTokenBucket, GST_TFRC_HOST_BUCKETS);
  for (guint i = 0; i < GST_TFRC_HOST_BUCKETS; i++)
    init_bucket (&self->hosts[i], &rates->host);
  self->key = *key;
}

void
gst_tfrc_host_limits_clear (GstTfrcHostLimits *self)
{
  g_clear_pointer (&self->hosts, g_free);
}

guint
gst_tfrc_host_limits_find (const GstTfrcHostLimits *self, const GstTfrcAddress *host)
{
  return self->hosts ? gst_tfrc_cookies_hash_host (&self->key, host) % GST_TFRC_HOST_BUCKETS : 0;
}

guint64
gst_tfrc_host_limits_all_next_ns (const GstTfrcHostLimits *self)
{
  return gst_tfrc_token_bucket_next_ns (&self->all);
}

guint64
gst_tfrc_host_limits_next_ns (const GstTfrcHostLimits *self, guint host)
{
  guint64 next_ns = gst_tfrc_token_bucket_next_ns (&self->all);

  return self->hosts ? MAX (next_ns, gst_tfrc_token_bucket_next_ns (&self->hosts[host])) : next_ns;
}

gboolean
gst_tfrc_host_limits_take (GstTfrcHostLimits *self, guint host, guint64 now_ns)
{
  if (now_ns < gst_tfrc_host_limits_next_ns (self, host))
    return FALSE;
  if (self->hosts)
    gst_tfrc_token_bucket_take (&self->hosts[host], now_ns);
  return gst_tfrc_token_bucket_take (&self->all, now_ns);
}
