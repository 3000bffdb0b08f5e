/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Doubts about keys: do those of the ends not fit?  Any host can forge a message that looks as if
 * they did not, so that a single one means nothing.  Two of them, and nothing better for two
 * seconds, mean that no keys can be agreed on.
 *
 * No clock, no locks. */
#ifndef GST_TFRC_DOUBTS_H
#define GST_TFRC_DOUBTS_H

#include "../common/log.h"

G_BEGIN_DECLS

#define GST_TFRC_DOUBTS_TIME_NS (2 * G_GUINT64_CONSTANT (1000000000))
#define GST_TFRC_DOUBTS_ENOUGH 2

/** A plain value, all zero at first and when something better has come */
typedef struct
{
  guint n;
  guint64 first_ns;
  const gchar *reason; /**< static, of the last one */
} GstTfrcDoubts;

static inline void
gst_tfrc_doubts_add (GstTfrcDoubts *self, const gchar *reason, guint64 now_ns)
{
  if (self->n++ == 0) {
    self->first_ns = now_ns;
    gst_tfrc_log (keys, DEBUG, "the keys of the ends may not fit: %s", reason);
  }
  self->reason = reason;
}

/** Returns when the doubts become certain; G_MAXUINT64: there are too few. */
static inline guint64
gst_tfrc_doubts_end_ns (const GstTfrcDoubts *self)
{
  return self->n >= GST_TFRC_DOUBTS_ENOUGH ? self->first_ns + GST_TFRC_DOUBTS_TIME_NS : G_MAXUINT64;
}

G_END_DECLS
#endif
