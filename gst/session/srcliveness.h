/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The liveness test of a source's peer (as RFC 9000 section 10.1.1).
 *
 * The source tests its peer for one of two reasons: the peer is silent while another sender waits,
 * or a BYE has come, which every host that has seen the SSRC can forge.  The source sends
 * challenges with random bytes of their own.  The test ends when the peer responds, or fails at a
 * timeout.
 *
 * No socket, no clock, no locks. */
#ifndef GST_TFRC_SRCLIVENESS_H
#define GST_TFRC_SRCLIVENESS_H

#include <glib.h>
#include <tfrc/path.h>

G_BEGIN_DECLS

typedef enum
{
  GST_TFRC_SRC_LIVENESS_NONE, /**< no test runs */
  GST_TFRC_SRC_LIVENESS_SILENCE,
  GST_TFRC_SRC_LIVENESS_BYE
} GstTfrcSrcLivenessReason;

/** All zero but the path, which the owner of this struct creates and frees: no test runs. */
typedef struct
{
  GstTfrcSrcLivenessReason reason;
  gboolean may_challenge; /**< the test sends challenges */
  TfrcPath *path;         /**< the challenges */
  guint64 started_ns;
  guint64 end_ns; /**< the timeout */
} GstTfrcSrcLiveness;

/** Starts a test.  The first challenge is due at once; the others are due a quarter and three
 * quarters of the timeout later if there are three, half of the timeout later if there are two.
 * @param challenges how many the test may send, 0 to 3 */
void gst_tfrc_src_liveness_start (GstTfrcSrcLiveness *liveness, GstTfrcSrcLivenessReason reason,
    guint challenges, guint64 timeout_ns, guint64 now_ns);

/** Ends the test: the peer is there, or is no longer the peer. */
void gst_tfrc_src_liveness_stop (GstTfrcSrcLiveness *liveness);

/** Returns whether the data is that of a challenge of this test.  The comparison takes the same
 * time for all data. */
gboolean gst_tfrc_src_liveness_is_response (
    GstTfrcSrcLiveness *liveness, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES], guint64 now_ns);

/** Returns whether the timeout has passed without a response. */
gboolean gst_tfrc_src_liveness_has_failed (const GstTfrcSrcLiveness *liveness, guint64 now_ns);

/** Returns when a challenge or the timeout is due; G_MAXUINT64 if no test runs. */
guint64 gst_tfrc_src_liveness_next_ns (const GstTfrcSrcLiveness *liveness);

/** Takes the challenge that is due.  The caller sends the challenge at once.
 * @return FALSE if none is due */
gboolean gst_tfrc_src_liveness_take_challenge (
    GstTfrcSrcLiveness *liveness, guint64 now_ns, guint8 data[TFRC_WIRE_PATH_DATA_BYTES]);

G_END_DECLS
#endif
