/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Key messages: MIKEY (RFC 3830, RFC 4738).
 *
 * | mode | first message | answer |
 * |---|---|---|
 * | PSK, RSA | offer, by the sender of data | verification, by the receiver |
 * | RSA-R | request, by the receiver of data | grant, by the sender |
 *
 * In all modes the sender of data makes a random TGK, from which both ends derive the master keys of
 * both directions (RFC 3830 section 4.1.3; crypto session 1: from the sender; crypto session 2: from
 * the receiver).  Repairs of the sender's packets have the keys of session 1.  The receiver has a part in the keys: the RAND of its request, or that of its
 * verification message, which RFC 3830 does not have.  So who plays a recorded stream again does not
 * have the keys that the receiver wants.
 *
 * Functions of one message at a time: no socket and no clock.  Nothing here limits how often a
 * message is read; with RSA that costs about a millisecond. */
#ifndef GST_TFRC_MIKEY_H
#define GST_TFRC_MIKEY_H

#include "cipher.h"
#include "credentials.h"
#include "mikeyerror.h"

G_BEGIN_DECLS

/** A message is not read if it is longer. */
#define GST_TFRC_MIKEY_MAX_BYTES 8192

/** The most by which a request's time may differ from the clock of the sender of data (RFC 3830
 * section 5.4) */
#define GST_TFRC_MIKEY_MAX_SKEW_NS (300 * G_GUINT64_CONSTANT (1000000000))

/** Room for the ID of a public key, with the 0 behind it */
#define GST_TFRC_MIKEY_ID_BYTES 60

/** The authenticated contents of a key message about the stream */
typedef struct
{
  GstTfrcCipher cipher;
  guint32 csb_id; /**< of the crypto session bundle: random, one for each exchange */
  guint32 ssrc;   /**< of the sender of data */
  guint32 roc;    /**< rollover counter of the sender's next packet of data */
  gchar author
      [GST_TFRC_MIKEY_ID_BYTES]; /**< at a receiver: ID of the public key of the sender of data;
                                              "" with a passphrase */
  guint32 repair_roc; /**< of the sender's next repair; 0 also if the message tells none */
} GstTfrcMikeyStream;

/** The messages that were accepted lately, so that none is accepted twice (RFC 3830 section 5.4). */
typedef struct _GstTfrcMikeyReplayCache GstTfrcMikeyReplayCache;

/** @param max_entries a full cache refuses new messages rather than forget one that could come
 *   again */
GstTfrcMikeyReplayCache *gst_tfrc_mikey_replay_cache_new (guint max_entries);
void gst_tfrc_mikey_replay_cache_free (GstTfrcMikeyReplayCache *cache);

/** An exchange that this end has begun, and whose answer has not come */
typedef struct _GstTfrcMikeyExchange GstTfrcMikeyExchange;

/** Wipes and frees.  NULL is allowed. */
void gst_tfrc_mikey_exchange_free (GstTfrcMikeyExchange *exchange);

/** The kind of a message, before its authentication is checked */
typedef enum
{
  GST_TFRC_MIKEY_OFFER,
  GST_TFRC_MIKEY_VERIFICATION,
  GST_TFRC_MIKEY_REQUEST,
  GST_TFRC_MIKEY_GRANT,
  GST_TFRC_MIKEY_REFUSAL
} GstTfrcMikeyKind;

/** Reads the header of a message.
 * @return FALSE if the message is none, or too long */
gboolean gst_tfrc_mikey_peek (
    const guint8 *message, gsize size, GstTfrcMikeyKind *kind, guint32 *csb_id);

/** Returns whether the data type of a message, or of its first bytes, is that of an offer with such
 * credentials: an offer by a private key, for one that has a passphrase, cannot be accepted. */
gboolean gst_tfrc_mikey_is_offer_for (
    const GstTfrcCredentials *credentials, const guint8 *message, gsize size);

/* ---- PSK and RSA --------------------------------------------------------- */

/** The keys of an offer, to be wiped with gst_tfrc_offered_keys_wipe() */
typedef struct
{
  GstTfrcStreamKeys
      provisional;          /**< of the offer alone: of what leaves before the answer has come */
  GstTfrcStreamKeys agreed; /**< with the receiver's part */
} GstTfrcOfferedKeys;

static inline void
gst_tfrc_offered_keys_wipe (GstTfrcOfferedKeys *keys)
{
  gst_tfrc_stream_keys_wipe (&keys->provisional);
  gst_tfrc_stream_keys_wipe (&keys->agreed);
}

/** The sender makes keys and offers them.
 * @param stream csb_id is set; the rest is told to the receiver
 * @param keys set to the provisional keys; the caller wipes them
 * @param exchange set to the exchange, for gst_tfrc_mikey_confirm(); the caller frees it
 * @return the message, NULL with @a error set.  The same message may be sent again */
GBytes *gst_tfrc_mikey_offer (const GstTfrcCredentials *credentials, GstTfrcMikeyStream *stream,
    guint64 wall_ns, GstTfrcStreamKeys *keys, GstTfrcMikeyExchange **exchange, GError **error);

/** The receiver reads an offer, and makes its part of the keys.  The same offer may be read again, and
 * at any time: each answer makes other keys.
 * @param wall_ns for the validity of certificates
 * @return the verification message, NULL with @a error set: keys and stream are not set then */
GBytes *gst_tfrc_mikey_accept (const GstTfrcCredentials *credentials, const guint8 *message,
    gsize size, guint64 wall_ns, GstTfrcMikeyStream *stream, GstTfrcOfferedKeys *keys,
    GError **error);

/** The sender reads the verification message.
 * @param keys set to the agreed keys; the caller wipes them
 * @return FALSE with @a error set if the message does not prove that the receiver has the keys */
gboolean gst_tfrc_mikey_confirm (const GstTfrcMikeyExchange *exchange, const guint8 *message,
    gsize size, GstTfrcStreamKeys *keys, GError **error);

/* ---- reverse mode -------------------------------------------------------- */

/** The receiver asks for keys. */
GBytes *gst_tfrc_mikey_request (const GstTfrcCredentials *credentials, guint64 wall_ns,
    GstTfrcMikeyExchange **exchange, GError **error);

/** The sender reads a request, makes keys and grants them. */
GBytes *gst_tfrc_mikey_grant (const GstTfrcCredentials *credentials,
    GstTfrcMikeyReplayCache *replay_cache, const guint8 *request, gsize size, guint64 wall_ns,
    GstTfrcMikeyStream *stream, GstTfrcStreamKeys *keys, GError **error);

/** The receiver reads the grant. */
gboolean gst_tfrc_mikey_take_grant (const GstTfrcCredentials *credentials,
    const GstTfrcMikeyExchange *exchange, const guint8 *message, gsize size, guint64 wall_ns,
    GstTfrcMikeyStream *stream, GstTfrcStreamKeys *keys, GError **error);

/* ---- refusals ------------------------------------------------------------ */

/** Writes an error message (RFC 3830 section 5.1.2), which is not authenticated.
 * @return the message; NULL if the peer is not told of such an error */
GBytes *gst_tfrc_mikey_refuse (guint32 csb_id, GstTfrcMikeyError reason);

/** Reads the reason of an error message.  Any host can have made the message.
 * @return FALSE if the message is malformed */
gboolean gst_tfrc_mikey_read_refusal (
    const guint8 *message, gsize size, guint32 *csb_id, GstTfrcMikeyError *reason);

G_END_DECLS
#endif
