/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Units of time, and the limits that RFC 5348 sets for times. */
#ifndef TFRC_UNITS_H
#define TFRC_UNITS_H

#include <stdint.h>

#define TFRC_NS_PER_US UINT64_C (1000)
#define TFRC_NS_PER_S UINT64_C (1000000000)

/* t_mbi, the maximum backoff interval (section 4.3 step 4) */
#define TFRC_T_MBI_S 64.0

/* The range of the RTT field of a data packet.  A value outside counts as the nearest value
 * inside. */
#define TFRC_MIN_RTT_NS TFRC_NS_PER_US
#define TFRC_MAX_RTT_NS (UINT64_C (0xffffff) * TFRC_NS_PER_US)

/* The receiver counts the round-trip times between its feedback in whole microseconds: what takes R by
 * the sender's clock may come this much earlier. */
#define TFRC_RTT_ROUNDING_NS TFRC_NS_PER_US

static inline double
tfrc_ns_to_s (uint64_t ns)
{
  return (double) ns * 1e-9;
}

/* Returns s in nanoseconds, at most limit_ns; NaN gives limit_ns. */
static inline uint64_t
tfrc_s_to_ns (double s, uint64_t limit_ns)
{
  double ns = s * 1e9;

  if (ns <= 0)
    return 0;
  return ns < (double) limit_ns ? (uint64_t) ns : limit_ns;
}

/* Returns s in whole nanoseconds, rounded; s is neither negative nor longer than 500 years. */
static inline uint64_t
tfrc_s_to_nearest_ns (double s)
{
  return (uint64_t) (s * 1e9 + 0.5);
}

/* Returns a + b, saturating. */
static inline uint64_t
tfrc_add_ns (uint64_t a_ns, uint64_t b_ns)
{
  return a_ns > UINT64_MAX - b_ns ? UINT64_MAX : a_ns + b_ns;
}

/* Returns a - b, or 0. */
static inline uint64_t
tfrc_sub_ns (uint64_t a_ns, uint64_t b_ns)
{
  return a_ns > b_ns ? a_ns - b_ns : 0;
}

/* Returns a time of the sender's clock with the resolution of the wire, whole microseconds. */
static inline uint64_t
tfrc_truncate_to_us (uint64_t ns)
{
  return ns - ns % TFRC_NS_PER_US;
}

static inline uint64_t
tfrc_min_ns (uint64_t a_ns, uint64_t b_ns)
{
  return a_ns < b_ns ? a_ns : b_ns;
}

static inline uint64_t
tfrc_max_ns (uint64_t a_ns, uint64_t b_ns)
{
  return a_ns > b_ns ? a_ns : b_ns;
}

#endif
