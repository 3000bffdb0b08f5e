/* The clocks of the machine, and how the time stamps that the kernel puts on
 * received packets (wall-clock time) become times of the monotonic clock that
 * all of TFRC runs on. */
#ifndef GST_TFRC_CLOCK_H
#define GST_TFRC_CLOCK_H

#include <glib.h>

G_BEGIN_DECLS

/** A deadline that never comes. */
#define GST_TFRC_CLOCK_NEVER G_MAXUINT64

/** Returns CLOCK_MONOTONIC in nanoseconds.  Any thread. */
guint64 gst_tfrc_clock_now_ns (void);

/** Returns the processor time that the calling thread has used, in
 * nanoseconds. */
guint64 gst_tfrc_clock_thread_cpu_ns (void);

/** Returns CLOCK_REALTIME in nanoseconds since 1970.  Any thread. */
guint64 gst_tfrc_clock_wall_ns (void);

/** Converts wall-clock time to NTP format: seconds since 1900 in the upper 32
 * bits (they wrap in 2036, as RFC 3550 wants it), fractions in the lower. */
guint64 gst_tfrc_clock_wall_to_ntp (guint64 wall_ns);

/** Both clocks at one instant.  Take one for each batch of packets: a step of
 * the wall clock then harms at most the packets that wait while it happens. */
typedef struct
{
  guint64 now_ns; /**< monotonic */
  guint64 wall_ns;
} GstTfrcClockMap;

/** Reads both clocks. */
void gst_tfrc_clock_map_init (GstTfrcClockMap *map);

/** The kernel stamps a packet before its socket becomes readable, by at most this
 * as a rule. */
#define GST_TFRC_CLOCK_STAMP_TOLERANCE_NS (10 * G_GUINT64_CONSTANT (1000000))

/** Converts the time stamp of a packet, which is wall-clock time.
 *
 * A process that was stopped for a while reads packets that are as old as that.
 * A stamp from before a step of the wall clock looks as old, or comes from the
 * future.  What tells them apart is how long the packet can have waited.
 *
 * @param oldest_ns monotonic time; the packet was not there yet at that time
 * @param slack_ns set to 0 if the stamp can be right: then the result is exact.
 *   Otherwise the wall clock was set in between, the result is @a map->now_ns,
 *   and the packet came at most this long before it.
 * @return monotonic time, never after @a map->now_ns */
guint64 gst_tfrc_clock_map_to_monotonic (
    const GstTfrcClockMap *map, guint64 wall_ns, guint64 oldest_ns, guint64 *slack_ns);

G_END_DECLS
#endif
