/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The queue guard, see queue_guard.h. */
#include "queue_guard.h"

#include <math.h>
#include <string.h>

#include "units.h"

/* A queue is seen if R_sample exceeds the least R_sample by this: more than the jitter of a
 * timer, less than a short queue */
#define MARGIN_S 0.005
#define MARGIN_FRACTION 0.125

/* "Lately" means in the last one to two periods, so that the guard follows a path that changes,
 * and remembers the quiet scenes of a movie. */
#define PERIOD_NS (10 * TFRC_NS_PER_S)

/* The factor on the rate received without a queue that may be tried next.  In the two round-trip
 * times until the sender sees the effect, the queue grows by two fifths of the packets that the
 * path carries in one round-trip time. */
#define PROBE_FACTOR 1.2

/* A scene starts with at most this factor times the recent maximum of X_recv, once a period has
 * shown that value.  The path may have no room for twice as much, and packets of two round-trip
 * times leave before the sender can see the first queue. */
#define FREE_FACTOR 1.5

/* The number of samples in a row that make the path's rate known */
#define SAMPLES_TO_KNOW 3

/* The path may be faster than X_recv by a quarter, because X_recv has jitter as well.  Its rate
 * is at least this part of the recent maximum of X_recv. */
#define PATH_RATE_TOLERANCE 1.25
#define PATH_RATE_FRACTION 0.75

/* The intervals of the first samples in a queue may contain the start of the queue. */
#define OUTGROWN_FACTOR 1.5

/* A limit is void if jitter alone reaches this part of the queue from which the limit was
 * computed. */
#define VOID_FRACTION 0.8

/* While X_recv is below this part of its recent maximum, the sender's own queue drains.  It has
 * drained after this time and after this multiple of its delay. */
#define QUIET_FRACTION 0.5
#define MIN_QUIET_NS (300 * 1000 * TFRC_NS_PER_US)
#define QUIET_DELAYS 4

/* The path's rate is at least this part of the recent maximum of X_recv, which has jitter.  Others
 * fill the queue if for this time no more than this part of it can be the sender's own. */
#define LEAST_PATH_FRACTION 0.8
#define MIN_FOREIGN_NS (500 * 1000 * TFRC_NS_PER_US)
#define OWN_FRACTION 0.5

/* A queue grows if less arrives than this part of what was sent in the same interval.  The queue of
 * TCP flows that have left slow start grows more slowly. */
#define GROWTH_FRACTION 0.95

#define YIELD_NS (10 * TFRC_NS_PER_S)

/* A path that has lost packets within this time has a queue that is sometimes full, perhaps with
 * packets of others: a delay there is a queue.  Scenes of a movie are tens of seconds apart. */
#define LOSS_MEMORY_NS (120 * TFRC_NS_PER_S)

void
tfrc_queue_guard_init (TfrcQueueGuard *guard)
{
  memset (guard, 0, sizeof *guard);
  tfrc_windowed_max_init (&guard->least_r);
  tfrc_windowed_max_init (&guard->most_recv);
  tfrc_windowed_max_init (&guard->jitter);
  guard->limit_Bps = guard->free_Bps = INFINITY;
}

/* After a pause that leaves no recent value, the path may be another one, and X begins again as well.  Lost packets
 * are remembered for longer. */
static void
forget_before_pause (TfrcQueueGuard *guard, uint64_t now_ns)
{
  uint64_t loss_ns = guard->loss_ns;

  if (guard->last.now_ns == 0 || tfrc_sub_ns (now_ns, guard->last.now_ns) < 2 * PERIOD_NS)
    return;
  tfrc_queue_guard_init (guard);
  guard->loss_ns = loss_ns;
}

static double
margin_s (double least_s)
{
  return fmax (MARGIN_S, MARGIN_FRACTION * least_s);
}

/* Returns the mean of the newest n values of X_recv that showed the path's rate. */
static double
mean_recv_Bps (const TfrcQueueGuard *guard, unsigned n)
{
  double sum_Bps = 0;

  n = n < TFRC_QUEUE_GUARD_MEMORY ? n : TFRC_QUEUE_GUARD_MEMORY;
  for (unsigned i = 1; i <= n; i++)
    sum_Bps +=
        guard->x_recv_Bps[(guard->next + TFRC_QUEUE_GUARD_MEMORY - i) % TFRC_QUEUE_GUARD_MEMORY];
  return sum_Bps / n;
}

/* Returns how long the sender took for what left since the packet of the last sample; 0: nothing
 * did. */
static double
interval_s (const TfrcQueueGuard *guard, const TfrcQueueGuardSample *sample)
{
  return tfrc_ns_to_s (tfrc_sub_ns (sample->sent_ns, guard->last.sent_ns));
}

static void
set_free (TfrcQueueGuard *guard)
{
  guard->limit_Bps = INFINITY;
  guard->evidence_s = guard->queue_Bps = 0;
  guard->in_queue = 0;
}

static void
yield (TfrcQueueGuard *guard, uint64_t now_ns)
{
  set_free (guard);
  guard->free_Bps = INFINITY;
  guard->yields_until_ns = tfrc_add_ns (now_ns, YIELD_NS);
}

/* ---- jitter ------------------------------------------------------------ */

/* The sender's own queue forms where the path delivers all that it can.  If X_recv later
 * outgrows the rate received in the queue, there was no queue: returns the delay that seemed to
 * be a queue, else 0.  This holds only at the start, while X grows: later a path may become
 * faster, and the rate that others leave free changes. */
static double
outgrown_jitter_s (const TfrcQueueGuard *guard, const TfrcQueueGuardSample *sample)
{
  double factor = guard->known ? PATH_RATE_TOLERANCE : OUTGROWN_FACTOR;

  if (tfrc_sub_ns (sample->now_ns, guard->begun_ns) >= PERIOD_NS)
    return 0;
  return sample->x_recv_Bps > factor * guard->queue_Bps ? guard->evidence_s : 0;
}

/* Returns how far R is above the least R, if little has been sent for long enough that no queue
 * of the sender is left; 0: there is no such time yet, or one sample of it only. */
static double
quiet_jitter_s (
    TfrcQueueGuard *guard, const TfrcQueueGuardSample *sample, double excess_s, double most_Bps)
{
  uint64_t quiet_ns = guard->quiet_ns;

  if (sample->x_recv_Bps >= QUIET_FRACTION * most_Bps) {
    guard->quiet_ns = 0;
    return 0;
  }
  if (quiet_ns == 0) {
    guard->quiet_ns = sample->now_ns;
    return 0;
  }
  return tfrc_sub_ns (sample->now_ns, quiet_ns)
          >= tfrc_max_ns (MIN_QUIET_NS, tfrc_s_to_ns (QUIET_DELAYS * excess_s, UINT64_MAX))
      ? excess_s
      : 0;
}

/* Returns how far R was above the least R, if R has fallen since by more than a queue can empty;
 * else 0.  Lost packets did not fill the queue, so nothing is known where packets were lost. */
static double
fallen_jitter_s (const TfrcQueueGuard *guard, const TfrcQueueGuardSample *sample, double least_s,
    double most_Bps)
{
  const TfrcQueueGuardSample *last = &guard->last;
  double path_Bps, emptied_s, sent_s = interval_s (guard, sample);

  if (!guard->was_queue || sent_s == 0 || last->new_loss_event || sample->new_loss_event)
    return 0;
  path_Bps = fmax (last->x_recv_Bps, PATH_RATE_FRACTION * most_Bps);
  if (guard->known)
    path_Bps = fmax (path_Bps, guard->path_Bps);
  path_Bps *= PATH_RATE_TOLERANCE;
  emptied_s = fmax (0, sent_s - (sample->sent_bytes - last->sent_bytes) / path_Bps);
  if (last->r_sample_s - sample->r_sample_s - emptied_s <= margin_s (least_s))
    return 0;
  return last->r_sample_s - least_s;
}

/* ---- queues of others -------------------------------------------------- */

/* The path is at least this fast, because it has delivered more lately. */
static double
least_path_Bps (double most_Bps)
{
  return LEAST_PATH_FRACTION * most_Bps;
}

/* To be called for each sample.  Returns the longest queue that can be the sender's own: what was sent
 * above the least rate of the path, and no more than the whole queue. */
static double
own_queue_s (
    TfrcQueueGuard *guard, const TfrcQueueGuardSample *sample, double excess_s, double most_Bps)
{
  double sent_bytes = fmax (0, sample->sent_bytes - guard->last.sent_bytes);
  double grown_s = sent_bytes / least_path_Bps (most_Bps) - interval_s (guard, sample);

  guard->own_s = fmax (0, fmin (guard->own_s + grown_s, excess_s));
  return guard->own_s;
}

/* To be called for each sample.  Is most of the queue, for some time, not the sender's own?  Then
 * all of it is taken for that of others until it is empty. */
static bool
others_fill_queue (
    TfrcQueueGuard *guard, const TfrcQueueGuardSample *sample, double least_s, double most_Bps)
{
  double excess_s = sample->r_sample_s - least_s;
  double own_s = own_queue_s (guard, sample, excess_s, most_Bps);

  if (excess_s <= margin_s (least_s))
    guard->foreign = false;
  if (excess_s - own_s <= fmax (margin_s (least_s), (1 - OWN_FRACTION) * excess_s))
    guard->foreign_ns = 0;
  else if (guard->foreign_ns == 0)
    guard->foreign_ns = sample->now_ns;
  else if (tfrc_sub_ns (sample->now_ns, guard->foreign_ns) >= MIN_FOREIGN_NS)
    guard->foreign = true;
  return guard->foreign;
}

/* ---- the limit --------------------------------------------------------- */

/* Does X_recv show what the path delivers?  It does if the queue grows.  Once it has grown, the
 * sender keeps the limit, and X_recv is the path's rate also while it does not grow, unless the
 * sender has no more to send. */
static bool
shows_path (const TfrcQueueGuard *guard, const TfrcQueueGuardSample *sample)
{
  double sent_bytes = sample->sent_bytes - guard->last.sent_bytes;

  return (guard->in_queue > 0 && !sample->data_limited)
      || sample->x_recv_Bps * interval_s (guard, sample) < GROWTH_FRACTION * sent_bytes;
}

static void
limit_to_path (TfrcQueueGuard *guard, const TfrcQueueGuardSample *sample, double excess_s)
{
  double mean_Bps;

  guard->x_recv_Bps[guard->next] = sample->x_recv_Bps;
  guard->next = (guard->next + 1) % TFRC_QUEUE_GUARD_MEMORY;
  guard->in_queue++;
  guard->evidence_s = fmax (guard->evidence_s, excess_s);
  guard->queue_Bps = fmax (guard->queue_Bps, sample->x_recv_Bps);
  mean_Bps = mean_recv_Bps (guard, guard->in_queue);
  guard->known = guard->known || guard->in_queue >= SAMPLES_TO_KNOW;
  guard->path_Bps = guard->in_queue >= SAMPLES_TO_KNOW ? mean_Bps
                                                       : fmax (guard->path_Bps, mean_Bps);
  /* If others fill the queue, TCP asks for one packet more per round-trip time, queue included,
   * as well. */
  guard->limit_Bps = guard->path_Bps + sample->segment_bytes / sample->r_sample_s;
}

static void
probe (TfrcQueueGuard *guard, const TfrcQueueGuardSample *sample)
{
  guard->in_queue = 0;
  if (!isinf (guard->limit_Bps))
    guard->limit_Bps = fmax (guard->limit_Bps, PROBE_FACTOR * sample->x_recv_Bps);
}

/* The limit was computed from jitter. */
static void
make_void (TfrcQueueGuard *guard)
{
  set_free (guard);
  guard->known = false;
  guard->path_Bps = 0;
}

static bool
has_lost_lately (const TfrcQueueGuard *guard, uint64_t now_ns)
{
  return guard->loss_ns != 0 && tfrc_sub_ns (now_ns, guard->loss_ns) < LOSS_MEMORY_NS;
}

void
tfrc_queue_guard_on_feedback (TfrcQueueGuard *guard, const TfrcQueueGuardSample *sample)
{
  uint64_t now_ns = sample->now_ns;
  double least_s, excess_s, most_Bps, jitter_s;
  bool shows;

  forget_before_pause (guard, now_ns);
  least_s = -tfrc_windowed_max_update (&guard->least_r, -sample->r_sample_s, PERIOD_NS, now_ns);
  excess_s = sample->r_sample_s - least_s;
  if (sample->new_loss_event)
    guard->loss_ns = now_ns;
  if (sample->x_recv_Bps <= 0) {
    guard->last = *sample;
    return;
  }
  if (guard->begun_ns == 0)
    guard->begun_ns = now_ns;
  most_Bps = tfrc_windowed_max_update (&guard->most_recv, sample->x_recv_Bps, PERIOD_NS, now_ns);
  jitter_s = tfrc_windowed_max_update (&guard->jitter,
      fmax (outgrown_jitter_s (guard, sample),
          fmax (quiet_jitter_s (guard, sample, excess_s, most_Bps),
              fallen_jitter_s (guard, sample, least_s, most_Bps))),
      PERIOD_NS, now_ns);
  if (has_lost_lately (guard, now_ns))
    jitter_s = 0;
  shows = shows_path (guard, sample);
  if (others_fill_queue (guard, sample, least_s, most_Bps))
    yield (guard, now_ns);
  guard->last = *sample;
  guard->was_queue = excess_s > margin_s (least_s) + jitter_s;
  if (now_ns < guard->yields_until_ns)
    return;
  if (tfrc_sub_ns (now_ns, guard->begun_ns) >= PERIOD_NS)
    guard->free_Bps = FREE_FACTOR * most_Bps;
  if (!isinf (guard->limit_Bps) && jitter_s >= VOID_FRACTION * guard->evidence_s)
    make_void (guard);
  if (!guard->was_queue)
    probe (guard, sample);
  else if (shows && (guard->quiet_ns == 0 || has_lost_lately (guard, now_ns)))
    limit_to_path (guard, sample, excess_s);
}

double
tfrc_queue_guard_limit_Bps (const TfrcQueueGuard *guard)
{
  return fmin (guard->limit_Bps, guard->free_Bps);
}
