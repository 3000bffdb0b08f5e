/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What forward error correction by XOR leaves missing, and what a Reed-Solomon code would, on Gilbert's path:
 *
 *   bench-fec [PACKETS]
 *
 * The span is how many packets of the movie leave while one can wait in the player. At 640 kbit/s, which is 61
 * packets of 1316 bytes a second, spans of 10, 20, 50 and 100 packets are delays of 0.16, 0.33, 0.82 and 1.6 s, and at
 * 4 Mbit/s, 380 packets a second, of 26, 53, 132 and 263 ms.
 *
 * XOR is the layout that gst_tfrc_fec_layout_choose() takes. No packet is rebuilt after its deadline, since all FEC
 * packets that may help have left within the span.
 *
 * A Reed-Solomon code is k packets of the movie and m that repair them, which leave right after; all are within the
 * span. If more than m of them are lost, those of the movie are missing. One has no more overhead than XOR, and of
 * these leaves least missing; the other has the least overhead, up to 25 %, that leaves 1e-4 missing, or if none does
 * leaves least. */
#include <stdlib.h>

#include "../check/libs/fecpath.h"
#include "cost.h"

#define MAX_SPAN 100

typedef struct
{
  gdouble loss, mean_burst;
  guint span;
} Case;

typedef struct
{
  guint k, m;
} Code;

/* ---- Reed-Solomon --------------------------------------------------------------------- */

/* Of the blocks that have lost so few packets, by the state of the path: their probability, and the sum over these of
 * packets of the movie that were lost. Others fail. */
typedef struct
{
  gdouble blocks[2][MAX_SPAN + 1], lost[2][MAX_SPAN + 1];
} Blocks;

static void
step (Blocks *blocks, const GilbertPath *path, guint most_lost, gboolean is_repair)
{
  Blocks next = { 0 };

  for (guint was = 0; was < 2; was++)
    for (guint n = 0; n <= most_lost; n++)
      for (guint is = 0; is < 2 && n + is <= most_lost; is++) {
        gdouble in_burst = was ? path->goes_on : path->begins, p = is ? in_burst : 1 - in_burst;
        gdouble counts = is && !is_repair ? blocks->blocks[was][n] : 0;

        next.blocks[is][n + is] += p * blocks->blocks[was][n];
        next.lost[is][n + is] += p * (blocks->lost[was][n] + counts);
      }
  *blocks = next;
}

/* Exact */
static gdouble
left_by_code (Case c, Code code)
{
  GilbertPath path;
  Blocks blocks = { 0 };
  gdouble rebuilt = 0;

  gilbert_path_init (&path, c.loss, c.mean_burst, 0);
  blocks.blocks[0][0] = 1 - c.loss;
  blocks.blocks[1][0] = c.loss;
  for (guint i = 0; i < code.k + code.m; i++)
    step (&blocks, &path, code.m, i >= code.k);
  gilbert_path_clear (&path);
  for (guint n = 0; n <= code.m; n++)
    rebuilt += blocks.lost[0][n] + blocks.lost[1][n];
  return c.loss - rebuilt / code.k;
}

static gdouble
simulate_code (Case c, Code code, guint n_packets)
{
  GilbertPath path;
  guint64 n_missing = 0, n = 0;

  gilbert_path_init (&path, c.loss, c.mean_burst, 1);
  for (; n < n_packets; n += code.k) {
    guint lost = 0, lost_repairs = 0;

    for (guint i = 0; i < code.k; i++)
      lost += gilbert_path_loses (&path);
    for (guint i = 0; i < code.m; i++)
      lost_repairs += gilbert_path_loses (&path);
    if (lost + lost_repairs > code.m)
      n_missing += lost;
  }
  gilbert_path_clear (&path);
  return (gdouble) n_missing / n;
}

static gdouble
overhead_of (Code code)
{
  return (gdouble) code.m / code.k;
}

/* The code with the least overhead of those that reach the goal, or else that which leaves least; k is 0 if there is
 * none. */
static Code
search_code (Case c, gdouble max_overhead, gdouble goal)
{
  Code best = { 0, 0 };
  gdouble best_left = G_MAXDOUBLE;

  for (guint k = 1; k < c.span; k++)
    for (guint m = 1; k + m <= c.span && m <= max_overhead * k + 1e-9; m++) {
      Code code = { k, m };
      gdouble left;

      if (best_left <= goal && overhead_of (code) >= overhead_of (best))
        continue;
      left = left_by_code (c, code);
      if (left <= goal || left < best_left) {
        best = code;
        best_left = left;
      }
    }
  return best;
}

/* ---- the table -------------------------------------------------------------------------- */

static void
print_code (Case c, Code code, guint n_packets)
{
  if (code.k == 0)
    printf (" - | - | %.1e |", c.loss);
  else
    printf (" %u + %u | %.1f | %.1e |", code.k, code.m, 100 * overhead_of (code),
        simulate_code (c, code, n_packets));
}

static void
run (Case c, guint n_packets)
{
  GstTfrcFecPath path = { c.loss, c.mean_burst, c.span, GST_TFRC_FEC_MAX_OVERHEAD };
  GstTfrcFecLayout layout;
  gdouble left = c.loss, overhead;
  gchar *text;

  gst_tfrc_fec_layout_choose (&path, &layout);
  text = gst_tfrc_fec_layout_to_string (&layout);
  overhead = gst_tfrc_fec_layout_overhead (&layout);
  REQUIRE (gst_tfrc_fec_layout_span_packets (&layout) <= c.span);
  if (gst_tfrc_fec_layout_is_on (&layout))
    left = fec_simulate (&layout, c.loss, c.mean_burst, n_packets, 1);
  printf ("| %g | %g | %u | %s | %.1f | %.1e | %.1e |", 100 * c.loss, c.mean_burst, c.span, text,
      100 * overhead, left, gst_tfrc_fec_layout_residual (&layout, c.loss, c.mean_burst));
  print_code (c, search_code (c, overhead, 0), n_packets);
  print_code (c, search_code (c, GST_TFRC_FEC_MAX_OVERHEAD, GST_TFRC_FEC_GOAL), n_packets);
  printf ("\n");
  fflush (stdout);
  g_free (text);
}

/* Of a choice for which no layout is good enough, so that all are looked at */
static void
print_cost (void)
{
  GstTfrcFecPath path = { 0.05, 5, MAX_SPAN, GST_TFRC_FEC_MAX_OVERHEAD };
  double costs[ROUNDS];
  GstTfrcFecLayout layout;

  for (guint i = 0; i < ROUNDS; i++) {
    double begin_ns = now_ns ();

    gst_tfrc_fec_layout_choose (&path, &layout);
    costs[i] = now_ns () - begin_ns;
  }
  printf ("\nA choice takes %.0f us.\n", median (costs, ROUNDS) / 1e3);
}

int
main (int argc, char **argv)
{
  static const gdouble losses[] = { 0.001, 0.005, 0.01, 0.02, 0.05 };
  static const gdouble bursts[] = { 1, 5 };
  static const guint spans[] = { 10, 20, 50, MAX_SPAN };
  guint n_packets = argc > 1 ? (guint) atoi (argv[1]) : 1000000;

  printf (
      "| loss, %% | mean burst | span | XOR | overhead, %% | residual | estimate "
      "| RS of this overhead | overhead, %% | residual | RS for 1e-4 | overhead, %% | residual |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (guint b = 0; b < G_N_ELEMENTS (bursts); b++)
    for (guint i = 0; i < G_N_ELEMENTS (losses); i++)
      for (guint s = 0; s < G_N_ELEMENTS (spans); s++)
        run ((Case){ losses[i], bursts[b], spans[s] }, n_packets);
  print_cost ();
  return 0;
}
