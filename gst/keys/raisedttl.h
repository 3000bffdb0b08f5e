/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `protect=raised-ttl': packets leave without protection until the adaptive TTL is raised, and
 * protected from then on.  Each end has a file of its own.
 *
 * The sender switches when it raises the TTL; the receiver learns of it by the first protected
 * packet, and protects its own packets from then on.  At both ends packets without protection may
 * still be under way for a while after the switch.
 *
 * With GST_TFRC_PROTECT_ALL both values say from the start that all packets are protected.
 *
 * No clock, no locks. */
#ifndef GST_TFRC_RAISEDTTL_H
#define GST_TFRC_RAISEDTTL_H

#include "security.h"

G_BEGIN_DECLS

/* ---- sender (raisedttlsender.c) ------------------------------------------ */

/** A plain value */
typedef struct
{
  gboolean is_sealing;    /* packets leave protected */
  gboolean takes_plain;   /* the receiver need not protect its packets yet ... */
  guint64 plain_until_ns; /* ... and has to from this time on */
} GstTfrcRaisedTtlSender;

void gst_tfrc_raised_ttl_sender_init (GstTfrcRaisedTtlSender *self, GstTfrcProtect protect);

/** The TTL is raised, so that packets leave protected from now on.
 * @return FALSE if they have before */
gboolean gst_tfrc_raised_ttl_sender_seal (GstTfrcRaisedTtlSender *self, guint64 now_ns);

/** Returns whether an RTCP packet of the receiver that has come without protection is used. */
gboolean gst_tfrc_raised_ttl_sender_takes_plain (
    const GstTfrcRaisedTtlSender *self, guint64 now_ns);

/* ---- receiver (raisedttlreceiver.c) -------------------------------------- */

/** Of one stream.  A plain value */
typedef struct
{
  gboolean takes_plain; /* without this, all packets have to be protected from the start */
  gboolean is_sealed;   /* a protected packet has come: so are all that follow */
  guint64 sealed_ns;    /* when the first one came */
  guint16 sealed_seq;   /* RTP sequence number of the first one of data */
  gboolean has_sealed_seq;
} GstTfrcRaisedTtlReceiver;

void gst_tfrc_raised_ttl_receiver_init (GstTfrcRaisedTtlReceiver *self, GstTfrcProtect protect);

/** Returns whether a packet that has come without protection is used. */
gboolean gst_tfrc_raised_ttl_receiver_takes_plain (
    const GstTfrcRaisedTtlReceiver *self, gboolean is_rtcp, const guint8 *packet, guint64 now_ns);

/** Returns whether this end's packets leave protected. */
gboolean gst_tfrc_raised_ttl_receiver_is_sealed (const GstTfrcRaisedTtlReceiver *self);

/** A packet has been unprotected.
 * @param is_media a packet of the media, whose numbers tell the order of packets; otherwise RTCP or a
 *   repair */
void gst_tfrc_raised_ttl_receiver_on_unprotected (GstTfrcRaisedTtlReceiver *self, gboolean is_media,
    const guint8 *packet, gsize size, guint64 now_ns);

G_END_DECLS
#endif
