/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver's call, see call.h. */
#include "call.h"

#include <string.h>

#include "../common/log.h"

void
gst_tfrc_call_begin (
    GstTfrcCall *self, guint32 ssrc, guint32 number, const gchar *stream_id, guint64 now_ns)
{
  memset (self, 0, sizeof *self);
  self->state = GST_TFRC_CALL_CALLING;
  self->packet.ssrc = ssrc;
  self->packet.number = number;
  g_strlcpy (self->packet.stream_id, stream_id, sizeof self->packet.stream_id);
  self->unanswered_ns = now_ns + GST_TFRC_CALL_UNANSWERED_NS;
}

void
gst_tfrc_call_again (GstTfrcCall *self)
{
  if (self->state == GST_TFRC_CALL_ACCEPTED)
    self->state = GST_TFRC_CALL_CALLING;
}

void
gst_tfrc_call_on_time (GstTfrcCall *self, guint64 now_ns)
{
  if (now_ns >= self->accepted_ns + GST_TFRC_CALL_AGAIN_NS)
    gst_tfrc_call_again (self);
}

static gboolean
use_cookie (GstTfrcCall *self, const guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES])
{
  gboolean is_new = memcmp (self->packet.cookie, cookie, sizeof self->packet.cookie) != 0;

  memcpy (self->packet.cookie, cookie, sizeof self->packet.cookie);
  return is_new;
}

/* A cookie that was used already is an answer to a call that crossed with it. */
gboolean
gst_tfrc_call_on_answer (GstTfrcCall *self, const GstTfrcReceivedPacket *packet)
{
  GstTfrcAnswerPacket answer;

  if (self->state != GST_TFRC_CALL_CALLING || packet->truncated
      || !gst_tfrc_answer_packet_parse (packet->data, packet->size, &answer)
      || answer.number != self->packet.number)
    return FALSE;
  switch (answer.kind) {
    case GST_TFRC_ANSWER_COOKIE:
      return use_cookie (self, answer.cookie);
    case GST_TFRC_ANSWER_ACCEPTED:
      gst_tfrc_log (peer, INFO, "the call for stream \"%s\" is accepted", self->packet.stream_id);
      self->state = GST_TFRC_CALL_ACCEPTED;
      self->accepted_ns = packet->arrival_ns;
      self->unanswered_ns = G_MAXUINT64;
      break;
    default:
      gst_tfrc_log (peer, INFO, "the call for stream \"%s\" is refused: %s", self->packet.stream_id,
          answer.reason);
      self->state = GST_TFRC_CALL_REFUSED;
      memcpy (self->reason, answer.reason, sizeof self->reason);
      self->unanswered_ns = G_MAXUINT64;
      break;
  }
  return FALSE;
}

gsize
gst_tfrc_call_write (const GstTfrcCall *self, guint8 *buffer)
{
  return gst_tfrc_call_packet_write (buffer, &self->packet);
}

guint64
gst_tfrc_call_unanswered_ns (const GstTfrcCall *self)
{
  return self->state == GST_TFRC_CALL_CALLING ? self->unanswered_ns : G_MAXUINT64;
}

gboolean
gst_tfrc_call_take_unanswered (GstTfrcCall *self, guint64 now_ns)
{
  gboolean is_unanswered = now_ns >= gst_tfrc_call_unanswered_ns (self);

  if (is_unanswered)
    self->unanswered_ns = G_MAXUINT64;
  return is_unanswered;
}
