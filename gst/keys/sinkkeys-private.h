/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of a sender's keys: sinkkeys.c has life, locking and protection; sinkexchange.c has the
 * exchanges, whose functions are called with the lock held.  Not for others. */
#ifndef GST_TFRC_SINKKEYS_PRIVATE_H
#define GST_TFRC_SINKKEYS_PRIVATE_H

#include "../common/tokenbucket.h"
#include "securityevents.h"
#include "sinkkeys.h"

G_BEGIN_DECLS

/* Keys that are so new are not replaced, whoever asks for other keys. */
#define GST_TFRC_SINK_NEW_KEYS_NS G_GUINT64_CONSTANT (1000000000)

struct _GstTfrcSinkKeys
{
  GMutex lock;
  GstTfrcCredentials *credentials;
  guint64 rekey_interval_ns;
  GstTfrcSrtp *srtp;
  GstTfrcSrtp *elsewhere; /* with the same keys: unprotects packets from other addresses than the
                             receiver's; protects nothing */
  GstTfrcMikeyReplayCache *replay_cache;

  gboolean is_started;
  guint32 ssrc;
  gboolean established;
  gboolean is_sealing;    /* packets leave protected */
  gboolean takes_plain;   /* the receiver does not protect its packets yet ... */
  guint64 plain_until_ns; /* ... and has to from this time on */
  gboolean has_failed;    /* no more messages leave */
  gboolean is_rekeying;   /* the exchange replaces keys that are in use */

  GstTfrcMikeyExchange *exchange; /* that waits for a confirmation; NULL: none, or a grant */
  guint32 csb_id;
  GBytes *message; /* that leaves until it is confirmed; NULL: none */
  guint32 message_number;
  gsize offset;        /* of the next fragment of the message; 0: a new turn */
  guint asks;          /* packets that asked the receiver to ask */
  gboolean wants_seal; /* the message leaves protected with the keys in use */
  guint64 made_ns;     /* when the message was made */
  guint64 next_ns;     /* when the next packet leaves */
  guint64 interval_ns;

  guint refusals; /* of the message */
  guint64 refused_ns;
  const gchar *refusal;
  guint64 rekey_ns; /* when the next re-keying is due */
  guint64 retry_ns; /* when a key that is half used may be replaced, after a try that has failed */
  GstTfrcTokenBucket requests;
  GstTfrcTokenBucket ask_tokens; /* of empty key packets, which must not keep requests out */
  GstTfrcKeyAssembly assembly;

  GstTfrcSecurityEvents events;
  GstTfrcSecurityStats stats;
};

/* Forgets the exchange that is under way. */
void gst_tfrc_sink_exchange_end (GstTfrcSinkKeys *self);

/* Begins an exchange.  @seal: the offer leaves protected, for a receiver that has keys */
void gst_tfrc_sink_exchange_begin (
    GstTfrcSinkKeys *self, guint16 next_seq, gboolean seal, const GstTfrcKeyTime *time);

/* The receiver has the new keys. */
void gst_tfrc_sink_exchange_on_confirmed (GstTfrcSinkKeys *self, guint64 now_ns);

/* A key packet has come.  Returns FALSE if it is refused. */
gboolean gst_tfrc_sink_exchange_on_packet (GstTfrcSinkKeys *self, const GstTfrcKeyPacket *packet,
    guint16 next_seq, const GstTfrcKeyTime *time);

/* Writes the next key packet.  Returns its size. */
gsize gst_tfrc_sink_exchange_write (
    GstTfrcSinkKeys *self, guint64 rtt_ns, guint64 now_ns, guint8 *buffer);

/* Returns when the exchange that is under way has failed, or is too old. */
guint64 gst_tfrc_sink_exchange_end_ns (const GstTfrcSinkKeys *self);

/* The time of gst_tfrc_sink_exchange_end_ns() has come. */
void gst_tfrc_sink_exchange_on_end (
    GstTfrcSinkKeys *self, guint16 next_seq, const GstTfrcKeyTime *time);

G_END_DECLS
#endif
