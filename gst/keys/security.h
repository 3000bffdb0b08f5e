/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The common parts of both ends' key exchanges: the settings and the statistics. */
#ifndef GST_TFRC_SECURITY_H
#define GST_TFRC_SECURITY_H

#include "../common/events.h"
#include "../security/credentials.h"
#include "../security/mikey.h"
#include "../security/srtp.h"

G_BEGIN_DECLS

/** The packets that are protected.  Both ends need the same value. */
typedef enum
{
  GST_TFRC_PROTECT_NONE,
  GST_TFRC_PROTECT_RAISED_TTL, /**< all packets from the moment on at which the adaptive TTL is
                                  raised above the TTL that the stream began with */
  GST_TFRC_PROTECT_ALL
} GstTfrcProtect;

#define GST_TYPE_TFRC_PROTECT (gst_tfrc_protect_get_type ())
GType gst_tfrc_protect_get_type (void);

typedef struct
{
  GstTfrcCredentials *credentials; /**< borrowed; NULL: the stream is not protected */
  GstTfrcProtect protect;          /**< not NONE, with credentials */
  GstTfrcCipher cipher;            /**< of a sender */
  guint64 rekey_interval_ns;       /**< of a sender; 0: only when the limits of a key demand it */
} GstTfrcSecurityConfig;

/** Packets that were refused before anything was read from them */
typedef struct
{
  guint64 forged;    /**< the authentication tag is wrong */
  guint64 replayed;  /**< come before, or too old to tell */
  guint64 plaintext; /**< not protected at all */
  guint64 no_key;    /**< there was no key yet for the packet's stream */
} GstTfrcSecurityRefusals;

typedef struct
{
  gboolean is_protected;      /**< the stream is protected, or will be once there are keys */
  gboolean established;       /**< both ends have keys */
  gboolean in_force;          /**< packets leave protected now */
  gboolean peer_is_protected; /**< the peer has sent key messages, though this end has no keys */
  GstTfrcCipher cipher;
  GstTfrcKeyExchange key_exchange;
  guint64 key_ns; /**< monotonic: when the keys in use were agreed on; 0: not yet */
  guint64 rekeyings;
  guint64 key_messages_refused;
  GstTfrcSecurityRefusals refused;
} GstTfrcSecurityStats;

/** Returns whether a packet of data is not protected: its payload, or that of the packet that it
 * repeats, is a transport stream.  A
 * protected packet is longer by its tag, so its length is not a multiple of a transport stream
 * packet's. */
gboolean gst_tfrc_security_is_plain_data (const guint8 *packet, gsize size);

/** Returns whether an RTCP compound is not protected: its packets fill it exactly.  One in a million
 * of the protected compounds looks so, too. */
gboolean gst_tfrc_security_is_plain_rtcp (const guint8 *packet, gsize size);

/** Counts a packet that could not be unprotected.
 * @param was_plaintext the packet could be read without a key */
void gst_tfrc_security_count (
    GstTfrcSecurityRefusals *refused, GstTfrcUnprotectResult result, gboolean was_plaintext);

/** The time of a call, by both clocks */
typedef struct
{
  guint64 now_ns;  /**< monotonic */
  guint64 wall_ns; /**< since 1970 */
} GstTfrcKeyTime;

G_END_DECLS
#endif
