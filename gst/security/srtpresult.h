/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What becomes of a packet that is unprotected. */
#ifndef GST_TFRC_SRTPRESULT_H
#define GST_TFRC_SRTPRESULT_H

typedef enum
{
  GST_TFRC_UNPROTECTED_OK,
  GST_TFRC_UNPROTECTED_NO_KEY,   /**< there are no keys yet */
  GST_TFRC_UNPROTECTED_FORGED,   /**< the tag is wrong, or the packet is no SRTP */
  GST_TFRC_UNPROTECTED_REPLAYED, /**< the packet has come before, or is too old to tell */
} GstTfrcUnprotectResult;

#endif
