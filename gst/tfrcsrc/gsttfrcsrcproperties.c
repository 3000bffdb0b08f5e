/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of tfrcsrc: the table, and the functions of the properties that are not fields. */
#include "gsttfrcsrcproperties.h"

#include "../common/experiment.h"
#include "../common/streamtrace.h"
#include "../common/uri.h"
#include "gsttfrcsrcstats.h"

#define DEFAULT_ADDRESS "::"
#define DEFAULT_LATENCY_MS 200
#define DEFAULT_MAX_SIZE_TIME (5 * GST_SECOND)
#define DEFAULT_TIMEOUT (5 * GST_SECOND)
#define MAX_TIME_MS (24 * 3600 * 1000)

/* ---- properties with functions ------------------------------------------- */

/* The port in use, if there is a stream */
static gint
port_of (GstTfrcSrc *self)
{
  gint port;

  if (gst_tfrc_gate_enter (&self->gate)) {
    port = gst_tfrc_src_stream_get_local_port (self->stream);
    gst_tfrc_gate_leave (&self->gate);
  } else {
    GST_OBJECT_LOCK (self);
    port = self->settings.port;
    GST_OBJECT_UNLOCK (self);
  }
  return port;
}

static void
get_uri (GObject *object, GValue *value)
{
  GstTfrcSrc *self = GST_TFRC_SRC (object);
  gint port = port_of (self);

  GST_OBJECT_LOCK (self);
  g_value_take_string (value, gst_tfrc_uri_format (self->settings.address, port));
  GST_OBJECT_UNLOCK (self);
}

static void
set_uri (GObject *object, const GValue *value)
{
  gst_tfrc_uri_set (GST_ELEMENT (object), g_value_get_string (value), "address");
}

static void
get_port (GObject *object, GValue *value)
{
  g_value_set_int (value, port_of (GST_TFRC_SRC (object)));
}

static void
get_stats (GObject *object, GValue *value)
{
  g_value_take_boxed (value, gst_tfrc_src_get_stats (GST_TFRC_SRC (object)));
}

/* ---- settings of a stream that runs -------------------------------------- */

/* The settings are read in turn, so that of two threads the later one has the last word. */
static void
apply_limits (GObject *object)
{
  GstTfrcSrc *self = GST_TFRC_SRC (object);
  GstTfrcSrcStreamLimits limits;

  if (!gst_tfrc_gate_enter_in_turn (&self->gate, GST_TFRC_TURN_SETTINGS))
    return;
  GST_OBJECT_LOCK (self);
  gst_tfrc_src_settings_get_limits (&self->settings, &limits);
  GST_OBJECT_UNLOCK (self);
  gst_tfrc_src_stream_set_limits (self->stream, &limits);
  gst_tfrc_gate_leave_turn (&self->gate, GST_TFRC_TURN_SETTINGS);
}

void
gst_tfrc_src_apply_settings (GstTfrcSrc *self)
{
  apply_limits (G_OBJECT (self));
}

static void
apply_latency (GObject *object)
{
  apply_limits (object);
  gst_element_post_message (GST_ELEMENT (object), gst_message_new_latency (GST_OBJECT (object)));
}

/* ---- the table ----------------------------------------------------------- */

#define STRING GST_TFRC_PROPERTY_STRING
#define INT GST_TFRC_PROPERTY_INT
#define UINT GST_TFRC_PROPERTY_UINT
#define UINT64 GST_TFRC_PROPERTY_UINT64
#define BOOLEAN GST_TFRC_PROPERTY_BOOLEAN
#define ENUM GST_TFRC_PROPERTY_ENUM
#define BOXED GST_TFRC_PROPERTY_BOXED
#define FIELD(member) GST_TFRC_PROPERTY_FIELD (GstTfrcSrcSettings, member)
#define NEVER GST_TFRC_CHANGE_NEVER
#define READY GST_TFRC_CHANGE_READY
#define PLAYING GST_TFRC_CHANGE_PLAYING

const GstTfrcProperty gst_tfrc_src_properties[] = {
  { "uri", "URI",
      "Where to receive, as tfrc://address:port?property=value; a URI with a mistake sets nothing",
      READY, STRING ("tfrc://[" DEFAULT_ADDRESS "]:" G_STRINGIFY (GST_TFRC_DEFAULT_PORT)),
      .get = get_uri, .set = set_uri },
  { "address", "Address",
      "Local address to receive on; :: is every address of the host, IPv4 and IPv6", READY,
      STRING (DEFAULT_ADDRESS), FIELD (address) },
  { "port", "Port", "UDP port to receive on; 0 is any free port, whose number can be read back",
      READY, INT (0, 65535, GST_TFRC_DEFAULT_PORT), FIELD (port), .get = get_port },
  { "sender-address", "Sender address",
      "Whose packets are taken: those of a host, of a prefix such as 192.0.2.0/24, or of a host "
      "and port; by default those of every sender",
      READY, STRING (NULL), FIELD (sender_address) },
  { "buffer-size", "Buffer size",
      "Size of the kernel's receive buffer in bytes; 0 is what the system allows, up to 4 MiB",
      READY, INT (0, G_MAXINT, 0), FIELD (buffer_size) },
  { "latency", "Latency",
      "Playout delay in milliseconds: how long after a packet was due it is played", PLAYING,
      UINT (0, MAX_TIME_MS, DEFAULT_LATENCY_MS), FIELD (latency_ms), .changed = apply_latency },
  { "max-size-time", "Maximum size time",
      "Time in nanoseconds whose packets may wait for the pipeline before the oldest are dropped; "
      "0 means no limit",
      PLAYING, UINT64 (0, G_MAXINT64, DEFAULT_MAX_SIZE_TIME), FIELD (max_size_time),
      .changed = apply_limits },
  { "timeout", "Timeout",
      "Time in nanoseconds of silence after which messages are posted; 0 is never", PLAYING,
      UINT64 (0, G_MAXINT64, DEFAULT_TIMEOUT), FIELD (timeout), .changed = apply_limits },
  { "keep-listening", "Keep listening",
      "Wait for another stream when a stream has ended, instead of EOS", READY, BOOLEAN (FALSE),
      FIELD (keep_listening) },
  GST_TFRC_SECURITY_PROPERTIES (GstTfrcSrcSettings),
  { "profile", "Profile",
      "How the receiver measures loss, and whether it tells damaged packets from dropped ones",
      READY, ENUM (gst_tfrc_profile_get_type, GST_TFRC_PROFILE_RFC5348), FIELD (profile) },
  { "experiment", "Experiment",
      "For experiments: choices that go before the profile's, as key=value,key=value", READY,
      STRING (NULL), FIELD (experiment), .check = gst_tfrc_experiment_check_receiver },
  { "auto-handover", "Automatic handover",
      "Change to another link when the kernel's route to the sender changes", READY,
      BOOLEAN (FALSE), FIELD (auto_handover) },
  GST_TFRC_TRACE_PROPERTY (GstTfrcSrcSettings),
  { "stats-update-interval", "Statistics update interval",
      "Interval of tfrc-stats messages in milliseconds; 0 means no messages", PLAYING,
      UINT (0, MAX_TIME_MS, 0), FIELD (stats_interval_ms), .changed = apply_limits },
  { "stats", "Statistics", "Statistics of the stream so far", NEVER, BOXED (gst_structure_get_type),
      .get = get_stats },
  { .name = NULL },
};
