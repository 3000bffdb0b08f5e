/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An exchange of key messages, from inside: exchange.c has the messages, exchangeaddress.c the address that a receiver's
 * exchange is with. */
#ifndef GST_TFRC_EXCHANGE_PRIVATE_H
#define GST_TFRC_EXCHANGE_PRIVATE_H

#include "exchange.h"

G_BEGIN_DECLS

struct _GstTfrcExchange
{
  GstTfrcSrtpEnd end;
  GstTfrcKeyParty *party; /* of a receiver: for the address; NULL: with none */
  GstTfrcExchangeState state;
  guint64 since_ns;
  GstTfrcMikeyExchange *pending; /* of the offer or the request that waits; NULL: none */
  GBytes *request;               /* REQUESTED: which may have to leave again */
  guint32 csb_id;                /* of a sender's last offer or grant */
  GstTfrcKeySending *sending;
  GstTfrcKeyAssembly assembly;
  GstTfrcKeyAssembly *with_cookie; /* of a sender that has asked; NULL otherwise */

  /* Of a receiver */
  GstTfrcAddress address; /* "no address": free */
  GstTfrcAddress local;
  guint64 heard_ns;
  guint64 proven_until_ns;
  guint64 asked_ns; /* when an empty key packet left, or was not allowed to; 0: never */
};

G_END_DECLS
#endif
