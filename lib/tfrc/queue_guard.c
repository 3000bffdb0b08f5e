/* The queue guard, see queue_guard.h. */
#include "queue_guard.h"

#include <math.h>
#include <string.h>

#include "units.h"

/* What R_sample has to exceed the least one by, for a queue to be seen: more than a timer's jitter, less than what a
 * short queue holds */
#define MARGIN_S 0.005
#define MARGIN_FRACTION 0.125

/* The least R_sample is that of one to two periods, so that it follows when the path changes. */
#define PERIOD_NS (10 * TFRC_NS_PER_S)

/* So much more than what was received without a queue may be tried next: in the round-trip time until the answer comes,
 * the queue grows by a quarter of what the path carries in it. */
#define PROBE_FACTOR 1.25

void
tfrc_queue_guard_init (TfrcQueueGuard * guard)
{
  memset (guard, 0, sizeof *guard);
  guard->least_s = guard->previous_least_s = INFINITY;
  guard->limit_Bps = INFINITY;
}

static double
base_s (TfrcQueueGuard * guard, double r_sample_s, uint64_t now_ns)
{
  if (tfrc_sub_ns (now_ns, guard->period_ns) >= PERIOD_NS) {
    guard->previous_least_s = guard->least_s;
    guard->least_s = INFINITY;
    guard->period_ns = now_ns;
  }
  guard->least_s = fmin (guard->least_s, r_sample_s);
  return fmin (guard->least_s, guard->previous_least_s);
}

static double
max_x_recv_Bps (const TfrcQueueGuard * guard)
{
  double max_Bps = 0;

  for (unsigned i = 0; i < TFRC_QUEUE_GUARD_MEMORY; i++)
    max_Bps = fmax (max_Bps, guard->x_recv_Bps[i]);
  return max_Bps;
}

void
tfrc_queue_guard_on_feedback (TfrcQueueGuard * guard, double x_recv_Bps, double r_sample_s,
    double segment_bytes, uint64_t now_ns)
{
  double base = base_s (guard, r_sample_s, now_ns);

  if (x_recv_Bps <= 0)
    return;
  guard->x_recv_Bps[guard->next] = x_recv_Bps;
  guard->next = (guard->next + 1) % TFRC_QUEUE_GUARD_MEMORY;
  /* Where others fill the queue, one packet more per round-trip time, queue included, is what TCP asks for as well. */
  if (r_sample_s > base + fmax (MARGIN_S, MARGIN_FRACTION * base))
    guard->limit_Bps = max_x_recv_Bps (guard) + segment_bytes / r_sample_s;
  else if (!isinf (guard->limit_Bps))
    guard->limit_Bps = fmax (guard->limit_Bps, PROBE_FACTOR * x_recv_Bps);
}

double
tfrc_queue_guard_limit_Bps (const TfrcQueueGuard * guard)
{
  return guard->limit_Bps;
}
