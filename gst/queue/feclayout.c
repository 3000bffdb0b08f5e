/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How packets are protected by forward error correction, see feclayout.h. */
#include "feclayout.h"

#include <string.h>

/* ---- layouts and their text ------------------------------------------------------ */

static gboolean
is_in (guint value, guint least, guint most)
{
  return value >= least && value <= most;
}

static gboolean
is_within_limits (const GstTfrcFecLayout *layout)
{
  guint least_columns = layout->by_rows ? GST_TFRC_FEC_MIN_COLUMNS_BY_BOTH : 1;

  if (!layout->by_columns)
    return is_in (layout->columns, 1, GST_TFRC_FEC_MAX_COLUMNS);
  return is_in (layout->columns, least_columns, GST_TFRC_FEC_MAX_COLUMNS)
      && is_in (layout->rows, GST_TFRC_FEC_MIN_ROWS, GST_TFRC_FEC_MAX_ROWS)
      && layout->columns * layout->rows <= GST_TFRC_FEC_MAX_PACKETS;
}

/* Moves the text behind the number. What is beyond all limits need not be told apart from no number. */
static gboolean
take_number (const gchar **text, guint *number)
{
  *number = 0;
  if (**text == '0')
    return FALSE;
  while (g_ascii_isdigit (**text)) {
    *number = 10 * *number + (guint) (**text - '0');
    if (*number > GST_TFRC_FEC_MAX_PACKETS)
      return FALSE;
    (*text)++;
  }
  return *number > 0;
}

static gboolean
take (const gchar **text, const gchar *word)
{
  if (!g_str_has_prefix (*text, word))
    return FALSE;
  *text += strlen (word);
  return TRUE;
}

gboolean
gst_tfrc_fec_layout_parse (const gchar *text, GstTfrcFecLayout *layout)
{
  GstTfrcFecLayout read = { 0, 1, TRUE, FALSE };

  if (strcmp (text, "none") == 0) {
    *layout = (GstTfrcFecLayout){ 0, 0, FALSE, FALSE };
    return TRUE;
  }
  if (!take_number (&text, &read.columns))
    return FALSE;
  if (take (&text, ",")) {
    if (!take_number (&text, &read.rows))
      return FALSE;
    read.by_columns = TRUE;
    read.by_rows = !take (&text, ",columns");
  }
  if (*text != '\0' || !is_within_limits (&read))
    return FALSE;
  *layout = read;
  return TRUE;
}

gchar *
gst_tfrc_fec_layout_to_string (const GstTfrcFecLayout *layout)
{
  if (!gst_tfrc_fec_layout_is_on (layout))
    return g_strdup ("none");
  if (!layout->by_columns)
    return g_strdup_printf ("%u", layout->columns);
  return g_strdup_printf (
      "%u,%u%s", layout->columns, layout->rows, layout->by_rows ? "" : ",columns");
}

gboolean
gst_tfrc_fec_layout_equal (const GstTfrcFecLayout *a, const GstTfrcFecLayout *b)
{
  return a->columns == b->columns && a->rows == b->rows && !a->by_rows == !b->by_rows
      && !a->by_columns == !b->by_columns;
}

gboolean
gst_tfrc_fec_layout_is_on (const GstTfrcFecLayout *layout)
{
  return layout->by_rows || layout->by_columns;
}

gdouble
gst_tfrc_fec_layout_overhead (const GstTfrcFecLayout *layout)
{
  return (layout->by_rows ? 1.0 / layout->columns : 0)
      + (layout->by_columns ? 1.0 / layout->rows : 0);
}

guint
gst_tfrc_fec_layout_span_packets (const GstTfrcFecLayout *layout)
{
  if (!layout->by_columns)
    return layout->by_rows ? layout->columns : 0;
  return layout->columns * (layout->rows + (layout->by_rows ? 1 : 0));
}

/* ---- the path --------------------------------------------------------------------- */

/* The distance of any two packets that are looked at together is less: a matrix and the FEC packets of its rows */
#define LAGS (GST_TFRC_FEC_MAX_PACKETS + GST_TFRC_FEC_MAX_ROWS + 1)

/* Gilbert's path: as the distance of two packets grows, what one tells of the other fades with a power of how much
 * a packet tells of the next. */
typedef struct
{
  gdouble loss;
  gdouble again[LAGS]; /* a packet is lost if the one so many before was */
  gdouble anew[LAGS];  /* a packet is lost if that one was not */
} Path;

static void
init_path (Path *path, gdouble loss, gdouble mean_burst)
{
  gdouble memory = 0, faded = 1;

  if (mean_burst * (1 - loss) > 1)
    memory = 1 - 1 / (mean_burst * (1 - loss));
  path->loss = loss;
  for (guint lag = 0; lag < LAGS; lag++) {
    path->again[lag] = loss + (1 - loss) * faded;
    path->anew[lag] = loss * (1 - faded);
    faded *= memory;
  }
}

/* ---- rows alone and columns alone ---------------------------------------------------- */

#define LONGEST_GROUP MAX (GST_TFRC_FEC_MAX_COLUMNS, GST_TFRC_FEC_MAX_ROWS)

/* Packets of which the FEC packet that comes after them is the XOR */
typedef struct
{
  guint n;                   /* packets of the movie */
  guint lags[LONGEST_GROUP]; /* of each to the one after it */
} Group;

/* Probabilities that the newest packet of a group is there, or lost */
typedef struct
{
  gdouble there, lost;
} Newest;

static Newest
advance (const Path *path, Newest newest, guint lag)
{
  gdouble lost = newest.there * path->anew[lag] + newest.lost * path->again[lag];

  return (Newest){ newest.there + newest.lost - lost, lost };
}

/* Which fraction of the packets does the group bring back? Those that are lost alone of their group and its FEC
 * packet: the chain of states is followed for groups of which nothing is lost yet and for those of which one is. */
static gdouble
rebuilt_of_group (const Path *path, const Group *group)
{
  Newest none = { 1 - path->loss, path->loss }, one = { 0, 0 };

  for (guint i = 0; i < group->n; i++) {
    one.lost = none.lost;
    none.lost = 0;
    none = advance (path, none, group->lags[i]);
    one = advance (path, one, group->lags[i]);
  }
  return one.there / group->n;
}

/* In the first row of a matrix the FEC packets of the columns before stand between its packets. */
static gdouble
left_of_rows (const Path *path, const GstTfrcFecLayout *layout)
{
  Group row = { layout->columns, { 0 } };
  gdouble rebuilt;

  for (guint i = 0; i < row.n; i++)
    row.lags[i] = 1;
  rebuilt = layout->rows * rebuilt_of_group (path, &row);
  if (layout->by_columns) {
    rebuilt -= rebuilt_of_group (path, &row);
    for (guint i = 0; i < row.n; i++)
      row.lags[i] = 2;
    rebuilt += rebuilt_of_group (path, &row);
  }
  return MAX (path->loss - rebuilt / layout->rows, 0);
}

/* Packets that leave with a row which no FEC packet of a column stands in */
static guint
row_packets (const GstTfrcFecLayout *layout)
{
  return layout->columns + (layout->by_rows ? 1 : 0);
}

static gdouble
left_of_columns (const Path *path, const GstTfrcFecLayout *layout)
{
  guint row = row_packets (layout);
  gdouble rebuilt = 0;

  for (guint i = 0; i < layout->columns; i++) {
    Group column = { layout->rows, { 0 } };

    column.lags[0] = row + layout->columns - i;
    for (guint k = 1; k < column.n - 1; k++)
      column.lags[k] = row;
    column.lags[column.n - 1] = row + i + 1;
    rebuilt += rebuilt_of_group (path, &column);
  }
  return MAX (path->loss - rebuilt / layout->columns, 0);
}

/* ---- rows and columns ------------------------------------------------------------------- */

/* Rows and columns rebuild packets for each other, until no packet is missing or each that is shares its row and its
 * column with another that is missing, too. The smallest such sets are four packets, the corners of a square: of the
 * movie's four, or two and two FEC packets, or one with both its FEC packets, which have no fourth.
 *
 * How many packets such squares are expected to have overestimates what is missing after long bursts, which are many
 * squares that overlap. Rows and columns that do not help each other, but fail independently, overestimate it
 * after single losses. The lesser of both is taken. In simulations of 4e6 packets of each of 7 layouts, with losses
 * of 0.1 to 10 %, it was so many times what stayed missing, where that was 100 packets or more:
 *
 *     losses are independent  0.67 to 1.04
 *     mean burst 1.5 or 2     0.71 to 2.5
 *     mean burst 5 or 10      0.72 to 1.10 */

/* Are the first two and the last two, at their distances, lost, which begin so far from each other? */
static gdouble
lost_square (const Path *path, guint first, guint apart, guint last)
{
  return path->loss * path->again[first] * path->again[apart - first] * path->again[last];
}

static gdouble
in_squares (const Path *path, const GstTfrcFecLayout *layout)
{
  guint n_columns = layout->columns, n_rows = layout->rows, row = row_packets (layout);
  gdouble n = 0;

  for (guint width = 1; width <= n_columns; width++) {
    guint pairs = n_columns - width;

    for (guint height = 1; height <= n_rows; height++) {
      guint apart = height * row;

      /* Four of the movie; two of a column and the FEC packets of their rows */
      n += (4.0 * pairs + 2) * (n_rows - height) * lost_square (path, width, apart, width);
      /* Two of a row and the FEC packets of their columns, of which another's is between them */
      n += 2.0 * pairs * lost_square (path, width, apart, 2 * width);
      /* One and both its FEC packets */
      n += path->loss * path->again[width] * path->again[apart - width];
    }
  }
  return n / (n_columns * n_rows);
}

static gdouble
left_of_both (const Path *path, const GstTfrcFecLayout *layout)
{
  gdouble independent = left_of_rows (path, layout) * left_of_columns (path, layout) / path->loss;

  return MIN (independent, in_squares (path, layout));
}

/* ---- what is left missing ------------------------------------------------------------------ */

static gdouble
left_missing (const Path *path, const GstTfrcFecLayout *layout)
{
  if (layout->by_rows && layout->by_columns)
    return left_of_both (path, layout);
  if (layout->by_columns)
    return left_of_columns (path, layout);
  return layout->by_rows ? left_of_rows (path, layout) : path->loss;
}

gdouble
gst_tfrc_fec_layout_residual (const GstTfrcFecLayout *layout, gdouble loss, gdouble mean_burst)
{
  Path path;

  if (loss <= 0 || loss >= 1)
    return loss;
  init_path (&path, loss, mean_burst);
  return left_missing (&path, layout);
}

/* ---- the choice ------------------------------------------------------------------------------- */

/* Less by a tenth or more: where many layouts leave nearly the same missing, the one with the least overhead and the
 * shortest span is as good. */
#define NOTABLY_LESS 0.9

/* What helps less than that is not worth its packets. */
#define LEAST_HELP 0.5

typedef struct
{
  const GstTfrcFecPath *limits;
  Path path;
  GstTfrcFecLayout best;
  gdouble overhead, residual; /* of the best */
} Search;

static gboolean
is_affordable (const Search *search, const GstTfrcFecLayout *layout)
{
  gdouble overhead = gst_tfrc_fec_layout_overhead (layout);

  return is_within_limits (layout) && overhead <= search->limits->max_overhead
      && gst_tfrc_fec_layout_span_packets (layout) <= search->limits->max_span_packets
      && (search->residual > GST_TFRC_FEC_GOAL || overhead <= search->overhead);
}

static gboolean
is_better (const Search *search, gdouble overhead, gdouble residual)
{
  gboolean is_enough = search->residual <= GST_TFRC_FEC_GOAL;

  if (residual <= GST_TFRC_FEC_GOAL && (!is_enough || overhead < search->overhead))
    return TRUE;
  return residual < NOTABLY_LESS * search->residual;
}

static void
consider (Search *search, GstTfrcFecLayout layout)
{
  gdouble overhead, residual;

  if (!is_affordable (search, &layout))
    return;
  overhead = gst_tfrc_fec_layout_overhead (&layout);
  residual = left_missing (&search->path, &layout);
  if (!is_better (search, overhead, residual))
    return;
  search->best = layout;
  search->overhead = overhead;
  search->residual = residual;
}

/* Those of one overhead, by their span */
static void
consider_groups_of (Search *search, guint n)
{
  consider (search, (GstTfrcFecLayout){ n, 1, TRUE, FALSE });
  for (guint columns = 1; columns <= GST_TFRC_FEC_MAX_COLUMNS; columns++)
    consider (search, (GstTfrcFecLayout){ columns, n, FALSE, TRUE });
}

/* Takes 0.1 ms at most: 100 candidates, and 20 rows and columns each. */
void
gst_tfrc_fec_layout_choose (const GstTfrcFecPath *path, GstTfrcFecLayout *layout)
{
  Search search = { .limits = path, .residual = path->loss };

  *layout = search.best;
  if (!(path->loss > GST_TFRC_FEC_GOAL && path->loss < 1))
    return;
  init_path (&search.path, path->loss, path->mean_burst);
  for (guint n = GST_TFRC_FEC_MAX_ROWS; n >= 2; n -= 2)
    consider_groups_of (&search, n);
  for (guint columns = GST_TFRC_FEC_MAX_COLUMNS; columns >= 2; columns -= 2)
    for (guint rows = GST_TFRC_FEC_MAX_ROWS; rows >= 2; rows -= 2)
      consider (&search, (GstTfrcFecLayout){ columns, rows, TRUE, TRUE });
  if (search.residual <= GST_TFRC_FEC_GOAL || search.residual <= LEAST_HELP * path->loss)
    *layout = search.best;
}
