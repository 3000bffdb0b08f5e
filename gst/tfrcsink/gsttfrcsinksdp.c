/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The description of a stream for players, see gsttfrcsinksdp.h. */
#include "gsttfrcsinksdp.h"

#include <string.h>

#include <gst/sdp/sdp.h>
#include <tfrc/wire.h>

static gboolean
is_protected (const GstTfrcSinkSettings *settings)
{
  return settings->security.protect != GST_TFRC_PROTECT_NONE
      && (settings->security.passphrase || settings->security.private_key_file);
}

/* The receiver's RTCP has the port of the data, or a port of its own (RFC 3605). */
static void
add_rtcp (GstSDPMedia *media, const GstTfrcSinkSettings *settings)
{
  gchar *port;

  if (settings->rtcp_port == 0) {
    gst_sdp_media_add_attribute (media, "rtcp-mux", "");
    return;
  }
  port = g_strdup_printf ("%d", settings->rtcp_port);
  gst_sdp_media_add_attribute (media, "rtcp", port);
  g_free (port);
}

/* The header extension (RFC 8285), and the feedback that it is for */
static void
add_transport_cc (GstSDPMedia *media)
{
  gchar *map = g_strdup_printf (
      "%d %s", TFRC_WIRE_EXT_ID_TRANSPORT_SEQ, TFRC_WIRE_EXT_TRANSPORT_SEQ_URI);
  gchar *feedback = g_strdup_printf ("%d transport-cc", TFRC_WIRE_PAYLOAD_TYPE);

  gst_sdp_media_add_attribute (media, "extmap", map);
  gst_sdp_media_add_attribute (media, "rtcp-fb", feedback);
  g_free (map);
  g_free (feedback);
}

static void
add_media (GstSDPMessage *message, const GstTfrcSinkSettings *settings)
{
  gchar *format = g_strdup_printf ("%u", TFRC_WIRE_PAYLOAD_TYPE);
  gchar *map = g_strdup_printf ("%s MP2T/%u", format, TFRC_WIRE_CLOCK_RATE);
  GstSDPMedia *media;

  gst_sdp_media_new (&media);
  gst_sdp_media_set_media (media, "video");
  gst_sdp_media_set_port_info (media, (guint) settings->port, 1);
  gst_sdp_media_set_proto (media, settings->transport_cc ? "RTP/AVPF" : "RTP/AVP");
  gst_sdp_media_add_format (media, format);
  gst_sdp_media_add_attribute (media, "rtpmap", map);
  add_rtcp (media, settings);
  if (settings->transport_cc)
    add_transport_cc (media);
  gst_sdp_media_add_attribute (media, "recvonly", "");
  gst_sdp_message_add_media (message, media);
  gst_sdp_media_free (media);
  g_free (map);
  g_free (format);
}

gchar *
gst_tfrc_sink_sdp_new (const GstTfrcSinkSettings *settings)
{
  GstSDPMessage *message;
  const gchar *family;
  gchar *text;

  if (settings->host == NULL || is_protected (settings))
    return NULL;
  family = strchr (settings->host, ':') ? "IP6" : "IP4";
  gst_sdp_message_new (&message);
  gst_sdp_message_set_version (message, "0");
  /* A player needs no unique session and no address of the sender. */
  gst_sdp_message_set_origin (message, "-", "0", "0", "IN", "IP4", "0.0.0.0");
  gst_sdp_message_set_session_name (message, "MPEG transport stream");
  /* FFmpeg does not find an address that stands behind the media. */
  gst_sdp_message_set_connection (message, "IN", family, settings->host, 0, 0);
  gst_sdp_message_add_time (message, "0", "0", NULL);
  add_media (message, settings);
  text = gst_sdp_message_as_text (message);
  gst_sdp_message_free (message);
  return text;
}
