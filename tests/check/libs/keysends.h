/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The credentials of two ends by mode, and what the tests of the key exchange ask for, see
 * keystest.h. */
#ifndef GST_TFRC_TESTS_KEYSENDS_H
#define GST_TFRC_TESTS_KEYSENDS_H

#include "keystest.h"

typedef enum
{
  BY_PSK,
  BY_RSA,
  BY_RSA_R,
  N_MODES
} Mode;

static GstTfrcCredentials sinks[N_MODES], srcs[N_MODES];
static GstTfrcCredentials other_psk, stranger;

/* To be called by the function that makes the suite. */
static inline void
make_ends (void)
{
  make_rsa_keys ();
  sinks[BY_PSK] = srcs[BY_PSK] = psk_credentials (0x5a);
  other_psk = psk_credentials (0x5b);
  sinks[BY_RSA] = rsa_credentials (sender_key, sender_certificate, receiver_key);
  srcs[BY_RSA] = rsa_credentials (receiver_key, NULL, NULL);
  srcs[BY_RSA].key_exchange = GST_TFRC_KEY_EXCHANGE_RSA;
  sinks[BY_RSA_R] = rsa_credentials (sender_key, sender_certificate, NULL);
  srcs[BY_RSA_R] = rsa_credentials (receiver_key, receiver_certificate, NULL);
  stranger = rsa_credentials (stranger_key, stranger_certificate, receiver_key);
}

static inline void
pair_of (Pair *pair, Mode mode)
{
  pair_init (pair, &sinks[mode], &srcs[mode]);
}

static inline GstTfrcSecurityStats
sink_stats (const Pair *pair)
{
  GstTfrcSecurityStats stats;

  gst_tfrc_sink_keys_get_stats (pair->sink, &stats);
  return stats;
}

static inline GstTfrcSecurityStats
src_stats (const Pair *pair)
{
  GstTfrcSecurityStats stats;

  gst_tfrc_src_keys_get_stats (pair->src, &stats);
  return stats;
}

static inline void
assert_established (const Pair *pair)
{
  fail_unless (sink_stats (pair).established && src_stats (pair).established);
  fail_unless_equals_int (pair->sink_events.n[GST_TFRC_EVENT_SECURITY_ESTABLISHED], 1);
  fail_unless_equals_int (pair->src_events.n[GST_TFRC_EVENT_SECURITY_ESTABLISHED], 1);
  fail_unless_equals_int (pair->sink_events.n[GST_TFRC_EVENT_SECURITY_FAILED], 0);
  fail_unless_equals_int (pair->src_events.n[GST_TFRC_EVENT_SECURITY_FAILED], 0);
}

static inline guint64
refused (const GstTfrcSecurityStats *stats)
{
  return stats->refused.forged + stats->refused.replayed + stats->refused.plaintext
      + stats->refused.no_key;
}

/* From now on */
static inline void
begin_to_count_refused (Pair *pair)
{
  GstTfrcSecurityStats sink = sink_stats (pair), src = src_stats (pair);

  pair->sink_refused = refused (&sink);
  pair->src_refused = refused (&src);
}

/* No packet of the stream was refused at either end, whatever the reason. */
static inline void
assert_nothing_refused (const Pair *pair)
{
  GstTfrcSecurityStats sink = sink_stats (pair), src = src_stats (pair);

  fail_unless (refused (&sink) == pair->sink_refused,
      "sink: forged %u, replayed %u, plaintext %u, no key %u", (guint) sink.refused.forged,
      (guint) sink.refused.replayed, (guint) sink.refused.plaintext, (guint) sink.refused.no_key);
  fail_unless (refused (&src) == pair->src_refused,
      "source: forged %u, replayed %u, plaintext %u, no key %u", (guint) src.refused.forged,
      (guint) src.refused.replayed, (guint) src.refused.plaintext, (guint) src.refused.no_key);
}

#endif
