/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The description of a stream for players, see description.h. */
#include "description.h"

#include <string.h>

#include <gst/sdp/sdp.h>
#include <tfrc/wire.h>

static void add_attribute (GstSDPMedia *media, const gchar *name, const gchar *format, ...)
    G_GNUC_PRINTF (3, 4);

static void
add_attribute (GstSDPMedia *media, const gchar *name, const gchar *format, ...)
{
  va_list arguments;
  gchar *value;

  va_start (arguments, format);
  value = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  gst_sdp_media_add_attribute (media, name, value);
  g_free (value);
}

/* The receiver's RTCP has the port of the data, or a port of its own (RFC 3605). */
static void
add_rtcp (GstSDPMedia *media, const GstTfrcDescription *stream)
{
  if (stream->rtcp_port == 0)
    gst_sdp_media_add_attribute (media, "rtcp-mux", "");
  else
    add_attribute (media, "rtcp", "%d", stream->rtcp_port);
}

/* The header extension (RFC 8285), and the feedback that it is for */
static void
add_transport_cc (GstSDPMedia *media)
{
  add_attribute (
      media, "extmap", "%d %s", TFRC_WIRE_EXT_ID_TRANSPORT_SEQ, TFRC_WIRE_EXT_TRANSPORT_SEQ_URI);
  add_attribute (media, "rtcp-fb", "%d transport-cc", TFRC_WIRE_PAYLOAD_TYPE);
}

/* Lost packets may be asked for (RFC 4585), and come again as another payload type (RFC 4588). */
static void
add_repairs (GstSDPMedia *media, const GstTfrcDescription *stream)
{
  add_attribute (media, "rtcp-fb", "%d nack", TFRC_WIRE_PAYLOAD_TYPE);
  add_attribute (media, "rtpmap", "%d rtx/%d", TFRC_WIRE_REPAIR_PAYLOAD_TYPE, TFRC_WIRE_CLOCK_RATE);
  add_attribute (media, "fmtp", "%d apt=%d;rtx-time=%u", TFRC_WIRE_REPAIR_PAYLOAD_TYPE,
      TFRC_WIRE_PAYLOAD_TYPE, stream->kept_ms);
}

/* A receiver may have the encoder asked for a key unit (RFC 4585 section 6.3.1). */
static void
add_picture_loss (GstSDPMedia *media)
{
  add_attribute (media, "rtcp-fb", "%d nack pli", TFRC_WIRE_PAYLOAD_TYPE);
}

/* RFC 3009 has the name of the form that ST 2022-1 extends. */
static void
add_fec (GstSDPMedia *media)
{
  add_attribute (
      media, "rtpmap", "%d parityfec/%d", TFRC_WIRE_FEC_PAYLOAD_TYPE, TFRC_WIRE_CLOCK_RATE);
}

static void
add_media (GstSDPMessage *message, const GstTfrcDescription *stream)
{
  const gboolean has_repairs = stream->kept_ms > 0;
  const gboolean has_feedback = has_repairs || stream->transport_cc;
  GstSDPMedia *media;

  gst_sdp_media_new (&media);
  gst_sdp_media_set_media (media, "video");
  gst_sdp_media_set_port_info (media, (guint) stream->port, 1);
  gst_sdp_media_set_proto (media, has_feedback ? "RTP/AVPF" : "RTP/AVP");
  gst_sdp_media_add_format (media, G_STRINGIFY (TFRC_WIRE_PAYLOAD_TYPE));
  if (has_repairs)
    gst_sdp_media_add_format (media, G_STRINGIFY (TFRC_WIRE_REPAIR_PAYLOAD_TYPE));
  if (stream->fec)
    gst_sdp_media_add_format (media, G_STRINGIFY (TFRC_WIRE_FEC_PAYLOAD_TYPE));
  add_attribute (media, "rtpmap", "%d MP2T/%d", TFRC_WIRE_PAYLOAD_TYPE, TFRC_WIRE_CLOCK_RATE);
  add_rtcp (media, stream);
  if (stream->transport_cc)
    add_transport_cc (media);
  if (has_feedback)
    add_picture_loss (media);
  if (has_repairs)
    add_repairs (media, stream);
  if (stream->fec)
    add_fec (media);
  gst_sdp_media_add_attribute (media, "recvonly", "");
  gst_sdp_message_add_media (message, media);
  gst_sdp_media_free (media);
}

gchar *
gst_tfrc_description_new (const GstTfrcDescription *stream)
{
  const gchar *family = strchr (stream->host, ':') ? "IP6" : "IP4";
  GstSDPMessage *message;
  gchar *text;

  gst_sdp_message_new (&message);
  gst_sdp_message_set_version (message, "0");
  /* A player needs no unique session and no address of the sender. */
  gst_sdp_message_set_origin (message, "-", "0", "0", "IN", "IP4", "0.0.0.0");
  gst_sdp_message_set_session_name (message, "MPEG transport stream");
  /* FFmpeg does not find an address that stands behind the media. */
  gst_sdp_message_set_connection (message, "IN", family, stream->host, 0, 0);
  gst_sdp_message_add_time (message, "0", "0", NULL);
  add_media (message, stream);
  text = gst_sdp_message_as_text (message);
  gst_sdp_message_free (message);
  return text;
}
