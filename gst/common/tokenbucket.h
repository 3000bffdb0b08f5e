/* A token bucket: how often something may be done that others can cause.
 *
 * It holds some tokens at most, is full at first, and gets a new token at
 * regular times.  What is done takes a token; without one it is not done.  So
 * in any t seconds at most burst + per_second * t are done. */
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
 * @param burst tokens that it holds, 1 or more */
void gst_tfrc_token_bucket_init (GstTfrcTokenBucket *bucket, guint per_second, guint burst);

/** Returns the time from which there is a token, which may lie in the past. */
guint64 gst_tfrc_token_bucket_next_ns (const GstTfrcTokenBucket *bucket);

/** Takes a token.
 * @return FALSE if there is none */
gboolean gst_tfrc_token_bucket_take (GstTfrcTokenBucket *bucket, guint64 now_ns);

G_END_DECLS
#endif
