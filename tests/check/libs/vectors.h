/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the reference numbers. These are CSV files in tests/vectors, where their format is
 * described. The directory is the environment variable TFRC_VECTORS_DIR, or else the directory that
 * was known when the test was compiled. */
#ifndef TFRC_TESTS_VECTORS_H
#define TFRC_TESTS_VECTORS_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <gst/check/gstcheck.h>

#define VECTORS_MAX_CELLS 16

typedef struct
{
  FILE *file;
  gchar line[2048];
  gchar *cells[VECTORS_MAX_CELLS]; /* cells of the current row */
  guint n_cells;
  guint rows; /* rows read so far */
} Vectors;

/* Opens a file. Its first line has to be @columns. */
static inline void
vectors_open (Vectors *vectors, const gchar *name, const gchar *columns)
{
  const gchar *directory = g_getenv ("TFRC_VECTORS_DIR");
  gchar *path;

#ifdef TFRC_VECTORS_DIR
  if (directory == NULL)
    directory = TFRC_VECTORS_DIR;
#endif
  fail_if (directory == NULL, "TFRC_VECTORS_DIR is not set");
  path = g_build_filename (directory, name, NULL);
  memset (vectors, 0, sizeof *vectors);
  vectors->file = fopen (path, "r");
  fail_if (vectors->file == NULL, "cannot open %s", path);
  g_free (path);

  fail_if (fgets (vectors->line, sizeof vectors->line, vectors->file) == NULL);
  fail_unless_equals_string (g_strchomp (vectors->line), columns);
  for (vectors->n_cells = 1; *columns != '\0'; columns++)
    vectors->n_cells += *columns == ',';
  fail_unless (vectors->n_cells <= VECTORS_MAX_CELLS);
}

/* Reads a row. At the end closes the file and returns FALSE. */
static inline gboolean
vectors_next (Vectors *vectors)
{
  gchar *cell = vectors->line;
  guint n = 0;

  if (fgets (vectors->line, sizeof vectors->line, vectors->file) == NULL) {
    fclose (vectors->file);
    fail_unless (vectors->rows > 0);
    return FALSE;
  }
  g_strchomp (vectors->line);
  while (cell != NULL && n < vectors->n_cells) {
    vectors->cells[n++] = cell;
    cell = strchr (cell, ',');
    if (cell != NULL)
      *cell++ = '\0';
  }
  fail_unless (n == vectors->n_cells && cell == NULL);
  vectors->rows++;
  return TRUE;
}

static inline gdouble
vectors_number (const Vectors *vectors, guint column)
{
  gchar *end;
  gdouble number = g_ascii_strtod (vectors->cells[column], &end);

  fail_unless (end != vectors->cells[column] && *end == '\0');
  return number;
}

/* Reads a cell of hexadecimal digits.
 * @return bytes */
static inline gsize
vectors_bytes (const Vectors *vectors, guint column, guint8 *bytes, gsize room)
{
  const gchar *cell = vectors->cells[column];
  gsize size = strlen (cell) / 2;

  fail_unless (size <= room && strlen (cell) % 2 == 0);
  for (gsize i = 0; i < size; i++) {
    gint high = g_ascii_xdigit_value (cell[2 * i]);
    gint low = g_ascii_xdigit_value (cell[2 * i + 1]);

    fail_unless (high >= 0 && low >= 0);
    bytes[i] = (guint8) (high << 4 | low);
  }
  return size;
}

/* Fails unless the value differs from that in the row by at most the relative @tolerance. */
static inline void
vectors_assert (const Vectors *vectors, guint column, gdouble value, gdouble tolerance)
{
  gdouble expected = vectors_number (vectors, column);

  if (value != expected && !(fabs (value - expected) <= tolerance * fabs (expected)))
    fail ("row %u: %.17g, not %.17g", vectors->rows, value, expected);
}

#endif
