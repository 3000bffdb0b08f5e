/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings of tfrcsrc, see gsttfrcsrcsettings.h: the table, and the stream that the settings ask
 * for. */
#include "gsttfrcsrcsettings.h"

#include <string.h>

#include "../common/enums.h"
#include "../common/experiment.h"
#include "../common/streamtrace.h"
#include "../common/uri.h"
#include "../stream/callersignals.h"
#include "../strangers/callpacket.h"
#include "gsttfrcsrcsync.h"

#define DEFAULT_ADDRESS "::"
#define DEFAULT_LATENCY_MS 200
#define DEFAULT_MAX_SIZE_TIME (5 * GST_SECOND)
#define DEFAULT_TIMEOUT (5 * GST_SECOND)
#define DEFAULT_AHEAD_TIME_MS 10000
/* 10 s of 13 Mbit/s; a host that plays a movie can spare it, and a sender that lies gets no more. */
#define DEFAULT_AHEAD_BYTES (16 * 1024 * 1024)
/* R is the bound on paths of the Internet; a sender that claims more gains no more than this. */
#define REORDER_WINDOW_NS GST_SECOND
#define MAX_TIME_MS (24 * 3600 * 1000)
#define CALL_HINT "; a sender there is called by the name of its stream, as tfrc://HOST:PORT/NAME"

/* ---- the table ----------------------------------------------------------- */

static void
get_uri (gconstpointer settings, GValue *value)
{
  const GstTfrcSrcSettings *self = settings;

  g_value_take_string (value,
      gst_tfrc_uri_format (
          self->address, self->port, self->mode == GST_TFRC_MODE_CALLER ? self->stream_id : NULL));
}

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
      .get = get_uri, .set = gst_tfrc_uri_set, .live = GST_TFRC_SRC_LIVE_URI },
  { "mode", "Mode",
      "listener: wait on address and port for a sender; caller: call a sender that listens there",
      READY, ENUM (gst_tfrc_mode_get_type, GST_TFRC_MODE_LISTENER), FIELD (mode) },
  { "streamid", "Stream ID",
      "Up to 512 bytes of UTF-8 without control characters. With mode=caller, which stream is asked for. With "
      "mode=listener, senders have to call and name it; empty is any sender, or any id if the application "
      "decides about callers (caller-connecting)",
      READY, STRING (""), FIELD (stream_id), .check = gst_tfrc_stream_id_check },
  { "address", "Address",
      "Local address to receive on; :: is every address of the host, IPv4 and IPv6. With mode=caller, the "
      "name or address of the sender",
      READY, STRING (DEFAULT_ADDRESS), FIELD (address) },
  { "port", "Port",
      "UDP port to receive on; 0 is any free port, whose number can be read back. With mode=caller, the "
      "sender's",
      READY, INT (0, 65535, GST_TFRC_DEFAULT_PORT), FIELD (port), .live = GST_TFRC_SRC_LIVE_PORT },
  { "rtcp-port", "RTCP port",
      "Further UDP port to receive RTCP on, of senders that do not know TFRC and do not multiplex; 0 is none",
      READY, INT (0, 65535, 0), FIELD (rtcp_port) },
  { "sender-address", "Sender address",
      "Whose packets are taken: those of a host, of a prefix such as 192.0.2.0/24, or of a host "
      "and port; by default those of every sender",
      READY, STRING (NULL), FIELD (sender_address) },
  { "buffer-size", "Buffer size",
      "Size of the kernel's receive buffer in bytes; 0 is what the system allows, up to 4 MiB",
      READY, INT (0, G_MAXINT, 0), FIELD (buffer_size) },
  { "latency", "Latency",
      "Playout delay in milliseconds: how long after a packet was due it is played", PLAYING,
      UINT (0, MAX_TIME_MS, DEFAULT_LATENCY_MS), FIELD (latency_ms),
      .live = GST_TFRC_SRC_LIVE_LIMITS | GST_TFRC_SRC_LIVE_LATENCY },
  { "tell-latency", "Tell latency",
      "Whether the sender is told the latency, after which it need not send a packet", PLAYING,
      ENUM (gst_tfrc_tell_latency_get_type, GST_TFRC_TELL_LATENCY_AUTO), FIELD (tell_latency),
      .live = GST_TFRC_SRC_LIVE_LIMITS },
  { "ahead-time", "Ahead time",
      "How long in milliseconds before it is due a packet of a stored movie may come, if the sender is told "
      "the latency; 0 is not at all",
      PLAYING, UINT (0, MAX_TIME_MS, DEFAULT_AHEAD_TIME_MS), FIELD (ahead_time_ms),
      .live = GST_TFRC_SRC_LIVE_LIMITS },
  { "ahead-bytes", "Ahead bytes", "How many bytes that are not due yet may be held", PLAYING,
      UINT (0, G_MAXUINT32, DEFAULT_AHEAD_BYTES), FIELD (ahead_bytes),
      .live = GST_TFRC_SRC_LIVE_LIMITS },
  { "do-retransmission", "Do retransmission",
      "Ask the sender for packets that are missing, as long as they can be played in time", PLAYING,
      BOOLEAN (TRUE), FIELD (do_retransmission), .live = GST_TFRC_SRC_LIVE_LIMITS },
  { "request-key-unit", "Request key unit",
      "Ask the sender for a key unit when packets are missing for good, which its encoder then makes",
      PLAYING, BOOLEAN (FALSE), FIELD (request_key_unit), .live = GST_TFRC_SRC_LIVE_LIMITS },
  { "max-size-time", "Maximum size time",
      "Time in nanoseconds whose packets may wait for the pipeline before the oldest are dropped; "
      "0 means no limit",
      PLAYING, UINT64 (0, G_MAXINT64, DEFAULT_MAX_SIZE_TIME), FIELD (max_size_time),
      .live = GST_TFRC_SRC_LIVE_LIMITS | GST_TFRC_SRC_LIVE_LATENCY },
  { "timeout", "Timeout",
      "Time in nanoseconds of silence after which messages are posted; 0 is never", PLAYING,
      UINT64 (0, G_MAXINT64, DEFAULT_TIMEOUT), FIELD (timeout), .live = GST_TFRC_SRC_LIVE_LIMITS },
  { "keep-listening", "Keep listening",
      "Wait for another stream when a stream has ended, instead of EOS", READY, BOOLEAN (FALSE),
      FIELD (keep_listening) },
  { "accept-udp-ts", "Accept UDP TS",
      "Play plain transport streams over UDP, too, which nothing protects against other hosts",
      READY, BOOLEAN (FALSE), FIELD (accept_udp_ts) },
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
      UINT (0, MAX_TIME_MS, 0), FIELD (stats_interval_ms), .live = GST_TFRC_SRC_LIVE_LIMITS },
  { "stats", "Statistics", "Statistics of the stream so far", NEVER, BOXED (gst_structure_get_type),
      .live = GST_TFRC_SRC_LIVE_STATS },
  { .name = NULL },
};

/* ---- what a stream needs ------------------------------------------------- */

static gboolean
tells_latency (const GstTfrcSrcSettings *settings)
{
  return settings->tell_latency == GST_TFRC_TELL_LATENCY_AUTO
      ? settings->is_synchronised
      : settings->tell_latency == GST_TFRC_TELL_LATENCY_TRUE;
}

void
gst_tfrc_src_settings_get_limits (
    const GstTfrcSrcSettings *settings, GstTfrcSrcStreamLimits *limits)
{
  limits->window_ns = settings->latency_ms * GST_MSECOND;
  limits->tells_window = tells_latency (settings);
  limits->ahead_ns = settings->open_profile == GST_TFRC_PROFILE_RFC5348_STRICT
      ? 0
      : settings->ahead_time_ms * GST_MSECOND;
  limits->ahead_bytes = settings->ahead_bytes;
  limits->repairs = settings->do_retransmission
      && settings->open_profile != GST_TFRC_PROFILE_RFC5348_STRICT;
  limits->key_units = settings->request_key_unit;
  limits->max_time_ns = settings->max_size_time;
  limits->timeout_ns = settings->timeout;
  limits->stats_interval_ns = settings->stats_interval_ms * GST_MSECOND;
}

gboolean
gst_tfrc_src_settings_get_receiver (
    const GstTfrcSrcSettings *settings, TfrcReceiverConfig *receiver, GError **error)
{
  GstTfrcChoices choices;
  gboolean ok = gst_tfrc_choices_read (&choices, GST_TFRC_END_RECEIVER,
      (GstTfrcProfile) settings->profile, settings->experiment, error);

  if (choices.profile.rules == TFRC_RULES_STRICT)
    tfrc_receiver_config_init_strict (receiver);
  else
    tfrc_receiver_config_init (receiver);
  receiver->history_length = choices.history_length;
  receiver->loss_interval_method = choices.profile.loss_interval_method;
  receiver->loss_classifier = choices.profile.loss_classifier;
  receiver->loss_allowance = choices.profile.loss_allowance;
  receiver->outage_is_one_event = choices.profile.rules != TFRC_RULES_STRICT;
  receiver->reorder_window_ns = choices.profile.rules != TFRC_RULES_STRICT ? REORDER_WINDOW_NS : 0;
  receiver->rto_policy = choices.profile.rto_policy;
  receiver->handover_mode = choices.handover_mode;
  return ok;
}

/* ---- opening a stream ---------------------------------------------------- */

static void
check_buffer_size (GstElement *element, gint wanted, gint effective)
{
  if (effective < wanted)
    GST_ELEMENT_WARNING (element, RESOURCE, SETTINGS,
        ("The kernel's receive buffer is smaller than buffer-size."),
        ("the buffer has %d bytes instead of %d; the sysctl net.core.rmem_max is the limit",
            effective, wanted));
}

/* Reads the senders whose packets the property `sender-address' allows. */
static gboolean
get_senders (const GstTfrcSrcSettings *settings, GstElement *element, GstTfrcAddressFilter *senders)
{
  GError *error = NULL;
  gboolean ok;
  gchar *text;

  GST_OBJECT_LOCK (element);
  text = g_strdup (settings->sender_address);
  GST_OBJECT_UNLOCK (element);
  ok = gst_tfrc_address_filter_parse (senders, text, &error);
  if (!ok)
    GST_ELEMENT_ERROR (
        element, RESOURCE, SETTINGS, ("Property sender-address: %s", error->message), (NULL));
  g_clear_error (&error);
  g_free (text);
  return ok;
}

/* With mode=caller packets of the sender alone are taken, which is called. Otherwise a sender may have to call.
 * @stream_id: set to what is asked for, for g_free(); NULL: nobody is called
 * @taken: set to what senders have to name, for g_free(); "": anything; NULL: they need not call */
static gboolean
get_call (const GstTfrcSrcSettings *settings, GstElement *element, GstTfrcAddressFilter *senders,
    gchar **stream_id, gchar **taken)
{
  gchar *text = NULL, *sender_address, *id;
  GError *error = NULL;
  gboolean calls;

  GST_OBJECT_LOCK (element);
  calls = settings->mode == GST_TFRC_MODE_CALLER;
  sender_address = g_strdup (settings->sender_address);
  if (calls)
    text = g_strdup_printf (
        strchr (settings->address, ':') ? "[%s]:%d" : "%s:%d", settings->address, settings->port);
  id = g_strdup (settings->stream_id ? settings->stream_id : "");
  GST_OBJECT_UNLOCK (element);
  if (calls && sender_address)
    g_set_error (&error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "sender-address has no meaning with mode=caller, as the sender is at address and port");
  else if (gst_tfrc_stream_id_check (id, &error) && calls)
    gst_tfrc_address_filter_parse (senders, text, &error);
  if (error) {
    GST_ELEMENT_ERROR (element, RESOURCE, SETTINGS,
        ("Cannot %s: %s", calls ? "call a sender" : "take calls", error->message), (NULL));
  }
  g_free (sender_address);
  g_free (text);
  *stream_id = calls && error == NULL ? g_strdup (id) : NULL;
  *taken = !calls && error == NULL && (*id != '\0' || gst_tfrc_caller_signals_decide (element))
      ? g_strdup (id)
      : NULL;
  g_free (id);
  if (error == NULL)
    return TRUE;
  g_error_free (error);
  return FALSE;
}

/* Reads what the properties ask of TFRC, which refuses values that are wrong together. */
static gboolean
get_receiver (const GstTfrcSrcSettings *settings, GstElement *element, TfrcReceiverConfig *receiver)
{
  const gchar *problem;
  GError *error = NULL;

  GST_OBJECT_LOCK (element);
  gst_tfrc_src_settings_get_receiver (settings, receiver, &error);
  GST_OBJECT_UNLOCK (element);
  if (error) {
    GST_ELEMENT_ERROR (element, RESOURCE, SETTINGS, ("%s", error->message), (NULL));
    g_error_free (error);
    return FALSE;
  }
  problem = tfrc_receiver_config_problem (receiver);
  if (problem)
    GST_ELEMENT_ERROR (element, RESOURCE, SETTINGS, ("TFRC refuses the properties: %s", problem),
        ("loss-interval-method %s, loss-classifier %s, rto-policy %s",
            gst_tfrc_enum_get_nick (
                GST_TYPE_TFRC_LOSS_INTERVAL_METHOD, receiver->loss_interval_method),
            gst_tfrc_enum_get_nick (GST_TYPE_TFRC_LOSS_CLASSIFIER, receiver->loss_classifier),
            gst_tfrc_enum_get_nick (GST_TYPE_TFRC_RTO_POLICY, receiver->rto_policy)));
  return problem == NULL;
}

GstTfrcSrcStream *
gst_tfrc_src_settings_open (const GstTfrcSrcSettings *settings, GstElement *element,
    GstTfrcSrcEventsFunc events, gpointer user, GstTfrcTrace **trace)
{
  const GstTfrcSocketConfig socket = GST_TFRC_SOCKET_CONFIG_INIT;
  GstTfrcSrcStreamConfig config;
  GstTfrcSrcStream *stream = NULL;
  GError *error = NULL;
  gchar *address, *stream_id, *taken;

  if (!gst_tfrc_uri_check (element) || !get_senders (settings, element, &config.senders)
      || !get_receiver (settings, element, &config.receiver)
      || !get_call (settings, element, &config.senders, &stream_id, &taken))
    return NULL;
  config.stream_id = stream_id;
  GST_OBJECT_LOCK (element);
  config.taken_stream_id = taken;
  address = g_strdup (stream_id ? DEFAULT_ADDRESS : settings->address);
  config.socket = socket;
  config.socket.bind_address = address;
  config.socket.bind_port = stream_id ? 0 : (guint16) settings->port;
  config.rtcp_port = (guint16) settings->rtcp_port;
  config.socket.receive_buffer_bytes = settings->buffer_size;
  gst_tfrc_src_settings_get_limits (settings, &config.limits);
  config.keep_listening = settings->keep_listening;
  config.accept_udp_ts = settings->accept_udp_ts;
  GST_OBJECT_UNLOCK (element);

  *trace = gst_tfrc_stream_trace_open (element, &settings->trace_location, "receiver");
  config.receiver.trace = gst_tfrc_stream_trace_decisions (*trace);
  config.security = (GstTfrcSecurityConfig){ 0 };
  if (gst_tfrc_security_load (element, &settings->security, FALSE, &config.security))
    stream = gst_tfrc_src_stream_new (&config, events, user, &error);
  if (error) {
    /* An address that this host does not have is most often that of a sender, which has to be called. */
    GST_ELEMENT_ERROR (element, RESOURCE, OPEN_READ,
        ("Cannot receive on %s port %d: %s%s", address, config.socket.bind_port, error->message,
            g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND) ? CALL_HINT : ""),
        (NULL));
    g_error_free (error);
  }
  if (stream)
    check_buffer_size (element, config.socket.receive_buffer_bytes,
        gst_tfrc_src_stream_get_receive_buffer_bytes (stream));
  else
    g_clear_pointer (trace, gst_tfrc_trace_free);
  g_free (address);
  g_free (stream_id);
  g_free (taken);
  gst_tfrc_credentials_unref (config.security.credentials);
  return stream;
}
