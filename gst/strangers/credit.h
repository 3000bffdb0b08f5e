/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Credit: what a host that has not proved its address may still be sent, which is no more bytes and packets
 * than have come from there (anti-amplification limit, RFC 9000 section 8.1).
 *
 * No clock, no locks. */
#ifndef GST_TFRC_CREDIT_H
#define GST_TFRC_CREDIT_H

#include <glib.h>
#include <tfrc/path.h>

G_BEGIN_DECLS

/** A plain value; all zero: none. Others read the fields, credit.c alone changes them. */
typedef struct
{
  guint64 bytes;
  guint packets;
} GstTfrcCredit;

/** Begins with what the challenges of a path have left. */
void gst_tfrc_credit_init (GstTfrcCredit *self, const TfrcPath *path);

/** Gives credit for one packet of this size that has come. */
void gst_tfrc_credit_add (GstTfrcCredit *self, gsize bytes);

/** Returns whether this number of packets, of so many bytes together, may leave. */
gboolean gst_tfrc_credit_allows (const GstTfrcCredit *self, guint packets, gsize bytes);

/** Takes the credit of one packet of this size.
 * @return FALSE: there is not enough, and nothing has changed */
gboolean gst_tfrc_credit_take (GstTfrcCredit *self, gsize bytes);

/** Returns the invariant that does not hold, as text; NULL: all hold.  For tests and gdb. */
const gchar *gst_tfrc_credit_check (const GstTfrcCredit *self);

G_END_DECLS
#endif
