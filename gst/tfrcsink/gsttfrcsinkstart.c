/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens the stream of tfrcsink with the settings of the element. */
#include "gsttfrcsinkstart.h"

#include <string.h>

#include "../common/enums.h"
#include "../common/streamtrace.h"
#include "../common/uri.h"
#include "../io/routes.h"
#include "gsttfrcsinkevents.h"
#include "gsttfrcsinkproperties.h"

#define GST_CAT_DEFAULT gst_tfrc_sink_debug

/* Copies the settings of a stream.  The caller frees @host and config->socket.bind_address.
 * @problem: set if a setting is wrong */
static void
get_config (
    GstTfrcSink *self, GstTfrcSinkStreamConfig *config, gchar **host, gint *port, GError **problem)
{
  const GstTfrcSocketConfig socket = GST_TFRC_SOCKET_CONFIG_INIT;

  memset (config, 0, sizeof *config);
  GST_OBJECT_LOCK (self);
  *host = g_strdup (self->settings.host);
  *port = self->settings.port;
  config->socket = socket;
  config->socket.bind_address = g_strdup (self->settings.bind_address);
  config->socket.bind_port = (guint16) self->settings.bind_port;
  config->flow.rtcp_port = (guint16) self->settings.rtcp_port;
  config->flow.session.media.transport_seq = self->settings.transport_cc
      ? GST_TFRC_TRANSPORT_SEQ_ALWAYS
      : GST_TFRC_TRANSPORT_SEQ_IF_DIFFERENT;
  config->socket.ttl = self->settings.ttl;
  config->flow.session.media.adaptive_ttl.enabled = self->settings.adaptive_ttl;
  config->flow.session.media.adaptive_ttl.min = self->settings.ttl_min;
  config->flow.session.media.adaptive_ttl.max = self->settings.ttl_max;
  config->flow.session.media.adaptive_ttl.alpha = self->settings.ttl_alpha;
  config->socket.dscp = self->settings.qos_dscp;
  config->flow.session.media.ecn = self->settings.ecn;
  config->socket.send_buffer_bytes = self->settings.buffer_size;
  config->flow.smoothing_ns = self->settings.smoothing_time_ms * GST_MSECOND;
  gst_tfrc_sink_settings_get_rate (&self->settings, &config->flow.session.media.rate, problem);
  config->flow.session.allow_migration = (GstTfrcAllowMigration) self->settings.allow_migration;
  gst_tfrc_sink_get_limits (&self->settings, &config->flow.limits);
  config->flow.security.cipher = (GstTfrcCipher) self->settings.cipher;
  config->flow.security.rekey_interval_ns = self->settings.rekey_interval_s * GST_SECOND;
  GST_OBJECT_UNLOCK (self);
}

static GstTfrcSinkStream *
open_stream (GstTfrcSink *self, GstTfrcSinkStreamConfig *config, const gchar *host, gint port,
    GError **error)
{
  if (!gst_tfrc_address_resolve (
          &config->flow.session.peer, host, (guint16) port, AF_UNSPEC, error))
    return NULL;
  if (!gst_tfrc_address_is_unicast (&config->flow.session.peer)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "%s is not the address of a single host; TFRC needs the feedback of one receiver", host);
    return NULL;
  }
  if (gst_tfrc_route_is_broadcast (&config->flow.session.peer)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "%s is the broadcast address of a network; TFRC needs the feedback of one receiver", host);
    return NULL;
  }
  config->socket.family = gst_tfrc_address_family (&config->flow.session.peer);
  return gst_tfrc_sink_stream_new (config, gst_tfrc_sink_on_events, self, error);
}

/* Packets that smoothing spreads wait in the queue for up to smoothing_ns, so max-queue-time must
 * not be shorter. */
static void
check_smoothing (GstTfrcSink *self, const GstTfrcSinkStreamConfig *config)
{
  if (config->flow.smoothing_ns > 0 && config->flow.limits.max_queue_time_ns > 0
      && config->flow.smoothing_ns >= config->flow.limits.max_queue_time_ns)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("smoothing-time is not less than max-queue-time."),
        ("packets are spread over %" GST_TIME_FORMAT ", but may wait for %" GST_TIME_FORMAT " only",
            GST_TIME_ARGS (config->flow.smoothing_ns),
            GST_TIME_ARGS (config->flow.limits.max_queue_time_ns)));
}

/* TFRC refuses values that are wrong together. */
static gboolean
check_rate (GstTfrcSink *self, const GstTfrcSinkRateConfig *rate)
{
  const gchar *problem = gst_tfrc_sink_rate_config_get_problem (rate);

  if (problem)
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("TFRC refuses the properties: %s", problem),
        ("rtt-method %s, rto-policy %s, loss-response %s",
            gst_tfrc_enum_get_nick (GST_TYPE_TFRC_RTT_METHOD, rate->rtt_method),
            gst_tfrc_enum_get_nick (GST_TYPE_TFRC_RTO_POLICY, rate->rto_policy),
            gst_tfrc_enum_get_nick (GST_TYPE_TFRC_LOSS_RESPONSE, rate->loss_response)));
  return problem == NULL;
}

/* The ranges of the properties allow these values. */
static gboolean
check_values (GstTfrcSink *self, const GstTfrcSinkStreamConfig *config)
{
  const GstTfrcSinkLimits *limits = &config->flow.limits;

  if (config->socket.ttl == 0) {
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("The TTL is 0: no packet could leave this host."),
        ("ttl is -1, the system's default, or 1 to 255"));
    return FALSE;
  }
  if (limits->max_bitrate > 0 && limits->min_bitrate > limits->max_bitrate) {
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("min-bitrate is above max-bitrate."),
        ("min-bitrate %" G_GUINT64_FORMAT ", max-bitrate %" G_GUINT64_FORMAT, limits->min_bitrate,
            limits->max_bitrate));
    return FALSE;
  }
  return check_rate (self, &config->flow.session.media.rate);
}

/* @problem: what get_config() has found, or NULL */
static gboolean
check_settings (GstTfrcSink *self, const GstTfrcSinkStreamConfig *config, const GError *problem)
{
  if (problem)
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("%s", problem->message), (NULL));
  return problem == NULL && check_values (self, config);
}

GstTfrcSinkStream *
gst_tfrc_sink_start_open (GstTfrcSink *self)
{
  GstTfrcSinkStreamConfig config;
  GstTfrcSinkStream *stream = NULL;
  GError *problem = NULL, *error = NULL;
  gchar *host;
  gint port;

  if (!gst_tfrc_uri_check (GST_ELEMENT (self)))
    return NULL;
  get_config (self, &config, &host, &port, &problem);
  self->trace = gst_tfrc_stream_trace_open (
      GST_ELEMENT (self), &self->settings.trace_location, "sender");
  config.flow.trace = self->trace;
  config.flow.session.media.rate.decisions = gst_tfrc_stream_trace_decisions (self->trace);
  check_smoothing (self, &config);
  if (check_settings (self, &config, problem)
      && gst_tfrc_security_load (
          GST_ELEMENT (self), &self->settings.security, TRUE, &config.flow.security))
    stream = open_stream (self, &config, host, port, &error);
  if (error) {
    GST_ELEMENT_ERROR (self, RESOURCE, OPEN_WRITE,
        ("Cannot send to %s port %d: %s", host, port, error->message),
        ("bind-address %s, bind-port %d",
            config.socket.bind_address ? config.socket.bind_address : "(any)",
            config.socket.bind_port));
    g_error_free (error);
  }
  g_clear_error (&problem);
  g_free (host);
  g_free ((gchar *) config.socket.bind_address);
  gst_tfrc_credentials_unref (config.flow.security.credentials);
  return stream;
}
