/* One end of a stream that is as fast as the network: linerate.sh runs one process for each end.
 *
 *   bench-linerate WARM_UP SECONDS NAME PIPELINE
 *   bench-linerate --look-for-plugins
 *
 * Plays the pipeline, in which the element `tfrc' is a tfrcsink or a tfrcsrc, and the element
 * `nullsource' gives null packets as fast as they are taken.  Prints the rate of the payload, the
 * CPU time of the process as a share of one core, and the losses, all of the SECONDS after
 * WARM_UP. */
#include "nullsource.h"

#include <stdlib.h>
#include <sys/resource.h>

typedef struct
{
  guint64 bytes, packets, lost, dropped, feedbacks;
  gdouble time_s, user_s, system_s;
  glong switches;
} Reading;

static guint64
number (const GstStructure *stats, const gchar *name)
{
  guint64 value = 0;

  gst_structure_get_uint64 (stats, name, &value);
  return value;
}

static gdouble
seconds_of (const struct timeval *time)
{
  return time->tv_sec + time->tv_usec / 1e6;
}

static Reading
take_reading (GstElement *tfrc, gboolean sends)
{
  GstStructure *stats = NULL;
  struct rusage usage;
  Reading reading;

  g_object_get (tfrc, "stats", &stats, NULL);
  getrusage (RUSAGE_SELF, &usage);
  reading.time_s = g_get_monotonic_time () / 1e6;
  reading.user_s = seconds_of (&usage.ru_utime);
  reading.system_s = seconds_of (&usage.ru_stime);
  reading.switches = usage.ru_nvcsw + usage.ru_nivcsw;
  reading.bytes = number (stats, sends ? "bytes-sent" : "bytes-received");
  reading.packets = number (stats, sends ? "packets-sent" : "packets-received");
  reading.lost = number (stats, "packets-lost");
  reading.dropped = number (stats, sends ? "packets-dropped" : "queue-dropped");
  reading.feedbacks = number (stats, sends ? "feedback-received" : "feedback-sent");
  gst_structure_free (stats);
  return reading;
}

static void
print_difference (const gchar *name, const Reading *a, const Reading *b)
{
  gdouble duration_s = b->time_s - a->time_s;
  gdouble packets = MAX (b->packets - a->packets, 1);
  gdouble user_s = b->user_s - a->user_s, system_s = b->system_s - a->system_s;

  g_print ("%-8s %7.1f Mbit/s, %5.1f %% of a core (%.1f user, %.1f system), %.2f us a packet, "
           "%.3f switches a packet, %.4f %% lost, %" G_GUINT64_FORMAT " dropped, %.1f feedback/s\n",
      name, (b->bytes - a->bytes) * 8 / duration_s / 1e6, (user_s + system_s) / duration_s * 100,
      user_s / duration_s * 100, system_s / duration_s * 100, (user_s + system_s) * 1e6 / packets,
      (b->switches - a->switches) / packets, (b->lost - a->lost) / packets * 100,
      b->dropped - a->dropped, (b->feedbacks - a->feedbacks) / duration_s);
}

int
main (int argc, char **argv)
{
  GstElement *pipeline, *tfrc;
  GError *error = NULL;
  Reading before, after;
  gboolean sends;

  gst_init (&argc, &argv);
  if (argc == 2 && g_str_equal (argv[1], "--look-for-plugins"))
    return 0;
  if (argc != 5)
    g_error ("usage: bench-linerate WARM_UP SECONDS NAME PIPELINE");
  null_source_register ();
  pipeline = gst_parse_launch (argv[4], &error);
  if (pipeline == NULL)
    g_error ("%s: %s", argv[4], error->message);
  tfrc = gst_bin_get_by_name (GST_BIN (pipeline), "tfrc");
  sends = GST_OBJECT_FLAG_IS_SET (tfrc, GST_ELEMENT_FLAG_SINK);
  if (gst_element_set_state (pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
    g_error ("%s does not play", argv[4]);
  g_usleep (atof (argv[1]) * G_USEC_PER_SEC);
  before = take_reading (tfrc, sends);
  g_usleep (atof (argv[2]) * G_USEC_PER_SEC);
  after = take_reading (tfrc, sends);
  print_difference (argv[3], &before, &after);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (tfrc);
  gst_object_unref (pipeline);
  return 0;
}
