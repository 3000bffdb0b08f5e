/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clocks of the host, and their lead over the pipeline's clock.
 *
 * All of TFRC uses the monotonic clock.  The kernel stamps received packets with wall-clock time;
 * GstTfrcClockMap converts these stamps.  GstTfrcClockOffset knows the lead of the monotonic clock
 * over the pipeline's clock. */
#ifndef GST_TFRC_CLOCK_H
#define GST_TFRC_CLOCK_H

#include <glib.h>
#include <gst/gst.h>

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

/** Converts wall-clock time to NTP format: seconds since 1900 in the upper 32 bits, fractions of a
 * second in the lower 32 bits.  The seconds wrap in 2036 (RFC 3550 section 4). */
guint64 gst_tfrc_clock_wall_to_ntp (guint64 wall_ns);

/** Both clocks at one instant.  Each batch of packets needs a map of its own: then a step of the
 * wall clock affects only the packets that wait in the socket during the step. */
typedef struct
{
  guint64 now_ns; /**< monotonic */
  guint64 wall_ns;
} GstTfrcClockMap;

/** Reads both clocks. */
void gst_tfrc_clock_map_init (GstTfrcClockMap *map);

/** The kernel stamps a packet before the socket becomes readable; the time in between is rarely
 * longer than this. */
#define GST_TFRC_CLOCK_STAMP_TOLERANCE_NS (10 * G_GUINT64_CONSTANT (1000000))

/** Converts the time stamp of a packet, which is wall-clock time.
 *
 * A process that was stopped for a while reads old packets.  A packet that was stamped before a
 * step of the wall clock only looks old, or seems to come from the future.  The time that the
 * packet can have waited distinguishes the two cases.
 *
 * @param oldest_ns monotonic time at which the packet had not arrived yet
 * @param slack_ns set to 0 if the stamp can be right; the result is exact then.  Otherwise the wall
 *   clock was set in between: the result is @a map->now_ns, and the packet arrived at most
 *   @a slack_ns before the result.
 * @return monotonic time, never after @a map->now_ns */
guint64 gst_tfrc_clock_map_to_monotonic (
    const GstTfrcClockMap *map, guint64 wall_ns, guint64 oldest_ns, guint64 *slack_ns);

/** Zero-initialise. */
typedef struct
{
  gboolean is_known;
  gint64 offset_ns; /**< monotonic time minus the pipeline's time */
} GstTfrcClockOffset;

/** Takes a reading of the pipeline's clock between two readings of the monotonic clock. The offset
 * changes no further than the readings demand: a thread that is interrupted between them moves
 * nothing. */
void gst_tfrc_clock_offset_update (
    GstTfrcClockOffset *offset, guint64 before_ns, GstClockTime clock_ns, guint64 after_ns);

/** Reads both clocks, and updates the offset.
 * @return FALSE if the element has no clock */
gboolean gst_tfrc_clock_offset_read (GstTfrcClockOffset *offset, GstElement *element);

G_END_DECLS
#endif
