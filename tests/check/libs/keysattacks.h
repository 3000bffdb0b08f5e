/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What attackers send to a source that waits for keys, and how many messages are read. The linker redirects
 * gst_tfrc_mikey_accept() and gst_tfrc_mikey_request(). */
#ifndef GST_TFRC_TESTS_KEYSATTACKS_H
#define GST_TFRC_TESTS_KEYSATTACKS_H

#include "keysends.h"

static guint messages_read;

GBytes *__real_gst_tfrc_mikey_accept (const GstTfrcCredentials *, const guint8 *, gsize, guint64,
    GstTfrcMikeyStream *, GstTfrcOfferedKeys *, GError **);
GBytes *__wrap_gst_tfrc_mikey_accept (const GstTfrcCredentials *, const guint8 *, gsize, guint64,
    GstTfrcMikeyStream *, GstTfrcOfferedKeys *, GError **);
GBytes *__real_gst_tfrc_mikey_request (
    const GstTfrcCredentials *, guint64, GstTfrcMikeyExchange **, GError **);
GBytes *__wrap_gst_tfrc_mikey_request (
    const GstTfrcCredentials *, guint64, GstTfrcMikeyExchange **, GError **);

GBytes *
__wrap_gst_tfrc_mikey_accept (const GstTfrcCredentials *credentials, const guint8 *message,
    gsize size, guint64 wall_ns, GstTfrcMikeyStream *stream, GstTfrcOfferedKeys *keys,
    GError **error)
{
  messages_read++;
  return __real_gst_tfrc_mikey_accept (credentials, message, size, wall_ns, stream, keys, error);
}

GBytes *
__wrap_gst_tfrc_mikey_request (const GstTfrcCredentials *credentials, guint64 wall_ns,
    GstTfrcMikeyExchange **exchange, GError **error)
{
  messages_read++;
  return __real_gst_tfrc_mikey_request (credentials, wall_ns, exchange, error);
}

/* A message that looks like an offer of the mode: cheap to make, and costly to read */
static inline GBytes *
make_false_offer (Mode mode)
{
  GstTfrcCredentials other = rsa_credentials (stranger_key, NULL, receiver_key);
  GstTfrcMikeyStream stream = offered;
  GstTfrcMikeyExchange *exchange = NULL;
  GstTfrcStreamKeys keys;
  GBytes *offer = gst_tfrc_mikey_offer (mode == BY_PSK ? &other_psk : &other, &stream,
      WALL_NS + START_NS + GST_SECOND, &keys, &exchange, NULL);

  fail_unless (offer != NULL && g_bytes_get_size (offer) <= GST_TFRC_KEY_FRAGMENT_BYTES);
  gst_tfrc_mikey_exchange_free (exchange);
  return offer;
}

/* Offers that are read when the tokens of all hosts are used up: none of a type that cannot be
 * accepted uses one. */
static guint8 false_offer[GST_TFRC_KEY_PACKET_MAX_BYTES];
static gsize false_offer_bytes;

static inline void
make_offer_of (Mode mode)
{
  GBytes *offer = make_false_offer (mode);

  false_offer_bytes = gst_tfrc_key_packet_write (false_offer, 77, 1, offer, 0);
  g_bytes_unref (offer);
}

/* Calls strike() so often while a stream begins, for a second, with the numbers 0, 1, ... */
static inline void
start_while (Pair *pair, guint per_s, void (*strike) (Pair *pair, guint number))
{
  guint64 end_ns = pair->now_ns + GST_SECOND;

  /* The tokens of a source that has waited for its sender are gone. */
  for (guint i = 0; i < 600; i++)
    strike (pair, i);
  pair_start (pair);
  for (guint i = 600; pair->now_ns < end_ns; i++) {
    strike (pair, i);
    pair_run (pair, GST_SECOND / per_s);
  }
}

#endif
