/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How often other hosts may make this end do something: each host by itself, and all together.
 *
 * The buckets of hosts are found by a keyed hash of the address (cookies.h), of IPv6 of its first 64 bits, as a host
 * can choose the rest. Two hosts share a bucket with a probability of 1 in GST_TFRC_HOST_BUCKETS. So an attacker with
 * one address, or one prefix, holds up at most one in 64 of the other hosts, and cannot choose which.
 *
 * No clock, no locks. */
#ifndef GST_TFRC_HOSTLIMITS_H
#define GST_TFRC_HOSTLIMITS_H

#include "../common/tokenbucket.h"
#include "cookies.h"

G_BEGIN_DECLS

/** Buckets of hosts: a flood from one address leaves 63 in 64 of the others theirs, for 1.5 kB */
#define GST_TFRC_HOST_BUCKETS 64

/** A limit; both 0: none */
typedef struct
{
  guint per_s, burst;
} GstTfrcRate;

typedef struct
{
  GstTfrcRate all;
  GstTfrcRate host; /**< none: hosts are not told apart */
} GstTfrcHostRates;

/** For hostlimits.c alone */
typedef struct
{
  GstTfrcTokenBucket all;
  GstTfrcTokenBucket *hosts; /* GST_TFRC_HOST_BUCKETS; NULL: no limit of their own */
  GstTfrcCookies key;        /* of the hash */
} GstTfrcHostLimits;

/** Fills all buckets. To be cleared with gst_tfrc_host_limits_clear().
 * @param key of the hash; copied. NULL is allowed without a limit of each host */
void gst_tfrc_host_limits_init (
    GstTfrcHostLimits *self, const GstTfrcHostRates *rates, const GstTfrcCookies *key);

void gst_tfrc_host_limits_clear (GstTfrcHostLimits *self);

/** Returns the number of a host's bucket, for the next two functions; its port does not matter. Costs
 * a hash if each host has a limit of its own. */
guint gst_tfrc_host_limits_find (const GstTfrcHostLimits *self, const GstTfrcAddress *host);

/** Returns the time from which there is a token of all hosts; it may lie in the past. */
guint64 gst_tfrc_host_limits_all_next_ns (const GstTfrcHostLimits *self);

/** Returns the time from which there is a token both of this host and of all; it may lie in the
 * past. */
guint64 gst_tfrc_host_limits_next_ns (const GstTfrcHostLimits *self, guint host);

/** Takes a token of this host and one of all.
 * @return FALSE if one of them is missing: none was taken */
gboolean gst_tfrc_host_limits_take (GstTfrcHostLimits *self, guint host, guint64 now_ns);

G_END_DECLS
#endif
