/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls and their answers: RTCP APP packets with which a receiver asks a listening sender for a stream
 * (docs/wire-format.md, "Call and answer").
 *
 * A call has no protection, because there are no keys yet. Its answer repeats the call's number, which
 * only a host on the path can know.
 *
 * No clock, no locks. */
#ifndef GST_TFRC_CALLPACKET_H
#define GST_TFRC_CALLPACKET_H

#include <glib.h>

#include <tfrc/wire.h>

G_BEGIN_DECLS

/** The longest stream id, bytes of UTF-8, as SRT has it */
#define GST_TFRC_STREAM_ID_MAX_BYTES 512

/** The longest reason of a refusal, bytes of UTF-8 */
#define GST_TFRC_REASON_MAX_BYTES 200

/** Of a call without its stream id. An answer that gives a cookie has fewer bytes, so that it is smaller
 * than any call. */
#define GST_TFRC_CALL_HEADER_BYTES 28
#define GST_TFRC_CALL_MAX_BYTES (GST_TFRC_CALL_HEADER_BYTES + GST_TFRC_STREAM_ID_MAX_BYTES)
#define GST_TFRC_ANSWER_HEADER_BYTES 20
#define GST_TFRC_ANSWER_MAX_BYTES (GST_TFRC_ANSWER_HEADER_BYTES + GST_TFRC_REASON_MAX_BYTES)

/** A call as parsed */
typedef struct
{
  guint32 ssrc;   /**< of the caller */
  guint32 number; /**< of the call: random, and the same whenever the call is repeated */
  guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES]; /**< that comes back; all zero: none */
  gchar stream_id[GST_TFRC_STREAM_ID_MAX_BYTES
      + 1]; /**< UTF-8 without control characters; "": none */
} GstTfrcCallPacket;

typedef enum
{
  GST_TFRC_ANSWER_COOKIE,   /**< call again with this cookie */
  GST_TFRC_ANSWER_ACCEPTED, /**< the stream comes, as soon as there is something to send */
  GST_TFRC_ANSWER_REFUSED,
  GST_TFRC_ANSWERS
} GstTfrcAnswerKind;

/** An answer as parsed */
typedef struct
{
  guint32 ssrc;   /**< of the end that answers */
  guint32 number; /**< of the call */
  GstTfrcAnswerKind kind;
  guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES]; /**< of GST_TFRC_ANSWER_COOKIE */
  gchar
      reason[GST_TFRC_REASON_MAX_BYTES + 1]; /**< of GST_TFRC_ANSWER_REFUSED; UTF-8 without control
                                                  characters */
} GstTfrcAnswerPacket;

/** Returns whether a stream id is one: UTF-8 of at most GST_TFRC_STREAM_ID_MAX_BYTES, without control
 * characters. */
gboolean gst_tfrc_stream_id_is_valid (const gchar *stream_id);

/** Checks a setting; NULL is allowed.
 * @return FALSE with @a error set (G_IO_ERROR_INVALID_ARGUMENT), if the text is no stream id */
gboolean gst_tfrc_stream_id_check (const gchar *text, GError **error);

/** Return whether the packet is a call, or an answer, by its first 12 bytes. */
gboolean gst_tfrc_call_packet_is (const guint8 *packet, gsize size);
gboolean gst_tfrc_answer_packet_is (const guint8 *packet, gsize size);

/** Read a packet.
 * @return FALSE if the packet is malformed */
gboolean gst_tfrc_call_packet_parse (const guint8 *packet, gsize size, GstTfrcCallPacket *parsed);
gboolean gst_tfrc_answer_packet_parse (
    const guint8 *packet, gsize size, GstTfrcAnswerPacket *parsed);

/** Write a packet.
 * @param buffer GST_TFRC_CALL_MAX_BYTES
 * @param call with a valid stream id
 * @return bytes written */
gsize gst_tfrc_call_packet_write (guint8 *buffer, const GstTfrcCallPacket *call);

/** @param buffer GST_TFRC_ANSWER_MAX_BYTES */
gsize gst_tfrc_answer_packet_write (guint8 *buffer, const GstTfrcAnswerPacket *answer);

/** Copies a reason without what an answer cannot carry: what is too long, no UTF-8, or a control
 * character. */
void gst_tfrc_answer_set_reason (GstTfrcAnswerPacket *answer, const gchar *reason);

G_END_DECLS
#endif
