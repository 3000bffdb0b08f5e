/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Key packets: RTCP APP packets that carry the messages of the key exchange (docs/wire-format.md,
 * "Key packet").
 *
 * A message of more than GST_TFRC_KEY_FRAGMENT_BYTES travels in several key packets.  An empty key
 * packet asks for a message.
 *
 * A receiver that gets too many key packets gives a cookie (strangers/cookies.h), and reads what comes
 * with it.  This is the exchange of cookies of RFC 7296 section 2.6 and of RFC 6347 section 4.2.1.  A
 * sender that asks for a request gives a cookie with the question.
 *
 * A key packet is not protected, as its message protects itself.  The first 12 bytes of a key
 * packet tell it from SRTCP, which encrypts the name.  A protected key packet is possible, too: it
 * shows after unprotecting.
 *
 * No clock, no locks. */
#ifndef GST_TFRC_KEYPACKET_H
#define GST_TFRC_KEYPACKET_H

#include <glib.h>

#include <tfrc/wire.h>

G_BEGIN_DECLS

#define GST_TFRC_KEY_PACKET_HEADER_BYTES 20

/** Bytes of a message in one key packet; the last packet of a message has the rest. */
#define GST_TFRC_KEY_FRAGMENT_BYTES 1200

/** Of a sender's packet that asks: as long as one that is full */
#define GST_TFRC_KEY_PACKET_FULL_BYTES \
  (GST_TFRC_KEY_PACKET_HEADER_BYTES + GST_TFRC_KEY_FRAGMENT_BYTES)

/** Full, and with a cookie that comes back */
#define GST_TFRC_KEY_PACKET_MAX_BYTES (GST_TFRC_KEY_PACKET_FULL_BYTES + TFRC_WIRE_PATH_DATA_BYTES)

/** A packet that gives a cookie. It answers no packet that is smaller. */
#define GST_TFRC_KEY_COOKIE_PACKET_BYTES \
  (GST_TFRC_KEY_PACKET_HEADER_BYTES + TFRC_WIRE_PATH_DATA_BYTES)

/** The longest message, bytes: seven key packets */
#define GST_TFRC_KEY_MESSAGE_MAX_BYTES (7 * GST_TFRC_KEY_FRAGMENT_BYTES - 208)

/** A key packet as parsed */
typedef struct
{
  guint32 ssrc;         /**< of its sender */
  guint32 number;       /**< of the message, or of the one that the cookie is for */
  guint16 total;        /**< bytes of the message; 0: the packet asks for one, or gives a cookie */
  guint16 offset;       /**< of the fragment in the message */
  const guint8 *cookie; /**< that comes back, TFRC_WIRE_PATH_DATA_BYTES in the packet; NULL: none */
  const guint8 *given;  /**< a cookie for the end that gets the packet; NULL: none */
  const guint8 *data;   /**< the fragment, in the packet */
  gsize size;           /**< of the fragment */
} GstTfrcKeyPacket;

/** Returns whether the packet is a key packet without protection, by its first 12 bytes. */
gboolean gst_tfrc_key_packet_is (const guint8 *packet, gsize size);

/** Reads a key packet.
 * @return FALSE if the packet is malformed */
gboolean gst_tfrc_key_packet_parse (const guint8 *packet, gsize size, GstTfrcKeyPacket *parsed);

/** Writes the fragment of a message that begins at @a offset.
 * @param buffer GST_TFRC_KEY_PACKET_MAX_BYTES
 * @return bytes written */
gsize gst_tfrc_key_packet_write (
    guint8 *buffer, guint32 ssrc, guint32 number, GBytes *message, gsize offset);

/** Writes a packet that asks for a message, padded to @a size bytes, which is a multiple of 4.
 * @param number of the question
 * @return bytes written */
gsize gst_tfrc_key_packet_write_request (guint8 *buffer, guint32 ssrc, guint32 number, gsize size);

/** Gives a cookie in the padding of a packet that asks. */
void gst_tfrc_key_packet_give_cookie (
    guint8 *buffer, const guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES]);

/** Puts a cookie that was given into a packet of one of the functions above.
 * @param size of the packet
 * @return bytes with the cookie */
gsize gst_tfrc_key_packet_add_cookie (
    guint8 *buffer, gsize size, const guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES]);

/** Writes a packet that gives a cookie.
 * @param buffer GST_TFRC_KEY_COOKIE_PACKET_BYTES
 * @param number of the message or question that the cookie is for
 * @return bytes written */
gsize gst_tfrc_key_packet_write_cookie (
    guint8 *buffer, guint32 ssrc, guint32 number, const guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES]);

/** Writes a packet that asks the sender to replace the keys that are in use.  The packet counts only
 * if it comes protected with these keys.
 * @param buffer GST_TFRC_KEY_PACKET_HEADER_BYTES
 * @return bytes written */
gsize gst_tfrc_key_packet_write_rekey (guint8 *buffer, guint32 ssrc);

/** Returns whether a key packet is one of gst_tfrc_key_packet_write_rekey(). */
gboolean gst_tfrc_key_packet_is_rekey (const guint8 *packet, gsize size);

/** A message that comes in fragments.  A plain value, all zero at first.  A fragment of another
 * message begins anew. */
typedef struct
{
  guint32 number;
  guint16 total; /* 0: nothing has come */
  guint8 come;   /* a bit for each fragment */
  guint8 message[GST_TFRC_KEY_MESSAGE_MAX_BYTES];
} GstTfrcKeyAssembly;

/** Forgets what has come.  The bytes stay until others take their place. */
void gst_tfrc_key_assembly_clear (GstTfrcKeyAssembly *self);

/** Takes a fragment.
 * @return TRUE if the message is complete.  The next fragment begins anew */
gboolean gst_tfrc_key_assembly_add (GstTfrcKeyAssembly *self, const GstTfrcKeyPacket *packet);

/** Returns whether a part of a message has come, and not the rest. */
gboolean gst_tfrc_key_assembly_is_partial (const GstTfrcKeyAssembly *self);

/** Returns the message that is complete, valid until the next fragment comes. */
const guint8 *gst_tfrc_key_assembly_get (const GstTfrcKeyAssembly *self, gsize *size);

G_END_DECLS
#endif
