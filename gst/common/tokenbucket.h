/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A token bucket, which limits how often an action is done that a peer can cause.
 *
 * The bucket holds a limited number of tokens, is full at first, and gets a new token at regular
 * times.  The action takes a token; without a token the action is not done.  Therefore the
 * action is done at most burst + per_second * t times in t seconds. */
#ifndef GST_TFRC_TOKENBUCKET_H
#define GST_TFRC_TOKENBUCKET_H

#include <glib.h>

G_BEGIN_DECLS

/** A plain value.  All zero is a bucket that always has a token. */
typedef struct
{
  guint64 interval_ns; /* between new tokens */
  guint64 spare_ns;    /* what all tokens but one are worth */
  guint64 full_ns;     /* when the bucket is full */
} GstTfrcTokenBucket;

/** Fills the bucket.
 * @param per_second new tokens, 1 or more
 * @param burst tokens that the bucket holds, 1 or more */
void gst_tfrc_token_bucket_init (GstTfrcTokenBucket *bucket, guint per_second, guint burst);

/** Returns the time from which the bucket has a token; the time may lie in the past. */
guint64 gst_tfrc_token_bucket_next_ns (const GstTfrcTokenBucket *bucket);

/** Takes a token.
 * @return FALSE if there is no token */
gboolean gst_tfrc_token_bucket_take (GstTfrcTokenBucket *bucket, guint64 now_ns);

G_END_DECLS
#endif
