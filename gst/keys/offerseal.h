/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a sender's offer of other keys, or in reverse mode its question and its grant, leaves protected
 * with the keys in use.  It does, so that no other host can keep the receiver from reading it.
 *
 * A receiver that has lost its keys cannot read it, and asks.  Any host can ask in its name.  So an ask
 * counts only if the receiver neither answers the offer nor sends anything else with the keys in use for a
 * while.
 *
 * No clock, no locks. */
#ifndef GST_TFRC_OFFERSEAL_H
#define GST_TFRC_OFFERSEAL_H

#include "../common/log.h"

G_BEGIN_DECLS

/** How long a receiver that asks is silent: at least this time, and 4 R, in which a receiver with keys
 * answers the offer, or its first repetition (keysending.h). */
#define GST_TFRC_OFFER_SEAL_SILENCE_NS (250 * G_GUINT64_CONSTANT (1000000))
#define GST_TFRC_OFFER_SEAL_SILENCE_RTTS 4

/** A plain value, all zero at first */
typedef struct
{
  gboolean is_on;   /**< offers leave protected */
  guint64 rtt_ns;   /**< R; 0: unknown */
  guint64 asked_ns; /* of an ask after which the receiver has not been heard; 0: none */
} GstTfrcOfferSeal;

/** An offer begins. */
static inline void
gst_tfrc_offer_seal_begin (GstTfrcOfferSeal *self, gboolean is_on)
{
  self->is_on = is_on;
  self->asked_ns = 0;
}

/** Somebody has asked in the receiver's name. */
static inline void
gst_tfrc_offer_seal_ask (GstTfrcOfferSeal *self, guint64 now_ns)
{
  if (self->is_on && self->asked_ns == 0)
    self->asked_ns = now_ns;
}

/** A packet with the keys in use has come from the receiver's address, or its answer to the offer. */
static inline void
gst_tfrc_offer_seal_heard (GstTfrcOfferSeal *self)
{
  self->asked_ns = 0;
}

/** Returns when a receiver that asks has been silent for long enough; G_MAXUINT64: never. */
static inline guint64
gst_tfrc_offer_seal_end_ns (const GstTfrcOfferSeal *self)
{
  return self->asked_ns == 0 ? G_MAXUINT64
                             : self->asked_ns
          + MAX (GST_TFRC_OFFER_SEAL_SILENCE_RTTS * self->rtt_ns, GST_TFRC_OFFER_SEAL_SILENCE_NS);
}

/** Serves the timer.
 * @return TRUE if the receiver has no keys, so that the offer leaves in the clear from now on */
static inline gboolean
gst_tfrc_offer_seal_on_time (GstTfrcOfferSeal *self, guint64 now_ns)
{
  if (now_ns < gst_tfrc_offer_seal_end_ns (self))
    return FALSE;
  gst_tfrc_log (keys, DEBUG, "a receiver that asks is not heard: the offer leaves in the clear");
  gst_tfrc_offer_seal_begin (self, FALSE);
  return TRUE;
}

G_END_DECLS
#endif
