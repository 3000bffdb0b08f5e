/* The clocks of the machine, and how the time stamps that the kernel puts on
 * received packets (wall-clock time) become times of the monotonic clock that
 * all of TFRC runs on. */
#ifndef TFRC_CLOCK_H
#define TFRC_CLOCK_H

#include <glib.h>

G_BEGIN_DECLS

/** A deadline that never comes. */
#define TFRC_CLOCK_NEVER G_MAXUINT64

/** Returns CLOCK_MONOTONIC in nanoseconds.  Any thread. */
guint64 tfrc_clock_now_ns (void);

/** Returns CLOCK_REALTIME in nanoseconds since 1970.  Any thread. */
guint64 tfrc_clock_wall_ns (void);

/** Converts wall-clock time to NTP format: seconds since 1900 in the upper 32
 * bits (they wrap in 2036, as RFC 3550 wants it), fractions in the lower. */
guint64 tfrc_clock_wall_to_ntp (guint64 wall_ns);

/** Both clocks at one instant.  Take one for each batch of packets: a step of
 * the wall clock then harms at most the packets that wait while it happens. */
typedef struct
{
  guint64 now_ns;               /**< monotonic */
  guint64 wall_ns;
} TfrcClockMap;

/** Reads both clocks. */
void tfrc_clock_map_init (TfrcClockMap * map);

/** Converts a wall-clock time of the last second before @a map was made.
 *
 * @return monotonic time, never after @a map->now_ns.  If @a wall_ns lies
 *   after the map, or more than 1 s before it, the wall clock has been set in
 *   between: then @a map->now_ns, the best that is known. */
guint64 tfrc_clock_map_to_monotonic (const TfrcClockMap * map, guint64 wall_ns);

G_END_DECLS
#endif
