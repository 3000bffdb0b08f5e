/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One end of a stream that is as fast as the network: linerate.sh runs one process for each end.
 *
 *   bench-linerate WARM_UP SECONDS NAME PIPELINE
 *   bench-linerate --look-for-plugins
 *
 * Plays the pipeline, in which the element `tfrc' is a tfrcsink or a tfrcsrc, and the element
 * `nullsource' gives null packets as fast as they are taken.  Prints the rate of the payload, the
 * CPU time of the process as a share of one core, and the losses, all of the SECONDS after
 * WARM_UP.  A sender adds what its rate is from at the end, and RFC 5348's equation (section 3.1) for
 * the same p, R and t_RTO; a receiver where the kernel dropped packets. */

#include <gst/base/gstpushsrc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* ---- a source of null packets ---------------------------------------------- */

#define TS_BYTES 188

typedef struct
{
  GstPushSrc parent;
  gsize buffer_bytes;
  guint64 rate_bps; /* of the time stamps; 0: buffers have none */
  GBytes *bytes;    /* the contents of every buffer */
  guint64 buffers;
} NullSource;

typedef struct
{
  GstPushSrcClass parent;
} NullSourceClass;

enum
{
  NULL_SOURCE_BUFFER_BYTES = 1,
  NULL_SOURCE_RATE
};

GType null_source_get_type (void);
G_DEFINE_TYPE (NullSource, null_source, GST_TYPE_PUSH_SRC)

static guint64 null_source_buffers; /* made by all sources; atomic */

static GstFlowReturn
null_source_create (GstPushSrc *src, GstBuffer **buffer)
{
  NullSource *self = (NullSource *) src;

  if (self->bytes == NULL) {
    guint8 *bytes = g_malloc0 (self->buffer_bytes);

    for (gsize i = 0; i < self->buffer_bytes; i += TS_BYTES) {
      bytes[i] = 0x47;
      bytes[i + 1] = 0x1f;
      bytes[i + 2] = 0xff;
      bytes[i + 3] = 0x10;
    }
    self->bytes = g_bytes_new_take (bytes, self->buffer_bytes);
  }
  *buffer = gst_buffer_new_wrapped_bytes (self->bytes);
  if (self->rate_bps > 0)
    GST_BUFFER_PTS (*buffer) = gst_util_uint64_scale (
        self->buffers, self->buffer_bytes * 8 * GST_SECOND, self->rate_bps);
  self->buffers++;
  __atomic_add_fetch (&null_source_buffers, 1, __ATOMIC_RELAXED);
  return GST_FLOW_OK;
}

static void
null_source_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  NullSource *self = (NullSource *) object;

  if (id == NULL_SOURCE_BUFFER_BYTES)
    self->buffer_bytes = g_value_get_uint (value) / TS_BYTES * TS_BYTES;
  else
    self->rate_bps = g_value_get_uint64 (value);
}

static void
null_source_finalize (GObject *object)
{
  g_clear_pointer (&((NullSource *) object)->bytes, g_bytes_unref);
  G_OBJECT_CLASS (null_source_parent_class)->finalize (object);
}

static void
null_source_class_init (NullSourceClass *klass)
{
  static GstStaticPadTemplate src = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
      GST_STATIC_CAPS ("video/mpegts, systemstream=true, packetsize=188"));

  G_OBJECT_CLASS (klass)->set_property = null_source_set_property;
  G_OBJECT_CLASS (klass)->finalize = null_source_finalize;
  g_object_class_install_property (G_OBJECT_CLASS (klass), NULL_SOURCE_BUFFER_BYTES,
      g_param_spec_uint ("buffer-bytes", "Buffer bytes", "Size of each buffer", TS_BYTES, 1 << 20,
          7 * TS_BYTES, G_PARAM_WRITABLE | G_PARAM_CONSTRUCT));
  g_object_class_install_property (G_OBJECT_CLASS (klass), NULL_SOURCE_RATE,
      g_param_spec_uint64 ("rate", "Rate", "Rate of the time stamps in bit/s; 0: no time stamps", 0,
          G_MAXUINT64, 0, G_PARAM_WRITABLE | G_PARAM_CONSTRUCT));
  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (klass), &src);
  gst_element_class_set_static_metadata (
      GST_ELEMENT_CLASS (klass), "Null source", "Source", "Null packets", "gst-tfrc");
  GST_PUSH_SRC_CLASS (klass)->create = null_source_create;
}

static void
null_source_init (NullSource *self)
{
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}

static void
null_source_register (void)
{
  gst_element_register (NULL, "nullsource", GST_RANK_NONE, null_source_get_type ());
}

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

/* ---- why the rate is what it is ---------------------------------------------------- */

static gdouble
real (const GstStructure *stats, const gchar *name)
{
  gdouble value = 0;

  gst_structure_get_double (stats, name, &value);
  return value;
}

/* Returns the rate of the equation in bytes a second, with b = 1. */
static gdouble
equation_Bps (gdouble segment_bytes, gdouble p, gdouble rtt_s, gdouble rto_s)
{
  return segment_bytes
      / (rtt_s * sqrt (2 * p / 3) + rto_s * 3 * sqrt (3 * p / 8) * p * (1 + 32 * p * p));
}

static void
print_rate (GstElement *tfrc)
{
  GstStructure *stats = NULL;
  gdouble p, rtt_s, rto_s;

  g_object_get (tfrc, "stats", &stats, NULL);
  p = real (stats, "loss-event-rate");
  rtt_s = number (stats, "rtt") / 1e9;
  rto_s = number (stats, "equation-rto") / 1e9;
  g_print ("         X %.0f, X_inst %.0f, 2 max (X_recv_set) %.0f, of the equation %.0f Mbit/s; "
           "p %.3g, R %.0f us, t_RTO %.0f us: the equation says %.0f Mbit/s\n",
      real (stats, "allowed-rate") / 1e6, real (stats, "send-rate") / 1e6,
      real (stats, "receive-limit") / 1e6, real (stats, "equation-rate") / 1e6, p, rtt_s * 1e6,
      rto_s * 1e6, p > 0 ? equation_Bps (real (stats, "segment-size"), p, rtt_s, rto_s) * 8e-6 : 0);
  gst_structure_free (stats);
}

/* Packets that the kernel has dropped so far: because a UDP socket of this network namespace was full,
 * and, on the whole machine, between the link and the sockets. */
typedef struct
{
  guint64 socket, backlog;
} Drops;

static guint64
socket_drops (void)
{
  gchar *text = NULL, *names, *values;
  guint64 drops = 0;

  if (g_file_get_contents ("/proc/self/net/snmp", &text, NULL, NULL)
      && (names = strstr (text, "\nUdp: ")) && (values = strstr (names + 1, "\nUdp: "))) {
    gchar **name = g_strsplit (names + 1, " ", 0), **value = g_strsplit (values + 1, " ", 0);
    guint i = 0;

    while (name[i] && value[i] && !g_str_equal (name[i], "RcvbufErrors"))
      i++;
    if (name[i] && value[i])
      drops = g_ascii_strtoull (value[i], NULL, 10);
    g_strfreev (name);
    g_strfreev (value);
  }
  g_free (text);
  return drops;
}

/* The second number of each processor's line, in base 16 */
static guint64
backlog_drops (void)
{
  FILE *file = fopen ("/proc/net/softnet_stat", "re");
  guint64 drops = 0;
  gchar line[512];

  while (file && fgets (line, sizeof line, file))
    drops += g_ascii_strtoull (strchr (line, ' ') ? strchr (line, ' ') : "0", NULL, 16);
  if (file)
    fclose (file);
  return drops;
}

static Drops
take_drops (void)
{
  return (Drops){ socket_drops (), backlog_drops () };
}

static void
print_drops (const Drops *before)
{
  const Drops after = take_drops ();

  g_print ("         dropped by the kernel: %" G_GUINT64_FORMAT " at the socket, %" G_GUINT64_FORMAT
           " before it\n",
      after.socket - before->socket, after.backlog - before->backlog);
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
  Drops drops;
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
  drops = take_drops ();
  before = take_reading (tfrc, sends);
  g_usleep (atof (argv[2]) * G_USEC_PER_SEC);
  after = take_reading (tfrc, sends);
  print_difference (argv[3], &before, &after);
  if (sends)
    print_rate (tfrc);
  else
    print_drops (&drops);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (tfrc);
  gst_object_unref (pipeline);
  return 0;
}
