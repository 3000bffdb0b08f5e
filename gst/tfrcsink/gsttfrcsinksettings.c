/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings of tfrcsink, see gsttfrcsinksettings.h: the table, the description for players, and the
 * stream that the settings ask for. */
#include "gsttfrcsinksettings.h"

#include <float.h>
#include <string.h>

#include "../common/enums.h"
#include "../common/experiment.h"
#include "../common/streamtrace.h"
#include "../common/uri.h"
#include "../io/routes.h"
#include "../strangers/callpacket.h"
#include "description.h"
#include "gsttfrcsinkcallers.h"
#include "gsttfrcsinkenums.h"

#define DEFAULT_HOST "127.0.0.1"
#define ANY_ADDRESS "::" /* every address of the host, IPv4 and IPv6 */
/* More than a host of two cores serves with a movie of 640 kbit/s (docs/scale.md) */
#define DEFAULT_MAX_CALLERS 1000
/* A streaming thread that wakes eight times a second costs little. */
#define DEFAULT_LOOKAHEAD_MS 250
#define DEFAULT_MAX_QUEUE_TIME_MS 2000
#define DEFAULT_MAX_QUEUE_PACKETS 4096
#define DEFAULT_DRAIN_TIMEOUT_MS 10000
#define DEFAULT_AHEAD_TIME_MS 10000

/* Two seconds of 16 Mbit/s: more than a player's delay and R of most streams. Only what is as old as that is
 * kept, so that a slow stream takes less. */
#define DEFAULT_REPAIR_BUFFER (4 * 1024 * 1024)
/* More hops than most routes have, so that a small change of the route costs no packet */
#define DEFAULT_TTL_MIN 32
/* The default that IANA recommends for IP */
#define DEFAULT_TTL_MAX 64
#define BELOW_1 (1 - DBL_EPSILON / 2) /* the largest double that is less than 1 */
#define MAX_TIME_MS (24 * 3600 * 1000)
#define MAX_BITRATE G_GUINT64_CONSTANT (1000000000000)
/* That of RFC 6928, TCP's in Linux and QUIC's (RFC 9002 section 7.2): the most that has been tried */
#define MAX_INITIAL_WINDOW 10
/* A busy machine wakes a thread up this late.  A short queue in the network takes more at once. */
#define DEFAULT_BURST_LIMIT_MS 10

/* ---- the receiver's host -------------------------------------------------- */

/* Neither a name nor an address has these, and a description would get lines from them. */
static gboolean
check_host (const gchar *host, GError **error)
{
  for (; host != NULL && *host != '\0'; host++)
    if (g_ascii_isspace (*host) || g_ascii_iscntrl (*host)) {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
          "The host has a space or a control character, which is in no name or address.");
      return FALSE;
    }
  return TRUE;
}

/* ---- forward error correction ---------------------------------------------- */

static gboolean
check_fec (const gchar *text, GError **error)
{
  GstTfrcFecSetting setting;

  if (gst_tfrc_fec_setting_parse (text, &setting))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
      "\"%s\" is no forward error correction: none, auto, L, \"L,D\" or \"L,D,columns\", with L of 1 to %u, D "
      "of %u to %u, and at most %u packets in a matrix.",
      text, GST_TFRC_FEC_MAX_COLUMNS, GST_TFRC_FEC_MIN_ROWS, GST_TFRC_FEC_MAX_ROWS,
      GST_TFRC_FEC_MAX_PACKETS);
  return FALSE;
}

/* ---- the description for players (SDP, RFC 8866) ------------------------- */

static gboolean
is_protected (const GstTfrcSinkSettings *settings)
{
  return settings->security.protect != GST_TFRC_PROTECT_NONE
      && (settings->security.passphrase || settings->security.private_key_file);
}

/* Returns the receiver's port for RTCP; 0: that of the data. */
static gint
get_rtcp_port (const GstTfrcSinkSettings *settings)
{
  return settings->rtcp_port == 0 && settings->rist ? (settings->port + 1) & 0xffff
                                                    : settings->rtcp_port;
}

/* Returns for how long a packet can be sent again as RFC 4588 says; 0: not at all. */
static guint
get_kept_ms (const GstTfrcSinkSettings *settings)
{
  if (!settings->do_retransmission || settings->repair_buffer == 0 || settings->rist)
    return 0;
  return settings->playout_delay_ms > 0
      ? settings->playout_delay_ms
      : (guint) (GST_TFRC_SEND_LIMITS_UNTOLD_PLAYOUT_NS / GST_MSECOND);
}

/* NULL without a host that can be one, and for a stream with keys, which no player can decrypt. */
static gchar *
sdp_new (const GstTfrcSinkSettings *settings)
{
  const GstTfrcDescription stream = { settings->host, settings->port, get_rtcp_port (settings),
    settings->transport_cc, get_kept_ms (settings), g_strcmp0 (settings->fec, "none") != 0 };

  if (settings->host == NULL || !check_host (settings->host, NULL) || is_protected (settings))
    return NULL;
  return gst_tfrc_description_new (&stream);
}

/* ---- the table ----------------------------------------------------------- */

gchar *
gst_tfrc_sink_settings_get_uri (const GstTfrcSinkSettings *settings)
{
  const gchar *local = settings->bind_address ? settings->bind_address : ANY_ADDRESS;

  return settings->mode == GST_TFRC_MODE_LISTENER
      ? gst_tfrc_uri_format (local, settings->port, NULL)
      : gst_tfrc_uri_format (settings->host, settings->port, settings->stream_id);
}

static void
get_uri (gconstpointer settings, GValue *value)
{
  g_value_take_string (value, gst_tfrc_sink_settings_get_uri (settings));
}

static void
get_sdp (gconstpointer settings, GValue *value)
{
  g_value_take_string (value, sdp_new (settings));
}

#define STRING GST_TFRC_PROPERTY_STRING
#define INT GST_TFRC_PROPERTY_INT
#define UINT GST_TFRC_PROPERTY_UINT
#define UINT64 GST_TFRC_PROPERTY_UINT64
#define DOUBLE GST_TFRC_PROPERTY_DOUBLE
#define BOOLEAN GST_TFRC_PROPERTY_BOOLEAN
#define ENUM GST_TFRC_PROPERTY_ENUM
#define OBJECT GST_TFRC_PROPERTY_OBJECT
#define BOXED GST_TFRC_PROPERTY_BOXED
#define FIELD(member) GST_TFRC_PROPERTY_FIELD (GstTfrcSinkSettings, member)
#define NEVER GST_TFRC_CHANGE_NEVER
#define READY GST_TFRC_CHANGE_READY
#define PLAYING GST_TFRC_CHANGE_PLAYING

const GstTfrcProperty gst_tfrc_sink_properties[] = {
  { "uri", "URI",
      "Destination as tfrc://host:port?property=value; a URI with a mistake sets nothing", READY,
      STRING ("tfrc://" DEFAULT_HOST ":" G_STRINGIFY (GST_TFRC_DEFAULT_PORT)), .get = get_uri,
      .set = gst_tfrc_uri_set },
  { "mode", "Mode",
      "caller: send to the receiver at host and port; listener: wait on port for receivers that call",
      READY, ENUM (gst_tfrc_mode_get_type, GST_TFRC_MODE_CALLER), FIELD (mode) },
  { "streamid", "Stream ID",
      "With mode=caller, call the receiver, which has to listen for calls, and name the stream: up to 512 bytes of "
      "UTF-8 without control characters. Empty is to send at once",
      READY, STRING (""), FIELD (stream_id), .check = gst_tfrc_stream_id_check },
  { "max-callers", "Maximum callers",
      "With mode=listener, how many receivers may be there at one time", PLAYING,
      UINT (0, G_MAXUINT16, DEFAULT_MAX_CALLERS), FIELD (max_callers),
      .live = GST_TFRC_SINK_LIVE_CALLERS },
  { "listener", "Listener",
      "A tfrcsink with mode=listener, one of whose callers this sink serves over the port of that one",
      READY, OBJECT (gst_element_get_type), FIELD (listener) },
  { "caller-id", "Caller",
      "With listener, the id that its signal caller-connecting gave the caller", READY,
      UINT64 (0, G_MAXUINT64, 0), FIELD (caller_id) },
  { "host", "Host", "Name or address of the receiver, which is a single host", READY,
      STRING (DEFAULT_HOST), FIELD (host), .check = check_host },
  { "port", "Port", "UDP port of the receiver, or with mode=listener the local one", READY,
      INT (1, 65535, GST_TFRC_DEFAULT_PORT), FIELD (port) },
  { "bind-address", "Bind address",
      "Local address that packets are sent from, or calls are taken at; by default the kernel chooses, or "
      "calls come to any",
      READY, STRING (NULL), FIELD (bind_address) },
  { "bind-port", "Bind port", "Local UDP port that packets are sent from; 0 is any free port",
      READY, INT (0, 65535, 0), FIELD (bind_port) },
  { "rtcp-port", "RTCP port",
      "UDP port of the receiver for RTCP, if the receiver does not know TFRC and has RTCP on a port of "
      "its own; 0 is the port of the data",
      READY, INT (0, 65535, 0), FIELD (rtcp_port) },
  { "rist", "RIST",
      "The receiver is one of RIST (VSF TR-06-1): packets are sent again as RIST does, and RTCP goes to "
      "the port behind that of the data, if rtcp-port is 0",
      READY, BOOLEAN (FALSE), FIELD (rist) },
  { "transport-cc", "Transport-wide feedback",
      "Number every packet for receivers that do not know TFRC and send transport-wide feedback",
      READY, BOOLEAN (FALSE), FIELD (transport_cc) },
  { "ttl", "TTL",
      "Time to live (IPv4) or hop limit (IPv6) of sent packets; -1 is the system's default",
      PLAYING, INT (-1, 255, -1), FIELD (ttl), .live = GST_TFRC_SINK_LIVE_TTL },
  { "adaptive-ttl", "Adaptive TTL",
      "Let the TTL of sent packets follow the number of hops to the receiver; "
      "a stream that is not protected never gets a larger TTL than it began with",
      READY, BOOLEAN (FALSE), FIELD (adaptive_ttl) },
  { "ttl-min", "Minimum TTL", "Least TTL that adaptive-ttl chooses, at most ttl-max", READY,
      UINT (1, GST_TFRC_MAX_TTL, DEFAULT_TTL_MIN), FIELD (ttl_min) },
  { "ttl-max", "Maximum TTL",
      "Largest TTL that adaptive-ttl chooses, and the TTL while packets may have died on the way",
      READY, UINT (1, GST_TFRC_MAX_TTL, DEFAULT_TTL_MAX), FIELD (ttl_max) },
  { "ttl-alpha", "TTL alpha",
      "Weight of the newer of two numbers of hops in adaptive-ttl, less than 1", READY,
      DOUBLE (0.5, BELOW_1, 0.5), FIELD (ttl_alpha) },
  { "qos-dscp", "QoS DSCP",
      "Differentiated services code point of sent packets; -1 is the system's default", PLAYING,
      INT (-1, 63, -1), FIELD (qos_dscp), .live = GST_TFRC_SINK_LIVE_DSCP },
  { "ecn", "ECN",
      "Use ECN where the system, the receiver and the path allow it: queues then mark packets of data "
      "instead of dropping them",
      READY, BOOLEAN (TRUE), FIELD (ecn) },
  { "buffer-size", "Buffer size",
      "Size of the kernel's send buffer in bytes; 0 is the system's default", READY,
      INT (0, G_MAXINT, 0), FIELD (buffer_size) },
  { "min-bitrate", "Minimum bitrate",
      "Lower limit of the sending rate in bit/s as long as the receiver answers, not TCP-friendly under "
      "heavy loss; 0 is one packet in 64 seconds",
      PLAYING, UINT64 (0, MAX_BITRATE, 0), FIELD (min_bitrate), .live = GST_TFRC_SINK_LIVE_LIMITS },
  { "unresponsive-receiver", "Unresponsive receiver",
      "The receiver sends nothing back: send at min-bitrate at least, though nobody answers", READY,
      BOOLEAN (FALSE), FIELD (unresponsive_receiver) },
  { "max-bitrate", "Maximum bitrate", "Upper limit of the sending rate in bit/s; 0 means no limit",
      PLAYING, UINT64 (0, MAX_BITRATE, 0), FIELD (max_bitrate), .live = GST_TFRC_SINK_LIVE_LIMITS },
  { "start-bitrate", "Start bitrate",
      "Sending rate in bit/s once the round-trip time is known; 0 is initial-window in a round-trip time",
      READY, UINT64 (0, MAX_BITRATE, 0), FIELD (start_bitrate) },
  { "initial-window", "Initial window",
      "How many packets may leave in the first round-trip time; 10 is RFC 6928, 0 is RFC 3390, which "
      "profile rfc5348-strict has always",
      READY, UINT (0, MAX_INITIAL_WINDOW, MAX_INITIAL_WINDOW), FIELD (initial_window) },
  { "remember-rate", "Remember rate",
      "Begin faster on a path that a stream of this process has ended on in the last hour; not with profile "
      "rfc5348-strict",
      READY, BOOLEAN (TRUE), FIELD (remember_rate) },
  { "burst-limit", "Burst limit",
      "Unused sending time in milliseconds that may be made up for at once; "
      "0 is one round-trip time, the limit of RFC 5348",
      READY, UINT (0, MAX_TIME_MS, DEFAULT_BURST_LIMIT_MS), FIELD (burst_limit_ms) },
  { "queue-guard", "Queue guard",
      "Send no more than the path delivers while the path's queue grows", READY, BOOLEAN (TRUE),
      FIELD (queue_guard) },
  { "tcp-model", "TCP model", "Which TCP the stream is as fast as: the throughput equation", READY,
      ENUM (gst_tfrc_model_get_type, TFRC_MODEL_RENO), FIELD (tcp_model) },
  { "profile", "Profile", "How the sender measures the round-trip time and responds to loss", READY,
      ENUM (gst_tfrc_profile_get_type, GST_TFRC_PROFILE_RFC5348), FIELD (profile) },
  { "experiment", "Experiment",
      "For experiments: choices that go before the profile's, as key=value,key=value", READY,
      STRING (NULL), FIELD (experiment), .check = gst_tfrc_experiment_check_sender },
  { "smoothing-time", "Smoothing time",
      "Time in milliseconds over which packets are spread as far as TFRC allows, less than "
      "max-queue-time; 0 sends packets as soon as TFRC allows",
      READY, UINT (0, MAX_TIME_MS, 0), FIELD (smoothing_time_ms) },
  { "allow-migration", "Allow migration", "When the receiver may move to another address", READY,
      ENUM (gst_tfrc_allow_migration_get_type, GST_TFRC_ALLOW_MIGRATION_AUTHENTICATED),
      FIELD (allow_migration) },
  GST_TFRC_SECURITY_PROPERTIES (GstTfrcSinkSettings),
  { "cipher", "Cipher", "Cipher of a protected stream", READY,
      ENUM (gst_tfrc_cipher_get_type, GST_TFRC_CIPHER_AES_128_GCM), FIELD (cipher) },
  { "rekey-interval", "Rekey interval",
      "Time in seconds after which the keys of a protected stream are replaced; 0 is when the limits "
      "of a key demand it",
      READY, UINT (0, MAX_TIME_MS / 1000, 0), FIELD (rekey_interval_s) },
  { "force-key-unit", "Force key unit",
      "Ask upstream for a key unit when the receiver has changed its address or its link", PLAYING,
      BOOLEAN (FALSE), FIELD (force_key_unit) },
  { "drop-null-ts-packets", "Drop null TS packets",
      "Leave out the null packets of the transport stream, which keep a constant rate and carry nothing",
      PLAYING, BOOLEAN (FALSE), FIELD (drop_null_ts_packets) },
  { "lookahead", "Look-ahead",
      "Time in milliseconds by which packets are taken before they are due; "
      "0 lets the pipeline wait for each packet",
      PLAYING, UINT (0, MAX_TIME_MS, DEFAULT_LOOKAHEAD_MS), FIELD (lookahead_ms),
      .live = GST_TFRC_SINK_LIVE_LIMITS },
  { "ahead-time", "Ahead time",
      "How long in milliseconds before it is due a packet may leave, of input that is not live and if the "
      "receiver allows it; 0 is not at all",
      PLAYING, UINT (0, MAX_TIME_MS, DEFAULT_AHEAD_TIME_MS), FIELD (ahead_time_ms),
      .live = GST_TFRC_SINK_LIVE_LIMITS },
  { "max-queue-time", "Maximum queue time",
      "Longest time in milliseconds that a packet may wait after it is due; 0 means no limit",
      PLAYING, UINT (0, MAX_TIME_MS, DEFAULT_MAX_QUEUE_TIME_MS), FIELD (max_queue_time_ms),
      .live = GST_TFRC_SINK_LIVE_LIMITS },
  { "max-queue-packets", "Maximum queue packets", "Number of packets that may wait to be sent",
      PLAYING, UINT (1, G_MAXINT, DEFAULT_MAX_QUEUE_PACKETS), FIELD (max_queue_packets),
      .live = GST_TFRC_SINK_LIVE_LIMITS },
  { "leaky", "Leaky", "What gives way when the queue is full", PLAYING,
      ENUM (gst_tfrc_sink_leaky_get_type, GST_TFRC_LEAKY_NONE), FIELD (leaky),
      .live = GST_TFRC_SINK_LIVE_LIMITS },
  { "deadline", "Deadline",
      "Drop what cannot be played in time, the least important first, where the delay of the player is "
      "known: the receiver tells it, or playout-delay",
      PLAYING, BOOLEAN (TRUE), FIELD (deadline), .live = GST_TFRC_SINK_LIVE_LIMITS },
  { "playout-delay", "Playout delay",
      "Delay of the player in milliseconds, for a receiver that does not tell it; 0 means unknown",
      PLAYING, UINT (0, MAX_TIME_MS, 0), FIELD (playout_delay_ms),
      .live = GST_TFRC_SINK_LIVE_LIMITS },
  { "do-retransmission", "Do retransmission",
      "Send packets again that the receiver asks for, if they can be played in time", PLAYING,
      BOOLEAN (TRUE), FIELD (do_retransmission), .live = GST_TFRC_SINK_LIVE_LIMITS },
  { "repair-buffer", "Repair buffer",
      "How many bytes of memory hold what can be sent again, at most", PLAYING,
      UINT (0, G_MAXUINT32, DEFAULT_REPAIR_BUFFER), FIELD (repair_buffer),
      .live = GST_TFRC_SINK_LIVE_LIMITS },
  { "fec", "Forward error correction",
      "SMPTE ST 2022-1: none; auto, where no repair can be in time; rows of L packets (L), rows and columns "
      "of a matrix (L,D), or columns (L,D,columns)",
      PLAYING, STRING ("none"), FIELD (fec), .check = check_fec,
      .live = GST_TFRC_SINK_LIVE_LIMITS },
  { "drain-timeout", "Drain timeout",
      "Longest time in milliseconds that the end of the stream waits until what has run ahead is due, and then "
      "until all is sent",
      PLAYING, UINT (0, MAX_TIME_MS, DEFAULT_DRAIN_TIMEOUT_MS), FIELD (drain_timeout_ms),
      .live = GST_TFRC_SINK_LIVE_LIMITS },
  { "no-receiver", "No receiver",
      "What the end of a stream is that nobody has answered and of which packets were dropped",
      PLAYING, ENUM (gst_tfrc_no_receiver_get_type, GST_TFRC_NO_RECEIVER_WARN),
      FIELD (no_receiver) },
  GST_TFRC_TRACE_PROPERTY (GstTfrcSinkSettings),
  { "stats-update-interval", "Statistics update interval",
      "Interval of tfrc-stats messages in milliseconds; 0 means no messages", PLAYING,
      UINT (0, MAX_TIME_MS, 0), FIELD (stats_interval_ms), .live = GST_TFRC_SINK_LIVE_LIMITS },
  { "estimated-bitrate", "Estimated bitrate",
      "Rate that an encoder can be given now, in bit/s of transport stream", NEVER,
      UINT64 (0, G_MAXUINT64, 0), .live = GST_TFRC_SINK_LIVE_BITRATE },
  { "sdp", "SDP", "Description of the stream for RTP players; none for a stream with keys", NEVER,
      STRING (NULL), .get = get_sdp },
  { "stats", "Statistics", "Statistics of the stream so far", NEVER, BOXED (gst_structure_get_type),
      .live = GST_TFRC_SINK_LIVE_STATS },
  { .name = NULL },
};

/* ---- what a stream needs ------------------------------------------------- */

gboolean
gst_tfrc_sink_settings_get_rate (
    const GstTfrcSinkSettings *settings, GstTfrcSinkRateConfig *rate, GError **error)
{
  GstTfrcProfile profile = (GstTfrcProfile) settings->profile;
  GstTfrcChoices choices;
  gboolean ok = gst_tfrc_choices_read (
      &choices, GST_TFRC_END_SENDER, profile, settings->experiment, error);

  rate->start_bitrate = settings->start_bitrate;
  rate->initial_window = settings->initial_window;
  rate->burst_limit_ns = settings->burst_limit_ms * GST_MSECOND;
  rate->queue_guard = settings->queue_guard;
  rate->profile = profile;
  rate->rtt_method = choices.profile.rtt_method;
  rate->rto_policy = choices.profile.rto_policy;
  rate->loss_response = choices.profile.loss_response;
  rate->link_error_gain = choices.profile.link_error_gain;
  rate->model = (TfrcModel) settings->tcp_model;
  rate->rules = choices.profile.rules;
  rate->rate_scale = choices.rate_scale;
  rate->mute_receiver = settings->unresponsive_receiver;
  return ok;
}

void
gst_tfrc_sink_settings_get_limits (const GstTfrcSinkSettings *settings, GstTfrcSinkLimits *limits)
{
  const gboolean is_strict = settings->open_profile == GST_TFRC_PROFILE_RFC5348_STRICT;

  limits->min_bitrate = settings->min_bitrate;
  limits->max_bitrate = settings->max_bitrate;
  limits->max_queue_packets = settings->max_queue_packets;
  limits->max_queue_time_ns = settings->max_queue_time_ms * GST_MSECOND;
  limits->leaky = (GstTfrcLeaky) settings->leaky;
  limits->deadline = settings->deadline && !is_strict;
  limits->ahead_ns = is_strict ? 0 : settings->ahead_time_ms * GST_MSECOND;
  limits->lookahead_ns = settings->lookahead_ms * GST_MSECOND;
  limits->drain_timeout_ns = settings->drain_timeout_ms * GST_MSECOND;
  limits->playout_delay_ns = settings->playout_delay_ms * GST_MSECOND;
  limits->repair_bytes = settings->do_retransmission && !is_strict ? settings->repair_buffer : 0;
  gst_tfrc_fec_setting_parse (is_strict ? NULL : settings->fec, &limits->fec);
  limits->stats_interval_ns = settings->stats_interval_ms * GST_MSECOND;
}

/* ---- opening a stream ---------------------------------------------------- */

static gboolean
check_texts (const GstTfrcSinkSettings *settings, GError **problem)
{
  return check_host (settings->host, problem)
      && gst_tfrc_stream_id_check (settings->stream_id, problem);
}

/* Copies the settings of a stream.  The caller frees @host and the texts of @config.
 * @problem: set if a setting is wrong */
static void
get_config (const GstTfrcSinkSettings *settings, GstElement *element,
    GstTfrcSinkStreamConfig *config, gchar **host, gint *port, GError **problem)
{
  const GstTfrcSocketConfig socket = GST_TFRC_SOCKET_CONFIG_INIT;

  memset (config, 0, sizeof *config);
  GST_OBJECT_LOCK (element);
  *host = g_strdup (settings->host);
  *port = settings->port;
  config->socket = socket;
  config->socket.bind_address = g_strdup (settings->bind_address);
  config->socket.bind_port = (guint16) settings->bind_port;
  config->is_listening = settings->mode == GST_TFRC_MODE_LISTENER;
  config->max_callers = settings->max_callers;
  config->stream_id = settings->stream_id && *settings->stream_id ? g_strdup (settings->stream_id)
                                                                  : NULL;
  config->caller_id = settings->caller_id;
  config->flow.rtcp_port = (guint16) get_rtcp_port (settings);
  config->flow.session.media.streams[GST_TFRC_RTP_REPAIR].rist = settings->rist;
  config->flow.session.media.transport_seq = settings->transport_cc
      ? GST_TFRC_TRANSPORT_SEQ_ALWAYS
      : GST_TFRC_TRANSPORT_SEQ_IF_DIFFERENT;
  config->socket.ttl = settings->ttl;
  config->flow.session.media.adaptive_ttl.enabled = settings->adaptive_ttl;
  config->flow.session.media.adaptive_ttl.min = settings->ttl_min;
  config->flow.session.media.adaptive_ttl.max = settings->ttl_max;
  config->flow.session.media.adaptive_ttl.alpha = settings->ttl_alpha;
  config->socket.dscp = settings->qos_dscp;
  config->flow.session.media.ecn = settings->ecn;
  config->socket.send_buffer_bytes = settings->buffer_size;
  config->remember_rate = settings->remember_rate
      && settings->profile != GST_TFRC_PROFILE_RFC5348_STRICT;
  config->flow.smoothing_ns = settings->smoothing_time_ms * GST_MSECOND;
  if (gst_tfrc_sink_settings_get_rate (settings, &config->flow.session.media.rate, problem))
    check_texts (settings, problem);
  config->flow.session.allow_migration = (GstTfrcAllowMigration) settings->allow_migration;
  gst_tfrc_sink_settings_get_limits (settings, &config->flow.limits);
  config->flow.security.cipher = (GstTfrcCipher) settings->cipher;
  config->flow.security.rekey_interval_ns = settings->rekey_interval_s * GST_SECOND;
  GST_OBJECT_UNLOCK (element);
}

/* Finds the receiver, which has to be a single host. */
static gboolean
find_peer (GstTfrcAddress *peer, const gchar *host, gint port, GError **error)
{
  if (!gst_tfrc_address_resolve (peer, host, (guint16) port, AF_UNSPEC, error))
    return FALSE;
  if (!gst_tfrc_address_is_unicast (peer)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "%s is not the address of a single host; TFRC needs the feedback of one receiver", host);
    return FALSE;
  }
  if (gst_tfrc_route_is_broadcast (peer)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "%s is the broadcast address of a network; TFRC needs the feedback of one receiver", host);
    return FALSE;
  }
  return TRUE;
}

/* Says where calls come to. */
static void
listen_at_port (GstTfrcSinkStreamConfig *config, gint port)
{
  if (config->socket.bind_address == NULL)
    config->socket.bind_address = g_strdup (ANY_ADDRESS);
  config->socket.bind_port = (guint16) port;
  config->remember_rate = FALSE;
}

static gboolean
find_end (GstTfrcSinkStreamConfig *config, const gchar *host, gint port, GError **error)
{
  if (config->is_listening) {
    listen_at_port (config, port);
    return TRUE;
  }
  if (!find_peer (&config->flow.session.peer, host, port, error))
    return FALSE;
  config->socket.family = gst_tfrc_address_family (&config->flow.session.peer);
  return TRUE;
}

/* Packets that smoothing spreads wait in the queue for up to smoothing_ns, so max-queue-time must
 * not be shorter. */
static void
check_smoothing (GstElement *element, const GstTfrcSendFlowConfig *flow)
{
  if (flow->smoothing_ns > 0 && flow->limits.max_queue_time_ns > 0
      && flow->smoothing_ns >= flow->limits.max_queue_time_ns)
    GST_ELEMENT_WARNING (element, RESOURCE, SETTINGS,
        ("smoothing-time is not less than max-queue-time."),
        ("packets are spread over %" GST_TIME_FORMAT ", but may wait for %" GST_TIME_FORMAT " only",
            GST_TIME_ARGS (flow->smoothing_ns), GST_TIME_ARGS (flow->limits.max_queue_time_ns)));
}

/* TFRC refuses values that are wrong together. */
static gboolean
check_rate (GstElement *element, const GstTfrcSinkRateConfig *rate)
{
  const gchar *problem = gst_tfrc_sink_rate_config_get_problem (rate);

  if (problem)
    GST_ELEMENT_ERROR (element, RESOURCE, SETTINGS, ("TFRC refuses the properties: %s", problem),
        ("rtt-method %s, rto-policy %s, loss-response %s",
            gst_tfrc_enum_get_nick (GST_TYPE_TFRC_RTT_METHOD, rate->rtt_method),
            gst_tfrc_enum_get_nick (GST_TYPE_TFRC_RTO_POLICY, rate->rto_policy),
            gst_tfrc_enum_get_nick (GST_TYPE_TFRC_LOSS_RESPONSE, rate->loss_response)));
  return problem == NULL;
}

/* The ranges of the properties allow what is refused here.
 * @problem: what get_config() has found, or NULL */
static gboolean
check_config (GstElement *element, const GstTfrcSinkStreamConfig *config, const GError *problem)
{
  const GstTfrcSinkLimits *limits = &config->flow.limits;

  check_smoothing (element, &config->flow);
  if (problem) {
    GST_ELEMENT_ERROR (element, RESOURCE, SETTINGS, ("%s", problem->message), (NULL));
    return FALSE;
  }
  if (config->socket.ttl == 0) {
    GST_ELEMENT_ERROR (element, RESOURCE, SETTINGS,
        ("The TTL is 0: no packet could leave this host."),
        ("ttl is -1, the system's default, or 1 to 255"));
    return FALSE;
  }
  if (limits->max_bitrate > 0 && limits->min_bitrate > limits->max_bitrate) {
    GST_ELEMENT_ERROR (element, RESOURCE, SETTINGS, ("min-bitrate is above max-bitrate."),
        ("min-bitrate %" G_GUINT64_FORMAT ", max-bitrate %" G_GUINT64_FORMAT, limits->min_bitrate,
            limits->max_bitrate));
    return FALSE;
  }
  return check_rate (element, &config->flow.session.media.rate);
}

static void
post_problem (GstElement *element, const GstTfrcSinkStreamConfig *config, gboolean is_guest,
    const gchar *host, gint port, const GError *error)
{
  const GstTfrcSocketConfig *socket = &config->socket;

  if (is_guest)
    GST_ELEMENT_ERROR (
        element, RESOURCE, OPEN_WRITE, ("Cannot serve a caller: %s", error->message), (NULL));
  else
    GST_ELEMENT_ERROR (element, RESOURCE, OPEN_WRITE,
        ("Cannot %s %s port %d: %s", config->is_listening ? "listen on" : "send to",
            config->is_listening ? socket->bind_address : host, port, error->message),
        ("bind-address %s, bind-port %d", socket->bind_address ? socket->bind_address : "(any)",
            socket->bind_port));
}

GstTfrcSinkStream *
gst_tfrc_sink_settings_open (const GstTfrcSinkSettings *settings, GstElement *element,
    GstTfrcRunning *listener, GstTfrcSinkStreamEvents events, gpointer user, GstTfrcTrace **trace)
{
  GstTfrcSinkStreamConfig config;
  GstTfrcSinkStream *stream = NULL;
  GError *problem = NULL, *error = NULL;
  gchar *host;
  gint port;

  if (!gst_tfrc_uri_check (element))
    return NULL;
  get_config (settings, element, &config, &host, &port, &problem);
  config.is_listening = config.is_listening && listener == NULL;
  *trace = gst_tfrc_stream_trace_open (element, &settings->trace_location, "sender");
  config.flow.trace = *trace;
  config.flow.session.media.rate.decisions = gst_tfrc_stream_trace_decisions (*trace);
  if (check_config (element, &config, problem)
      && gst_tfrc_security_load (element, &settings->security, TRUE, &config.flow.security)
      && (listener || find_end (&config, host, port, &error)))
    stream = listener ? gst_tfrc_sink_callers_open_guest (listener, &config, events, user, &error)
                      : gst_tfrc_sink_stream_new (&config, events, user, &error);
  if (error)
    post_problem (element, &config, listener != NULL, host, port, error);
  g_clear_error (&error);
  if (stream == NULL)
    g_clear_pointer (trace, gst_tfrc_trace_free);
  g_clear_error (&problem);
  g_free (host);
  g_free ((gchar *) config.socket.bind_address);
  g_free ((gchar *) config.stream_id);
  gst_tfrc_credentials_unref (config.flow.security.credentials);
  return stream;
}
