/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A token bucket, see tokenbucket.h. */
#include "tokenbucket.h"

#define S_NS G_GUINT64_CONSTANT (1000000000)

void
gst_tfrc_token_bucket_init (GstTfrcTokenBucket *bucket, guint per_second, guint burst)
{
  bucket->interval_ns = S_NS / per_second;
  bucket->spare_ns = (burst - 1) * bucket->interval_ns;
  bucket->full_ns = 0;
}

guint64
gst_tfrc_token_bucket_next_ns (const GstTfrcTokenBucket *bucket)
{
  return bucket->full_ns - MIN (bucket->full_ns, bucket->spare_ns);
}

gboolean
gst_tfrc_token_bucket_take (GstTfrcTokenBucket *bucket, guint64 now_ns)
{
  if (now_ns < gst_tfrc_token_bucket_next_ns (bucket))
    return FALSE;
  bucket->full_ns = MAX (bucket->full_ns, now_ns) + bucket->interval_ns;
  return TRUE;
}
