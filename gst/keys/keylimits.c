/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits of what other hosts can make an end do, see keylimits.h. */
#include "keylimits.h"

#include "../common/log.h"
#include "../strangers/hostlimits.h"

typedef struct
{
  GstTfrcHostRates messages;
  GstTfrcRate answers;
} Rates;

static const Rates sender_rates = { .messages.all = { 1, 2 }, .answers = { 1, 2 } };
static const Rates receiver_rsa_rates = { .messages = { .all = { 20, 20 }, .host = { 2, 4 } },
  .answers = { 50, 50 } };
static const Rates receiver_psk_rates = { .messages = { .all = { 500, 500 }, .host = { 20, 40 } },
  .answers = { 50, 50 } };

/* Of offers of another mode. It is enough to tell a user who has set the wrong mode within a
 * second, and so low that these offers seldom displace a contact. */
static const GstTfrcRate refusal_rate = { 10, 10 };

/* Of messages that leave at once with a cookie. A receiver's cookie changes every 10 s. */
static const GstTfrcRate hurry_rate = { 1, 2 };

struct _GstTfrcKeyLimits
{
  /* Of hosts that have not shown a cookie, and of those that have */
  GstTfrcHostLimits messages[2], places[2];
  GstTfrcTokenBucket answers, refusals, hurries;
  guint exhausted; /* messages in a row that were not read, for the log */
};

GstTfrcKeyLimits *
gst_tfrc_key_limits_new (GstTfrcSrtpEnd end, gboolean has_psk, const guint8 *secret)
{
  const Rates *rates = end == GST_TFRC_SRTP_SENDER ? &sender_rates
      : has_psk                                    ? &receiver_psk_rates
                                                   : &receiver_rsa_rates;
  GstTfrcKeyLimits *self = g_new0 (GstTfrcKeyLimits, 1);
  GstTfrcCookies key;

  if (secret)
    gst_tfrc_cookies_init (&key, secret);
  for (guint i = 0; i < 2; i++) {
    gst_tfrc_host_limits_init (&self->messages[i], &rates->messages, secret ? &key : NULL);
    gst_tfrc_host_limits_init (&self->places[i], &rates->messages, secret ? &key : NULL);
  }
  gst_tfrc_token_bucket_init (&self->answers, rates->answers.per_s, rates->answers.burst);
  gst_tfrc_token_bucket_init (&self->refusals, refusal_rate.per_s, refusal_rate.burst);
  gst_tfrc_token_bucket_init (&self->hurries, hurry_rate.per_s, hurry_rate.burst);
  return self;
}

void
gst_tfrc_key_limits_free (GstTfrcKeyLimits *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < 2; i++) {
    gst_tfrc_host_limits_clear (&self->messages[i]);
    gst_tfrc_host_limits_clear (&self->places[i]);
  }
  g_free (self);
}

/* In a flood nearly no message passes the first condition, and so the hash costs nothing. */
static gboolean
take (GstTfrcHostLimits *limits, const GstTfrcAddress *from, guint64 now_ns)
{
  return now_ns >= gst_tfrc_host_limits_all_next_ns (limits)
      && gst_tfrc_host_limits_take (limits, gst_tfrc_host_limits_find (limits, from), now_ns);
}

gboolean
gst_tfrc_key_limits_could_read (
    const GstTfrcKeyLimits *self, const GstTfrcAddress *from, guint64 now_ns)
{
  const GstTfrcHostLimits *limits = &self->messages[FALSE];

  return now_ns >= gst_tfrc_host_limits_all_next_ns (limits)
      && now_ns >= gst_tfrc_host_limits_next_ns (limits, gst_tfrc_host_limits_find (limits, from));
}

gboolean
gst_tfrc_key_limits_may_take_place (
    GstTfrcKeyLimits *self, const GstTfrcAddress *from, gboolean is_proven, guint64 now_ns)
{
  return take (&self->places[is_proven], from, now_ns);
}

gboolean
gst_tfrc_key_limits_may_read (
    GstTfrcKeyLimits *self, const GstTfrcAddress *from, gboolean is_proven, guint64 now_ns)
{
  gboolean may = take (&self->messages[is_proven], from, now_ns);

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

gboolean
gst_tfrc_key_limits_could_answer (const GstTfrcKeyLimits *self, guint64 now_ns)
{
  return now_ns >= gst_tfrc_token_bucket_next_ns (&self->answers);
}

gboolean
gst_tfrc_key_limits_may_refuse (GstTfrcKeyLimits *self, guint64 now_ns)
{
  return gst_tfrc_token_bucket_take (&self->refusals, now_ns);
}

gboolean
gst_tfrc_key_limits_may_hurry (GstTfrcKeyLimits *self, guint64 now_ns)
{
  return gst_tfrc_token_bucket_take (&self->hurries, now_ns);
}
