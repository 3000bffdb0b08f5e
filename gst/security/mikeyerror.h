/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Why key messages and peers are refused. */
#ifndef GST_TFRC_MIKEYERROR_H
#define GST_TFRC_MIKEYERROR_H

#include <glib.h>

G_BEGIN_DECLS

/** Why a message is refused.  The domain of all errors in mikey.h, and of those about
 * a peer in credentials-private.h. */
#define GST_TFRC_MIKEY_ERROR (gst_tfrc_mikey_error_quark ())
GQuark gst_tfrc_mikey_error_quark (void);
typedef enum
{
  GST_TFRC_MIKEY_MALFORMED,
  GST_TFRC_MIKEY_UNSUPPORTED, /**< well formed, but of a mode or with an algorithm that is not
                                     offered here */
  GST_TFRC_MIKEY_WRONG_PASSPHRASE,
  GST_TFRC_MIKEY_UNKNOWN_KEY, /**< signed by, or encrypted for, another key than the known one */
  GST_TFRC_MIKEY_BAD_CERTIFICATE, /**< expired, not valid yet, of another CA, or for another use */
  GST_TFRC_MIKEY_WRONG_NAME,      /**< a certificate without the name that is wanted */
  GST_TFRC_MIKEY_CLOCK,           /**< the time stamp is too far away: a clock is wrong */
  GST_TFRC_MIKEY_REPLAYED,
  GST_TFRC_MIKEY_OTHER_EXCHANGE, /**< an answer to another message, or for another receiver */
  GST_TFRC_MIKEY_FAILED          /**< the cryptographic library or the random numbers fail */
} GstTfrcMikeyError;

/** Returns what to tell the user: a static English sentence that names the cause and the remedy. */
const gchar *gst_tfrc_mikey_error_describe (GstTfrcMikeyError reason);

G_END_DECLS
#endif
