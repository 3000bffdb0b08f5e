/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A liveness test of a peer: challenges with random bytes of their own, and the time for a response. Why a test begins,
 * and what follows, is the peer's (peer.h).
 *
 * No socket, no clock, no locks. */
#ifndef GST_TFRC_LIVENESS_H
#define GST_TFRC_LIVENESS_H

#include <glib.h>
#include <tfrc/path.h>

G_BEGIN_DECLS

/** Why a liveness test runs */
typedef enum
{
  GST_TFRC_TEST_NONE, /**< none runs */
  GST_TFRC_TEST_SILENCE,
  GST_TFRC_TEST_BYE
} GstTfrcTest;

/** Of a peer, which reads the fields; liveness.c alone changes them. Points to memory of its own, and so must not be
 * copied. */
typedef struct
{
  GstTfrcTest reason;
  gboolean may_challenge; /**< the test sends challenges */
  TfrcPath *path;         /**< the challenges */
  guint64 started_ns;
  guint64 timeout_ns;   /**< as it began */
  guint64 end_ns;       /**< without a response until then the test has failed */
  gboolean is_extended; /**< as the timeout was noticed late */
} GstTfrcLiveness;

/** Begins without a test.  To be cleared with gst_tfrc_liveness_clear().
 * @param self all zero */
void gst_tfrc_liveness_init (GstTfrcLiveness *self);

void gst_tfrc_liveness_clear (GstTfrcLiveness *self);

/** Starts a test.  The first challenge is due at once; the others are due a quarter and three quarters of the timeout
 * later if there are three, half of the timeout later if there are two.
 * @param challenges how many the test may send, 0 to 3 */
void gst_tfrc_liveness_start (GstTfrcLiveness *self, GstTfrcTest reason, guint challenges,
    guint64 timeout_ns, guint64 now_ns);

void gst_tfrc_liveness_stop (GstTfrcLiveness *self);

/** The test has failed now, unless it has failed before. */
void gst_tfrc_liveness_fail (GstTfrcLiveness *self, guint64 now_ns);

/** Time has passed.  If the timeout is noticed late, the response may have come, and not been read yet: the test goes on
 * for the time that reading takes, once. */
void gst_tfrc_liveness_on_time (GstTfrcLiveness *self, guint64 now_ns);

/** A response has come from the peer's address.
 * @return FALSE if it does not belong to a test */
gboolean gst_tfrc_liveness_on_response (
    GstTfrcLiveness *self, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES], guint64 arrival_ns);

/** Returns whether a test with this reason has had no response until its end. */
gboolean gst_tfrc_liveness_has_failed (
    const GstTfrcLiveness *self, GstTfrcTest reason, guint64 now_ns);

/** Returns when a challenge is due, or the test ends; G_MAXUINT64: none runs. */
guint64 gst_tfrc_liveness_next_ns (const GstTfrcLiveness *self);

/** Takes the challenge that is due.  The caller sends the challenge at once.
 * @return FALSE if none is due */
gboolean gst_tfrc_liveness_take_challenge (
    GstTfrcLiveness *self, guint64 now_ns, guint8 data[TFRC_WIRE_PATH_DATA_BYTES]);

/** Returns the invariant that does not hold, as text; NULL: all hold.  For tests and gdb. */
const gchar *gst_tfrc_liveness_check (const GstTfrcLiveness *self);

G_END_DECLS
#endif
