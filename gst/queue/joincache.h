/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The packets of a movie since its last random access point, for a receiver that joins: with them its
 * decoder shows a picture at once instead of at the next random access point.
 *
 * Bounded by GST_TFRC_JOIN_CACHE_MAX_BYTES of payload: a group of pictures that is longer, or a movie in
 * which no random access point is found, leaves the cache empty until the next one. A packet is a
 * reference, so that the cache costs no copy.
 *
 * No lock and no clock. */
#ifndef GST_TFRC_JOINCACHE_H
#define GST_TFRC_JOINCACHE_H

#include "packet.h"

G_BEGIN_DECLS

/** 2 s of 16 Mbit/s: most groups of pictures. What a joining receiver gets at once is sent at the rate that
 * TFRC allows, so a larger cache would be late for most. */
#define GST_TFRC_JOIN_CACHE_MAX_BYTES (4 * 1024 * 1024)

/** For joincache.c alone; all zero: empty */
typedef struct
{
  GQueue packets; /* of the references, the oldest first */
  gsize bytes;
  guint32 group; /* that the cache has; 0: none */
  /* references: the newest packet, and the newest with a PAT and the one behind it; NULL: none */
  GstTfrcPacket *newest, *tables, *behind_tables;
} GstTfrcJoinCache;

/** Drops all. */
void gst_tfrc_join_cache_clear (GstTfrcJoinCache *self);

/** A packet of the movie, which stays the caller's, goes to the receivers that are there. */
void gst_tfrc_join_cache_add (GstTfrcJoinCache *self, GstTfrcPacket *packet);

/** Calls @a func for each packet, the oldest first. */
void gst_tfrc_join_cache_foreach (const GstTfrcJoinCache *self,
    void (*func) (gpointer user, GstTfrcPacket *packet), gpointer user);

/** Returns the group that the packets are of; 0: there are none. */
guint32 gst_tfrc_join_cache_get_group (const GstTfrcJoinCache *self);

/** Returns how many packets there are. */
guint gst_tfrc_join_cache_length (const GstTfrcJoinCache *self);

G_END_DECLS
#endif
