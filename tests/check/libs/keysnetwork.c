/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An attacker that receives at all addresses of a prefix of IPv6, and so has cookies, see "the bounds" of
 * gst/keys/srckeys.h. */
#include "keysattacks.h"

static GstTfrcAddress
address_of_prefix (guint32 number)
{
  const guint8 prefix[8] = { 0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 1 };
  struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons (5004) };
  GstTfrcAddress address;

  memcpy (&v6.sin6_addr, prefix, sizeof prefix);
  GST_WRITE_UINT32_BE (v6.sin6_addr.s6_addr + 12, number);
  gst_tfrc_address_from_sockaddr (&address, (struct sockaddr *) &v6, sizeof v6);
  return address;
}

/* @cookie: set to the one that the source has given the address
 * @return FALSE: it has given none */
static gboolean
read_cookie (Pair *pair, const GstTfrcAddress *address, guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES])
{
  guint32 words[(GST_TFRC_KEY_PACKET_MAX_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4];
  GstTfrcAddress to, local;
  GstTfrcKeyPacket parsed;
  gboolean is_given = FALSE;
  gsize size;

  while ((size = gst_tfrc_src_keys_write (pair->src, (guint8 *) words, &to, &local)) > 0) {
    if (gst_tfrc_address_equal (&to, &pair->sink_address))
      put (pair, TRUE, TRUE, (guint8 *) words, size);
    if (!gst_tfrc_address_equal (&to, address)
        || !gst_tfrc_key_packet_parse ((guint8 *) words, size, &parsed) || !parsed.given)
      continue;
    memcpy (cookie, parsed.given, TFRC_WIRE_PATH_DATA_BYTES);
    is_given = TRUE;
  }
  return is_given;
}

/* A false offer from another address, and once more with the cookie that has come there */
static void
offer_from_prefix (Pair *pair, guint number)
{
  const GstTfrcAddress from = address_of_prefix (number);
  guint32 words[(GST_TFRC_KEY_PACKET_MAX_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4];
  guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES], *bytes = (guint8 *) words;
  gsize size = false_offer_bytes;

  memcpy (bytes, false_offer, size);
  deliver_to_src (pair, &from, bytes, &size);
  if (!read_cookie (pair, &from, cookie))
    return;
  memcpy (bytes, false_offer, false_offer_bytes);
  size = gst_tfrc_key_packet_add_cookie (bytes, false_offer_bytes, cookie);
  deliver_to_src (pair, &from, bytes, &size);
  read_cookie (pair, &from, cookie);
}

/* Such a host has the tokens of one host: those of a host without a cookie, as long as there is a place for one, and
 * those of a host with a cookie, for 2 s. */
GST_START_TEST (messages_of_one_host_with_many_addresses)
{
  static const guint burst[] = { [BY_PSK] = 40, [BY_RSA] = 4 };
  static const guint per_s[] = { [BY_PSK] = 20, [BY_RSA] = 2 };
  const guint proven = burst[__i__] + 2 * per_s[__i__];
  Pair pair;

  make_offer_of (__i__);
  pair_of (&pair, __i__);
  messages_read = 0;
  for (guint i = 0; i < 20000; i++) {
    offer_from_prefix (&pair, i);
    pair.now_ns += 2 * GST_SECOND / 20000;
  }
  fail_unless (messages_read <= 2 * proven, "%u read", messages_read);
  fail_unless (messages_read >= burst[__i__] + proven - 1, "%u read", messages_read);
  pair_clear (&pair);
}
GST_END_TEST;

/* The sender's offer has two parts, and a place that no address of the prefix takes. */
GST_START_TEST (one_host_with_many_addresses_delays_a_start_by_one_round_trip)
{
  static const guint per_s[] = { 20, 100, 200, 10000 };

  make_offer_of (BY_RSA);
  for (guint i = 0; i < G_N_ELEMENTS (per_s); i++) {
    guint first;
    Pair pair;

    pair_of (&pair, BY_RSA);
    pair.jitter_ns = 15 * MS;
    start_while (&pair, per_s[i], offer_from_prefix);
    first = (guint) ((pair.first_data_ns - START_NS) / MS);
    fail_unless (
        pair.first_data_ns > 0 && first <= 60 + 40 + 4 * 15, "%u a second: %u ms", per_s[i], first);
    assert_established (&pair);
    pair_clear (&pair);
  }
}
GST_END_TEST;

static Suite *
keysnetwork_suite (void)
{
  Suite *suite = suite_create ("keysnetwork");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  make_ends ();
  atexit (free_rsa_keys);
  tcase_add_loop_test (tcase, messages_of_one_host_with_many_addresses, 0, BY_RSA + 1);
  tcase_add_test (tcase, one_host_with_many_addresses_delays_a_start_by_one_round_trip);
  return suite;
}

GST_CHECK_MAIN (keysnetwork);
