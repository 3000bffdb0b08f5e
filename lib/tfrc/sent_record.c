/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The record of sent bytes, see sent_record.h. */
#include "sent_record.h"

#include <math.h>
#include <string.h>

#include "units.h"

#define MARKS_PER_INTERVAL 10

void
tfrc_sent_record_init (TfrcSentRecord *record)
{
  memset (record, 0, sizeof *record);
  record->complete = true;
}

/* Returns the i-th mark of those in use; the oldest is the first. */
static unsigned
mark_at (const TfrcSentRecord *record, unsigned i)
{
  return (record->newest + 1 + TFRC_SENT_RECORD_MARKS - record->n + i) % TFRC_SENT_RECORD_MARKS;
}

/* When the last packet of a mark left; mark: its index in marks[] */
static uint64_t
last_of (const TfrcSentRecord *record, unsigned mark)
{
  return mark == record->newest ? record->last_ns : record->marks[mark].last_ns;
}

static void
add_mark (TfrcSentRecord *record, uint64_t now_ns)
{
  record->marks[record->newest].last_ns = record->last_ns;
  record->newest = record->newest + 1 < TFRC_SENT_RECORD_MARKS ? record->newest + 1 : 0;
  record->marks[record->newest].time_ns = now_ns;
  record->marks[record->newest].bytes = record->bytes;
  if (record->n < TFRC_SENT_RECORD_MARKS)
    record->n++;
  else
    record->complete = false;
}

void
tfrc_sent_record_on_packet (
    TfrcSentRecord *record, uint32_t bytes, uint64_t interval_ns, uint64_t now_ns)
{
  if (record->n == 0
      || MARKS_PER_INTERVAL * tfrc_sub_ns (now_ns, record->marks[record->newest].time_ns)
          >= interval_ns)
    add_mark (record, now_ns);
  record->last_ns = now_ns;
  record->bytes += bytes;
}

void
tfrc_sent_record_cancel (TfrcSentRecord *record, uint32_t bytes)
{
  record->bytes -= bytes < record->bytes ? bytes : record->bytes;
}

/* Returns the bytes that had left before the first packet of that time or later, as far as the record
 * knows.  *start is the index of a mark at or after the one that tells this, and is moved back. */
static uint64_t
bytes_before_interval (const TfrcSentRecord *record, unsigned *start, uint64_t begin_ns)
{
  unsigned mark;

  while (*start > 0 && record->marks[mark_at (record, *start)].time_ns > begin_ns)
    --*start;
  mark = mark_at (record, *start);
  /* The mark's packets left before the interval: it begins with those of the next mark. */
  if (last_of (record, mark) < begin_ns && *start + 1 < record->n)
    mark = mark_at (record, *start + 1);
  return record->marks[mark].bytes;
}

/* Returns the rate of the last interval, which ends now.  Bytes before the oldest mark may not be
 * known: the rate is then that of the time since. */
static double
rate_until_now_Bps (const TfrcSentRecord *record, uint64_t interval_ns, uint64_t now_ns)
{
  uint64_t begin_ns = tfrc_sub_ns (now_ns, interval_ns);
  uint64_t oldest_ns = record->marks[mark_at (record, 0)].time_ns;
  unsigned start = record->n - 1;
  uint64_t bytes = tfrc_sub_ns (record->bytes, bytes_before_interval (record, &start, begin_ns));

  if (oldest_ns > begin_ns && !record->complete)
    interval_ns = tfrc_max_ns (1, tfrc_sub_ns (now_ns, oldest_ns));
  return (double) bytes / tfrc_ns_to_s (interval_ns);
}

/* An interval ends with a packet.  The packets of a mark are taken together: the interval begins as
 * if it ended with the first of them, and contains all of them. */
double
tfrc_sent_record_peak_Bps (
    TfrcSentRecord *record, uint64_t interval_ns, uint64_t since_ns, uint64_t now_ns)
{
  double peak_Bps;
  uint64_t oldest_ns, end_bytes = record->bytes, most_bytes = 0;
  unsigned start;

  if (record->n == 0)
    return 0;
  oldest_ns = record->marks[mark_at (record, 0)].time_ns;
  start = record->n - 1;
  for (unsigned i = record->n; i-- > 0;) {
    unsigned mark = mark_at (record, i);
    uint64_t end_ns = record->marks[mark].time_ns;

    if (last_of (record, mark) <= since_ns
        || (!record->complete && end_ns - oldest_ns < interval_ns))
      break;
    most_bytes = tfrc_max_ns (most_bytes,
        tfrc_sub_ns (
            end_bytes, bytes_before_interval (record, &start, tfrc_sub_ns (end_ns, interval_ns))));
    end_bytes = record->marks[mark].bytes;
  }
  peak_Bps = fmax ((double) most_bytes / tfrc_ns_to_s (interval_ns),
      rate_until_now_Bps (record, interval_ns, now_ns));
  if (!record->complete && since_ns < oldest_ns)
    peak_Bps = fmax (peak_Bps, record->highest_Bps);
  record->highest_Bps = fmax (record->highest_Bps, peak_Bps);
  return peak_Bps;
}

double
tfrc_sent_record_bytes_before (const TfrcSentRecord *record, uint64_t time_ns)
{
  for (unsigned i = 0; i < record->n; i++) {
    unsigned mark = mark_at (record, i), last;
    double share;

    if (record->marks[mark].time_ns < time_ns)
      continue;
    if (i == 0)
      return (double) record->marks[mark].bytes;
    last = mark_at (record, i - 1);
    share = (double) (time_ns - record->marks[last].time_ns)
        / (double) (record->marks[mark].time_ns - record->marks[last].time_ns);
    return (double) record->marks[last].bytes
        + share * ((double) record->marks[mark].bytes - (double) record->marks[last].bytes);
  }
  return (double) record->bytes;
}
