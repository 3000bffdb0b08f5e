/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X_recv, see receive_rate.h. */
#include "receive_rate.h"

#include <string.h>

#include "units.h"

void
tfrc_receive_rate_init (TfrcReceiveRate *rate)
{
  memset (rate, 0, sizeof *rate);
}

void
tfrc_receive_rate_on_bytes (TfrcReceiveRate *rate, uint32_t bytes)
{
  rate->bytes += bytes;
}

void
tfrc_receive_rate_cancel (TfrcReceiveRate *rate, uint32_t bytes)
{
  rate->bytes -= bytes;
}

/* Returns the index of the mark whose neighbours are nearest to each other: without that mark, the
 * start of a window is known nearly as well.  The oldest mark stays. */
static unsigned
least_useful (const TfrcReceiveRate *rate, uint64_t now_ns)
{
  uint64_t least_ns = UINT64_MAX;
  unsigned found = rate->n - 1;

  for (unsigned i = 1; i < rate->n; i++) {
    uint64_t after_ns = i + 1 < rate->n ? rate->marks[i + 1].time_ns : now_ns;
    uint64_t gap_ns = tfrc_sub_ns (after_ns, rate->marks[i - 1].time_ns);

    if (gap_ns < least_ns) {
      least_ns = gap_ns;
      found = i;
    }
  }
  return found;
}

static void
remove_mark (TfrcReceiveRate *rate, unsigned index)
{
  for (unsigned i = index + 1; i < rate->n; i++)
    rate->marks[i - 1] = rate->marks[i];
  rate->n--;
}

void
tfrc_receive_rate_mark (TfrcReceiveRate *rate, uint64_t window_ns, uint64_t now_ns)
{
  /* The oldest mark makes room, unless it is the only one that reaches a window back. */
  if (rate->n == TFRC_RECEIVE_RATE_MARKS)
    remove_mark (rate,
        tfrc_sub_ns (now_ns, rate->marks[1].time_ns) >= window_ns ? 0
                                                                  : least_useful (rate, now_ns));
  rate->marks[rate->n].time_ns = now_ns;
  rate->marks[rate->n].bytes = rate->bytes;
  rate->n++;
}

void
tfrc_receive_rate_resume (TfrcReceiveRate *rate, uint64_t window_ns, uint64_t now_ns)
{
  rate->n = 0;
  tfrc_receive_rate_mark (rate, window_ns, tfrc_sub_ns (now_ns, window_ns));
}

double
tfrc_receive_rate_Bps (const TfrcReceiveRate *rate, uint64_t window_ns, uint64_t now_ns)
{
  uint64_t elapsed_ns, bytes_before = 0, since_ns = now_ns;

  for (unsigned i = rate->n; i-- > 0;) {
    since_ns = rate->marks[i].time_ns;
    bytes_before = rate->marks[i].bytes;
    if (tfrc_sub_ns (now_ns, since_ns) >= window_ns)
      break;
  }
  /* A stream younger than the window has received nothing before its start. */
  elapsed_ns = tfrc_max_ns (tfrc_sub_ns (now_ns, since_ns), window_ns);
  return (double) (rate->bytes - bytes_before) / tfrc_ns_to_s (elapsed_ns);
}
