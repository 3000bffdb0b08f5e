/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A movie that is protected by forward error correction, on Gilbert's path, packet by packet: what stays missing,
 * see gst/queue/feclayout.h. */
#ifndef FECPATH_H
#define FECPATH_H

#include <string.h>

#include "gst/queue/feclayout.h"

typedef struct
{
  GRand *rand;
  gdouble begins, goes_on; /* probabilities of a burst */
  gboolean in_burst;
} GilbertPath;

static inline void
gilbert_path_init (GilbertPath *path, gdouble loss, gdouble mean_burst, guint seed)
{
  path->goes_on = MAX (1 - 1 / mean_burst, loss);
  path->begins = loss * (1 - path->goes_on) / (1 - loss);
  path->rand = g_rand_new_with_seed (seed);
  path->in_burst = g_rand_double (path->rand) < loss;
}

static inline void
gilbert_path_clear (GilbertPath *path)
{
  g_rand_free (path->rand);
}

static inline gboolean
gilbert_path_loses (GilbertPath *path)
{
  path->in_burst = g_rand_double (path->rand) < (path->in_burst ? path->goes_on : path->begins);
  return path->in_burst;
}

/* Which packets of a matrix are missing; the last of a row and of a column is the FEC packet. */
typedef struct
{
  gboolean missing[GST_TFRC_FEC_MAX_ROWS + 1][GST_TFRC_FEC_MAX_COLUMNS + 1];
} FecMatrix;

/* Rebuilds the packet that alone is missing of n and their FEC packet, each so many places after the one before. */
static inline gboolean
fec_rebuild_group (gboolean *first, guint n, guint step)
{
  gboolean *alone = NULL;

  for (guint i = 0; i <= n; i++) {
    if (!first[i * step])
      continue;
    if (alone || i == n)
      return FALSE;
    alone = &first[i * step];
  }
  if (!alone)
    return FALSE;
  *alone = FALSE;
  return TRUE;
}

/* Rows and columns in turn, until neither helps the other any more */
static inline void
fec_rebuild (const GstTfrcFecLayout *layout, FecMatrix *matrix)
{
  gboolean helped = TRUE;

  while (helped) {
    helped = FALSE;
    for (guint r = 0; layout->by_rows && r < layout->rows; r++)
      helped |= fec_rebuild_group (matrix->missing[r], layout->columns, 1);
    for (guint c = 0; layout->by_columns && c < layout->columns; c++)
      helped |= fec_rebuild_group (
          &matrix->missing[0][c], layout->rows, G_N_ELEMENTS (matrix->missing[0]));
  }
}

static inline guint
fec_count_missing (const GstTfrcFecLayout *layout, const FecMatrix *matrix)
{
  guint n = 0;

  for (guint r = 0; r < layout->rows; r++)
    for (guint c = 0; c < layout->columns; c++)
      n += matrix->missing[r][c];
  return n;
}

/* A matrix leaves, and with its first row the FEC packets of the columns of the one before, which is complete then. */
static inline void
fec_send (GilbertPath *path, const GstTfrcFecLayout *layout, FecMatrix *matrix, FecMatrix *before)
{
  for (guint r = 0; r < layout->rows; r++) {
    for (guint c = 0; c < layout->columns; c++) {
      matrix->missing[r][c] = gilbert_path_loses (path);
      if (layout->by_columns && r == 0)
        before->missing[layout->rows][c] = gilbert_path_loses (path);
    }
    if (layout->by_rows)
      matrix->missing[r][layout->columns] = gilbert_path_loses (path);
  }
}

/* Returns the fraction of the movie's packets, of at least so many, that stays missing when rows and columns have
 * helped each other. A packet that can be rebuilt is, within the layout's span. */
static inline gdouble
fec_simulate (
    const GstTfrcFecLayout *layout, gdouble loss, gdouble mean_burst, guint n_packets, guint seed)
{
  FecMatrix matrices[2];
  GilbertPath path;
  guint64 n = 0, n_missing = 0;

  memset (matrices, 0, sizeof matrices);
  gilbert_path_init (&path, loss, mean_burst, seed);
  for (guint i = 0; n < n_packets; i = !i) {
    fec_send (&path, layout, &matrices[i], &matrices[!i]);
    fec_rebuild (layout, &matrices[!i]);
    n_missing += fec_count_missing (layout, &matrices[!i]);
    n += layout->columns * layout->rows;
  }
  gilbert_path_clear (&path);
  return (gdouble) n_missing / n;
}

#endif
