/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clocks, see clock.h. */
#include <time.h>

#include "clock.h"

/* ---- clocks of the host ------------------------------------------------------ */

#define SECOND_NS G_GUINT64_CONSTANT (1000000000)
#define NTP_UNIX_OFFSET_S G_GUINT64_CONSTANT (2208988800) /* RFC 5905 */

/* To read both clocks takes well under 1 us.  If the reading took longer, the thread was
 * interrupted in between, and the two times are not of the same instant. */
#define MAP_TOLERANCE_NS 10000
#define MAP_ATTEMPTS 3

static guint64
gst_tfrc_clock_read (clockid_t id)
{
  struct timespec ts;

  clock_gettime (id, &ts);
  return (guint64) ts.tv_sec * SECOND_NS + (guint64) ts.tv_nsec;
}

guint64
gst_tfrc_clock_now_ns (void)
{
  return gst_tfrc_clock_read (CLOCK_MONOTONIC);
}

guint64
gst_tfrc_clock_thread_cpu_ns (void)
{
  return gst_tfrc_clock_read (CLOCK_THREAD_CPUTIME_ID);
}

guint64
gst_tfrc_clock_wall_ns (void)
{
  return gst_tfrc_clock_read (CLOCK_REALTIME);
}

guint64
gst_tfrc_clock_wall_to_ntp (guint64 wall_ns)
{
  guint64 seconds = wall_ns / SECOND_NS + NTP_UNIX_OFFSET_S;
  guint64 fraction = ((wall_ns % SECOND_NS) << 32) / SECOND_NS;

  return seconds << 32 | fraction;
}

void
gst_tfrc_clock_map_init (GstTfrcClockMap *map)
{
  guint64 narrowest_ns = G_MAXUINT64;

  for (guint i = 0; i < MAP_ATTEMPTS && narrowest_ns > MAP_TOLERANCE_NS; i++) {
    guint64 before_ns = gst_tfrc_clock_now_ns ();
    guint64 wall_ns = gst_tfrc_clock_wall_ns ();
    guint64 after_ns = gst_tfrc_clock_now_ns ();

    if (after_ns - before_ns < narrowest_ns) {
      narrowest_ns = after_ns - before_ns;
      map->now_ns = after_ns;
      map->wall_ns = wall_ns + narrowest_ns / 2;
    }
  }
}

guint64
gst_tfrc_clock_map_to_monotonic (
    const GstTfrcClockMap *map, guint64 wall_ns, guint64 oldest_ns, guint64 *slack_ns)
{
  guint64 age_ns = map->wall_ns - wall_ns;
  guint64 most_ns = map->now_ns - MIN (oldest_ns, map->now_ns) + GST_TFRC_CLOCK_STAMP_TOLERANCE_NS;

  most_ns = MIN (most_ns, map->now_ns);
  /* A time after the map has a negative age, which wraps to an age of centuries. */
  *slack_ns = age_ns > most_ns ? most_ns : 0;
  return age_ns > most_ns ? map->now_ns : map->now_ns - age_ns;
}

/* ---- the pipeline's clock ---------------------------------------------------- */

void
gst_tfrc_clock_offset_update (
    GstTfrcClockOffset *offset, guint64 before_ns, GstClockTime clock_ns, guint64 after_ns)
{
  gint64 least_ns = (gint64) (before_ns - clock_ns), most_ns = (gint64) (after_ns - clock_ns);

  if (offset->is_known)
    offset->offset_ns = CLAMP (offset->offset_ns, least_ns, most_ns);
  else
    offset->offset_ns = least_ns + (most_ns - least_ns) / 2;
  offset->is_known = TRUE;
}

gboolean
gst_tfrc_clock_offset_read (GstTfrcClockOffset *offset, GstElement *element)
{
  GstClock *clock = gst_element_get_clock (element);
  guint64 before_ns, clock_ns;

  if (clock == NULL)
    return FALSE;
  before_ns = gst_tfrc_clock_now_ns ();
  clock_ns = gst_clock_get_time (clock);
  gst_tfrc_clock_offset_update (offset, before_ns, clock_ns, gst_tfrc_clock_now_ns ());
  gst_object_unref (clock);
  return TRUE;
}
