/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The liveness test of a peer, see srcliveness.h. */
#include "srcliveness.h"

#include <string.h>

#include "../common/random.h"

void
gst_tfrc_src_liveness_start (GstTfrcSrcLiveness *liveness, GstTfrcSrcLivenessReason reason,
    guint challenges, guint64 timeout_ns, guint64 now_ns)
{
  TfrcPathConfig config = { .full_bytes = TFRC_WIRE_MIN_PATH_BYTES };
  TfrcPath *path = liveness->path;
  guint i;

  memset (liveness, 0, sizeof *liveness);
  liveness->path = path;
  liveness->reason = reason;
  liveness->started_ns = now_ns;
  liveness->end_ns = now_ns + timeout_ns;
  /* Three: at 0, 1/4 and 3/4; two: at 0 and 1/2 */
  config.rtt_ns = challenges > 2 ? timeout_ns / 4 : timeout_ns / 2;
  liveness->may_challenge = challenges > 0
      && gst_tfrc_random_fill (config.data[0], sizeof config.data[0]);
  memcpy (config.data[1], config.data[0], sizeof config.data[0]);
  tfrc_path_start (liveness->path, &config, now_ns);
  for (i = 0; i < challenges; i++)
    tfrc_path_on_received (liveness->path, TFRC_WIRE_MIN_PATH_BYTES);
}

void
gst_tfrc_src_liveness_stop (GstTfrcSrcLiveness *liveness)
{
  liveness->reason = GST_TFRC_SRC_LIVENESS_NONE;
  liveness->may_challenge = FALSE;
}

gboolean
gst_tfrc_src_liveness_is_response (
    GstTfrcSrcLiveness *liveness, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES], guint64 now_ns)
{
  return liveness->may_challenge && tfrc_path_on_response (liveness->path, data, now_ns);
}

gboolean
gst_tfrc_src_liveness_has_failed (const GstTfrcSrcLiveness *liveness, guint64 now_ns)
{
  return liveness->reason != GST_TFRC_SRC_LIVENESS_NONE && now_ns >= liveness->end_ns;
}

guint64
gst_tfrc_src_liveness_next_ns (const GstTfrcSrcLiveness *liveness)
{
  if (liveness->reason == GST_TFRC_SRC_LIVENESS_NONE)
    return G_MAXUINT64;
  return liveness->may_challenge ? MIN (tfrc_path_next_ns (liveness->path), liveness->end_ns)
                                 : liveness->end_ns;
}

gboolean
gst_tfrc_src_liveness_take_challenge (
    GstTfrcSrcLiveness *liveness, guint64 now_ns, guint8 data[TFRC_WIRE_PATH_DATA_BYTES])
{
  return liveness->may_challenge && now_ns < liveness->end_ns
      && tfrc_path_take_challenge (liveness->path, now_ns, data) > 0;
}
