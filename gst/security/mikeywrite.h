/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes MIKEY messages payload by payload (RFC 3830 section 6). */
#ifndef GST_TFRC_MIKEY_WRITE_H
#define GST_TFRC_MIKEY_WRITE_H

#include "mikeyparse.h"

G_BEGIN_DECLS

/** A message, or the key data of one, that grows */
typedef struct
{
  GByteArray *bytes;
  gsize next_at; /**< where the number of the next payload belongs */
} GstTfrcMikeyWriter;

/** Begins a message with its header.
 * @param stream for both crypto sessions; NULL: the header has no crypto session */
void gst_tfrc_mikey_writer_init (
    GstTfrcMikeyWriter *self, guint8 data_type, guint32 csb_id, const GstTfrcMikeyStream *stream);

/** Ends the writer.
 * @return the message */
GBytes *gst_tfrc_mikey_writer_finish (GstTfrcMikeyWriter *self);

/** Ends the writer and drops the message. */
void gst_tfrc_mikey_writer_drop (GstTfrcMikeyWriter *self);

void gst_tfrc_mikey_write_timestamp (GstTfrcMikeyWriter *self, guint64 timestamp);
void gst_tfrc_mikey_write_rand (GstTfrcMikeyWriter *self, const guint8 *rand, guint8 size);
void gst_tfrc_mikey_write_id (GstTfrcMikeyWriter *self, const gchar *uri);
void gst_tfrc_mikey_write_certificate (GstTfrcMikeyWriter *self, const guint8 *der, guint16 size);
void gst_tfrc_mikey_write_policy (
    GstTfrcMikeyWriter *self, guint8 number, const guint8 *parameters, guint16 size);

/** The general extension that announces the crypto session of the repairs, of policy 0 */
void gst_tfrc_mikey_write_repair (GstTfrcMikeyWriter *self, guint32 ssrc, guint32 roc);
void gst_tfrc_mikey_write_error (GstTfrcMikeyWriter *self, guint8 number);

/** The envelope, which must not be cached
 * @param size at most 16383 */
void gst_tfrc_mikey_write_envelope (GstTfrcMikeyWriter *self, const guint8 *envelope, guint16 size);

/** Without the MAC, which the caller appends
 * @return where the payload begins */
gsize gst_tfrc_mikey_write_kemac (GstTfrcMikeyWriter *self, const guint8 *encrypted, guint16 size);

/** Without the MAC, which the caller appends */
void gst_tfrc_mikey_write_verification (GstTfrcMikeyWriter *self);

/** Without the signature, which the caller appends
 * @param size of the signature, at most 4095 */
void gst_tfrc_mikey_write_signature (GstTfrcMikeyWriter *self, guint16 size);

/** Returns the key data of a KEMAC: an ID, unless @a id is NULL, and a TGK.
 * @param room size of @a bytes
 * @return bytes written; 0: there is too little room */
gsize gst_tfrc_mikey_write_key_data (
    guint8 *bytes, gsize room, const gchar *id, const guint8 *tgk, guint16 tgk_size);

G_END_DECLS
#endif
