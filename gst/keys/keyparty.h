/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The common part of all exchanges of an end: credentials, limits, and the messages that came lately,
 * so that none is accepted twice.
 *
 * No clock, no locks. */
#ifndef GST_TFRC_KEYPARTY_H
#define GST_TFRC_KEYPARTY_H

#include "keylimits.h"
#include "security.h"

G_BEGIN_DECLS

/** For keyparty.c and exchange.c alone */
typedef struct
{
  GstTfrcSrtpEnd end;
  GstTfrcCredentials *credentials;
  GstTfrcMikeyReplayCache *replay_cache; /**< of a sender; NULL at a receiver */
  GstTfrcKeyLimits *limits;
} GstTfrcKeyParty;

/** Takes a reference of the credentials.
 * @param secret of a receiver: random bytes that no peer can know; GST_TFRC_SECRET_BYTES
 * @return never NULL */
GstTfrcKeyParty *gst_tfrc_key_party_new (
    GstTfrcSrtpEnd end, GstTfrcCredentials *credentials, const guint8 *secret);

/** After its exchanges.  NULL is allowed. */
void gst_tfrc_key_party_free (GstTfrcKeyParty *self);

/** As gst_tfrc_key_limits_may_answer() */
gboolean gst_tfrc_key_party_may_answer (GstTfrcKeyParty *self, guint64 now_ns);

/** Returns the credentials, which the party has a reference of. */
GstTfrcCredentials *gst_tfrc_key_party_get_credentials (const GstTfrcKeyParty *self);

/** Returns the limits, which the party owns. */
GstTfrcKeyLimits *gst_tfrc_key_party_get_limits (GstTfrcKeyParty *self);

G_END_DECLS
#endif
