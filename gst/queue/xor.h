/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The XOR of payloads, of which forward error correction consists. */
#ifndef GST_TFRC_XOR_H
#define GST_TFRC_XOR_H

#include <string.h>

#include <glib.h>

G_BEGIN_DECLS

/** Adds @a bytes bytes to those of @a sum. Word by word, which the compiler makes vectors of. */
static inline void
gst_tfrc_xor (guint8 *sum, const guint8 *added, gsize bytes)
{
  guint64 a, b;

  for (; bytes >= sizeof a; bytes -= sizeof a, sum += sizeof a, added += sizeof a) {
    memcpy (&a, sum, sizeof a);
    memcpy (&b, added, sizeof b);
    a ^= b;
    memcpy (sum, &a, sizeof a);
  }
  for (; bytes > 0; bytes--)
    *sum++ ^= *added++;
}

G_END_DECLS
#endif
