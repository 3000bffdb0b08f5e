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
  guint64 asked_ns; /* the last time; 0: never */
} GstTfrcKeyUnits;

/** A receiver wants a key unit.
 * @return TRUE if the encoder is to be asked now; FALSE: it was a moment ago */
gboolean gst_tfrc_key_units_take (GstTfrcKeyUnits *self, guint64 now_ns);

G_END_DECLS
#endif
