/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A liveness test, see liveness.h. */
#include "liveness.h"

#include "../common/log.h"
#include "validation.h"

#define MS_NS G_GUINT64_CONSTANT (1000000)

/* A timeout that is noticed so late has passed while this process was stopped, or had no processor.  What has come
 * meanwhile may be more than is read at a time, and is read within the time that the test then gets. */
#define LATE_NS (10 * MS_NS)
#define READING_NS (100 * MS_NS)

void
gst_tfrc_liveness_init (GstTfrcLiveness *self)
{
  tfrc_path_new (&self->path);
}

void
gst_tfrc_liveness_clear (GstTfrcLiveness *self)
{
  tfrc_path_free (self->path);
}

/* ---- a test ---------------------------------------------------------------- */

void
gst_tfrc_liveness_start (
    GstTfrcLiveness *self, GstTfrcTest reason, guint challenges, guint64 timeout_ns, guint64 now_ns)
{
  /* Three: at 0, 1/4 and 3/4; two: at 0 and 1/2 */
  guint64 interval_ns = challenges > 2 ? timeout_ns / 4 : timeout_ns / 2;

  self->reason = reason;
  self->is_extended = FALSE;
  self->started_ns = now_ns;
  self->timeout_ns = timeout_ns;
  self->end_ns = now_ns + timeout_ns;
  self->may_challenge = challenges > 0
      && gst_tfrc_validation_start_random (
          self->path, TFRC_WIRE_MIN_PATH_BYTES, interval_ns, now_ns);
  gst_tfrc_validation_allow (self->path, challenges, TFRC_WIRE_MIN_PATH_BYTES);
  gst_tfrc_log (peer, DEBUG,
      "the peer is tested after %s: %u challenges in %" G_GUINT64_FORMAT " ns",
      reason == GST_TFRC_TEST_BYE ? "a BYE" : "silence", challenges, timeout_ns);
}

void
gst_tfrc_liveness_stop (GstTfrcLiveness *self)
{
  self->reason = GST_TFRC_TEST_NONE;
  self->may_challenge = FALSE;
}

void
gst_tfrc_liveness_fail (GstTfrcLiveness *self, guint64 now_ns)
{
  self->end_ns = MIN (self->end_ns, now_ns);
}

void
gst_tfrc_liveness_on_time (GstTfrcLiveness *self, guint64 now_ns)
{
  if (self->reason == GST_TFRC_TEST_NONE || self->is_extended || now_ns <= self->end_ns + LATE_NS)
    return;
  self->end_ns = now_ns + READING_NS;
  self->is_extended = TRUE;
}

gboolean
gst_tfrc_liveness_on_response (
    GstTfrcLiveness *self, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES], guint64 arrival_ns)
{
  return self->may_challenge && tfrc_path_on_response (self->path, data, arrival_ns);
}

/* ---- queries ---------------------------------------------------------------- */

gboolean
gst_tfrc_liveness_has_failed (const GstTfrcLiveness *self, GstTfrcTest reason, guint64 now_ns)
{
  return self->reason == reason && now_ns >= self->end_ns;
}

/* After the timeout further challenges leave with other packets. */
guint64
gst_tfrc_liveness_next_ns (const GstTfrcLiveness *self)
{
  if (self->reason == GST_TFRC_TEST_NONE)
    return G_MAXUINT64;
  return self->may_challenge && !self->is_extended
      ? MIN (tfrc_path_next_ns (self->path), self->end_ns)
      : self->end_ns;
}

gboolean
gst_tfrc_liveness_take_challenge (
    GstTfrcLiveness *self, guint64 now_ns, guint8 data[TFRC_WIRE_PATH_DATA_BYTES])
{
  return self->may_challenge && now_ns < self->end_ns
      && tfrc_path_take_challenge (self->path, now_ns, data) > 0;
}

const gchar *
gst_tfrc_liveness_check (const GstTfrcLiveness *self)
{
  return self->reason == GST_TFRC_TEST_NONE && self->may_challenge
      ? "challenges of a liveness test that has ended"
      : NULL;
}
