/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How packets of the movie are protected against loss by packets of forward error correction, after
 * SMPTE ST 2022-1, and which protection suits a path.
 *
 * A path is taken for Gilbert's: whether a packet is lost depends on whether the one before was. FEC packets
 * leave among the others:
 *
 *     of a row     as soon as its last packet has left;
 *     of column i  after packet i of the first row of the next matrix, as if the column had one row more. It
 *                  must not leave right after the last packet of its column, since one burst would take both:
 *                  with a loss of 1 % in bursts of 5, and 4 rows, this alone leaves 2e-3 missing.
 *
 * Pure mathematics: no lock, no clock, no state. */
#ifndef GST_TFRC_FECLAYOUT_H
#define GST_TFRC_FECLAYOUT_H

#include <glib.h>

G_BEGIN_DECLS

/** Limits of ST 2022-1. A row that is protected together with columns has 4 packets or more; rows alone, which
 * ST 2022-1 does not have but its decoders understand, have any number up to the longest. */
#define GST_TFRC_FEC_MAX_COLUMNS 20
#define GST_TFRC_FEC_MIN_COLUMNS_BY_BOTH 4
#define GST_TFRC_FEC_MIN_ROWS 4
#define GST_TFRC_FEC_MAX_ROWS 20
#define GST_TFRC_FEC_MAX_PACKETS 100

/** The fraction of the movie's packets that may stay missing */
#define GST_TFRC_FEC_GOAL 1e-4

/** FEC packets per packet of the movie that a choice may cost, unless the caller has a reason for others */
#define GST_TFRC_FEC_MAX_OVERHEAD 0.25

/** How packets are protected: a matrix of `columns` (L) packets a row and `rows` (D), filled row by row. All
 * zero: not at all. Without columns that are protected there is one row. */
typedef struct
{
  guint columns, rows;
  gboolean by_rows;    /**< a FEC packet for each row: the XOR of its L packets */
  gboolean by_columns; /**< a FEC packet for each column: the XOR of its D packets */
} GstTfrcFecLayout;

/** What a choice depends on */
typedef struct
{
  gdouble loss;           /**< fraction of packets that the path loses, 0 to 1 */
  gdouble mean_burst;     /**< lost in a row, mean; up to 1 / (1 - loss): independently */
  guint max_span_packets; /**< packets of the movie that leave while one of them can wait */
  gdouble max_overhead;   /**< FEC packets per packet of the movie */
} GstTfrcFecPath;

/** Reads a layout: "none"; "L": rows of L packets alone; "L,D": rows and columns; "L,D,columns": columns alone
 * (ST 2022-1 calls this level A, and rows and columns level B).
 * @param text numbers are decimal, without sign, space or leading zero
 * @param layout stays as it is if the text is refused
 * @return FALSE: no layout, or beyond the limits */
gboolean gst_tfrc_fec_layout_parse (const gchar *text, GstTfrcFecLayout *layout);

/** Returns the text that gst_tfrc_fec_layout_parse() reads as this layout, to be freed with g_free(). */
gchar *gst_tfrc_fec_layout_to_string (const GstTfrcFecLayout *layout);

gboolean gst_tfrc_fec_layout_equal (const GstTfrcFecLayout *a, const GstTfrcFecLayout *b);

gboolean gst_tfrc_fec_layout_is_on (const GstTfrcFecLayout *layout);

/** Returns the FEC packets per packet of the movie, 0 to 1. */
gdouble gst_tfrc_fec_layout_overhead (const GstTfrcFecLayout *layout);

/** Returns within how many packets of the movie, counted from a lost one, all FEC packets have left that may help
 * to rebuild it: L of rows alone, L * D of columns alone, and L * (D + 1) of both, as a packet of the first row may
 * need another of that row, which its column rebuilds; 0 without FEC. */
guint gst_tfrc_fec_layout_span_packets (const GstTfrcFecLayout *layout);

/** Returns the fraction of the movie's packets that is expected to stay missing, 0 to @a loss. It is exact for
 * rows alone and for columns alone. Of rows and columns, which help each other, it is an estimate; feclayout.c
 * says how good.
 * @param layout within the limits
 * @param loss 0 to 1, of the path
 * @param mean_burst see GstTfrcFecPath */
gdouble gst_tfrc_fec_layout_residual (
    const GstTfrcFecLayout *layout, gdouble loss, gdouble mean_burst);

/** Chooses the layout with the least overhead that leaves GST_TFRC_FEC_GOAL missing or less, or, where the span
 * and the overhead allow none, the one that leaves least, if that is half of what is lost or less. No FEC if the
 * path loses no more than the goal, and if nothing helps.
 *
 * Groups are of an even number of packets: GStreamer's rtpst2022-1-fecdec rebuilds packets of others wrongly, as
 * all our packets and FEC packets have a header extension, and it does not reckon with the bit X of the latter.
 *
 * The choice for a slightly other path may be another layout: what to make of that is up to the caller. */
void gst_tfrc_fec_layout_choose (const GstTfrcFecPath *path, GstTfrcFecLayout *layout);

G_END_DECLS
#endif
