/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of a source's keys: srckeys.c has life, locking and protection; srcexchange.c has the
 * exchanges and srcunprotect.c packets that come; their functions are called with the lock held.
 * Not for others. */
#ifndef GST_TFRC_SRCKEYS_PRIVATE_H
#define GST_TFRC_SRCKEYS_PRIVATE_H

#include "../common/tokenbucket.h"
#include "securityevents.h"
#include "srccontacts.h"
#include "srckeys.h"

G_BEGIN_DECLS

/* Streams that a source has keys of: the peer's, and the one of a sender that follows */
#define GST_TFRC_SRC_KEYED_STREAMS 2
#define GST_TFRC_SRC_KEY_HOST_BUCKETS 64

/* A sender's stream that this source has keys of */
typedef struct
{
  GstTfrcSrtp *srtp;      /* NULL: this place is free */
  GstTfrcSrtp *elsewhere; /* with the same keys: unprotects packets from other addresses than the
                             sender's; protects nothing */
  guint32 ssrc;
  guint32 csb_id;                /* of the last exchange */
  GBytes *answer;                /* to the last offer, which may come again; NULL after a grant */
  gboolean wants_confirmation;   /* after a grant: a protected key packet is to leave */
  GstTfrcAddress from;           /* of the sender, as far as is known */
  GstTfrcAddress from_elsewhere; /* that the last other packet with these keys has come from */
  GstTfrcAddress local;
  guint64 key_ns;              /* when the keys came */
  guint64 read_ns;             /* when a packet could be unprotected last */
  GstTfrcKeyAssembly assembly; /* of protected key packets, which no other host can disturb */

  /* with GST_TFRC_PROTECT_RAISED_TTL */
  gboolean is_sealed; /* a protected packet has come: so are all that follow */
  guint64 sealed_ns;  /* when the first one came */
  guint16 sealed_seq; /* RTP sequence number of the first one of data */
  gboolean has_sealed_seq;
} GstTfrcSrcKeyedStream;

struct _GstTfrcSrcKeys
{
  GMutex lock;
  GstTfrcCredentials *credentials; /* NULL: nothing is protected */
  gboolean takes_plain;            /* GST_TFRC_PROTECT_RAISED_TTL */
  guint32 own_ssrc;
  GstTfrcMikeyReplayCache *replay_cache;
  GstTfrcSrcKeyedStream streams[GST_TFRC_SRC_KEYED_STREAMS];
  gboolean has_peer;
  guint32 peer_ssrc;
  gboolean wants_rekey; /* the peer is to be asked for new keys */

  GstTfrcSrcContacts *contacts;                                   /* NULL without credentials */
  GstTfrcCookies hosts;                                           /* only for the hash of a host */
  GstTfrcTokenBucket all;                                         /* messages that are read ... */
  GstTfrcTokenBucket host_buckets[GST_TFRC_SRC_KEY_HOST_BUCKETS]; /* ... and of each host */
  GstTfrcTokenBucket answers; /* repeated answers, and empty key packets */

  guint failures; /* senders whose keys do not fit, while there is no stream with keys */
  guint64 failed_ns;
  const gchar *failure;
  gboolean has_failed; /* which has been told */

  GstTfrcSecurityEvents events;
  GstTfrcSecurityStats stats;
};

/* Returns the stream with this SSRC that there are keys of; NULL: none. */
GstTfrcSrcKeyedStream *gst_tfrc_src_exchange_find (GstTfrcSrcKeys *self, guint32 ssrc);

/* Forgets the keys of a stream. */
void gst_tfrc_src_exchange_drop (GstTfrcSrcKeyedStream *stream);

/* A key packet has come.  @stream: with whose keys it was protected; NULL: it was not
 * Returns FALSE if it is refused. */
gboolean gst_tfrc_src_exchange_on_packet (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet,
    gsize size, GstTfrcSrcKeyedStream *stream, const GstTfrcKeyTime *time);

/* A packet of a stream without keys has come: its sender is asked for them. */
void gst_tfrc_src_exchange_on_unknown (
    GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet, const GstTfrcKeyTime *time);

/* A sender cannot be understood, for this reason. */
void gst_tfrc_src_exchange_count_failure (
    GstTfrcSrcKeys *self, const gchar *reason, guint64 now_ns);

/* Returns when senders that cannot be understood are reported; G_MAXUINT64: never. */
guint64 gst_tfrc_src_exchange_failure_ns (const GstTfrcSrcKeys *self);

/* ---- srcunprotect.c ------------------------------------------------------- */

/* Unprotects a packet in place, or takes a key packet.
 * @size: in: bytes; out: bytes of the packet without protection
 * Returns TRUE if the packet is to be used. */
gboolean gst_tfrc_src_keys_unprotect (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet,
    gboolean is_rtcp, gsize *size, const GstTfrcKeyTime *time);

G_END_DECLS
#endif
