/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How often an encoder is asked for a key unit, because receivers have lost pictures: any receiver can ask as often as
 * it likes, and a key unit takes many times the bytes of another picture.
 *
 * No lock and no clock. */
#ifndef GST_TFRC_KEYUNITS_H
#define GST_TFRC_KEYUNITS_H

#include <glib.h>

G_BEGIN_DECLS

/** The encoder is asked at most this often. A receiver of this project asks once a second at most
 * (GST_TFRC_PICTURE_LOSS_INTERVAL_NS), and its request may come earlier after the one before than it has left; so
 * that none is left out, this is half of that. A receiver that lies gets two key units a second, which every other
 * receiver of the same encoder gets as well: the pictures between them are coarser, or the rate is higher. */
#define GST_TFRC_KEY_UNITS_INTERVAL_NS G_GUINT64_CONSTANT (500000000)

/** For keyunits.c alone; all zero has asked for none. */
typedef struct
{
  guint64 asked_ns;   /* the last time; 0: never */
  gboolean is_wanted; /* by gst_tfrc_key_units_want(); the encoder has not been asked yet */
} GstTfrcKeyUnits;

/** A receiver wants a key unit.
 * @return TRUE if the encoder is to be asked now; FALSE: it was a moment ago */
gboolean gst_tfrc_key_units_take (GstTfrcKeyUnits *self, guint64 now_ns);

/** One of several receivers of an encoder wants a key unit, and asks once for what it has lost. If the encoder was asked
 * a moment ago, for another receiver, it is asked again later. What was lost before that key unit can have come, which
 * takes R, is mended by it, and wants no other.
 * @param rtt_ns R of this receiver; 0: unknown */
void gst_tfrc_key_units_want (GstTfrcKeyUnits *self, guint64 rtt_ns, guint64 now_ns);

/** Returns when the encoder is to be asked for what is wanted; G_MAXUINT64: nothing is. */
guint64 gst_tfrc_key_units_next_ns (const GstTfrcKeyUnits *self);

/** Returns TRUE if the encoder is to be asked now for what is wanted. */
gboolean gst_tfrc_key_units_take_wanted (GstTfrcKeyUnits *self, guint64 now_ns);

G_END_DECLS
#endif
