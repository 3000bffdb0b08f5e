/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a sender's keys have to be replaced: by the time, on request, or because they have
 * protected as much as a key may.
 *
 * No clock, no locks; how far the keys are used up is atomic, because packets are protected without
 * the port's lock. */
#ifndef GST_TFRC_KEYAGE_H
#define GST_TFRC_KEYAGE_H

#include "../security/srtp.h"

G_BEGIN_DECLS

/** Keys younger than this are not replaced, whoever asks for other keys. */
#define GST_TFRC_KEYAGE_NEW_NS G_GUINT64_CONSTANT (1000000000)

/** A re-keying that has failed is tried again after this time: the keys in use are good meanwhile. */
#define GST_TFRC_KEYAGE_RETRY_NS (30 * G_GUINT64_CONSTANT (1000000000))

/** How much of what a key may protect is used up */
typedef enum
{
  GST_TFRC_KEYAGE_FRESH,
  GST_TFRC_KEYAGE_HALF_USED, /**< which leaves time for many attempts to replace the key */
  GST_TFRC_KEYAGE_USED_UP    /**< nothing can be protected any more */
} GstTfrcKeyWear;

/** A plain value */
typedef struct
{
  gint wear;           /* GstTfrcKeyWear, of the key in use */
  guint64 interval_ns; /* 0: no re-keying by the time */
  guint64 key_ns;      /* when the receiver got the keys */
  guint64 due_ns;      /* when the next re-keying is due */
  guint64 retry_ns; /* when a key that is half used may be replaced, after a try that has failed */
} GstTfrcKeyAge;

/** Another stream begins, without keys. */
static inline void
gst_tfrc_key_age_begin (GstTfrcKeyAge *self)
{
  g_atomic_int_set (&self->wear, GST_TFRC_KEYAGE_FRESH);
  self->due_ns = G_MAXUINT64;
  self->retry_ns = 0;
}

/** Other keys are in use. */
static inline void
gst_tfrc_key_age_switch (GstTfrcKeyAge *self)
{
  g_atomic_int_set (&self->wear, GST_TFRC_KEYAGE_FRESH);
}

/** The receiver has the keys in use. */
static inline void
gst_tfrc_key_age_confirm (GstTfrcKeyAge *self, guint64 now_ns)
{
  self->key_ns = now_ns;
  self->retry_ns = 0;
  self->due_ns = self->interval_ns > 0 ? now_ns + self->interval_ns : G_MAXUINT64;
}

/** A re-keying has been asked for.  It waits until the keys in use are GST_TFRC_KEYAGE_NEW_NS old,
 * because packets with the keys before them may still be under way. */
static inline void
gst_tfrc_key_age_ask (GstTfrcKeyAge *self, guint64 now_ns)
{
  self->due_ns = MAX (now_ns, self->key_ns + GST_TFRC_KEYAGE_NEW_NS);
}

/** A re-keying begins. */
static inline void
gst_tfrc_key_age_try (GstTfrcKeyAge *self, guint64 now_ns)
{
  self->due_ns = self->retry_ns = now_ns + GST_TFRC_KEYAGE_RETRY_NS;
}

static inline gboolean
gst_tfrc_key_age_is_new (const GstTfrcKeyAge *self, guint64 now_ns)
{
  return now_ns < self->key_ns + GST_TFRC_KEYAGE_NEW_NS;
}

static inline gboolean
gst_tfrc_key_age_is_used_up (GstTfrcKeyAge *self)
{
  return g_atomic_int_get (&self->wear) == GST_TFRC_KEYAGE_USED_UP;
}

/** A packet has been protected.
 * @param size 0: it could not be, as the key has protected what a key may */
static inline void
gst_tfrc_key_age_note (GstTfrcKeyAge *self, GstTfrcSrtp *srtp, gsize size)
{
  if (size == 0)
    g_atomic_int_set (&self->wear, GST_TFRC_KEYAGE_USED_UP);
  else if (!gst_tfrc_key_age_is_used_up (self))
    g_atomic_int_set (&self->wear,
        gst_tfrc_srtp_is_half_used (srtp) ? GST_TFRC_KEYAGE_HALF_USED : GST_TFRC_KEYAGE_FRESH);
}

/** Returns when a re-keying is due.  A key that is used up by half needs another one, whatever the
 * interval is. */
static inline guint64
gst_tfrc_key_age_due_ns (GstTfrcKeyAge *self)
{
  return g_atomic_int_get (&self->wear) == GST_TFRC_KEYAGE_HALF_USED ? self->retry_ns
                                                                     : self->due_ns;
}

G_END_DECLS
#endif
