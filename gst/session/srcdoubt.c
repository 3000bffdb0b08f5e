/* Whether the owner of a source is still there, see srcdoubt.h. */
#include "srcdoubt.h"

#include <string.h>

#include "../common/random.h"

void
gst_tfrc_src_doubt_start (GstTfrcSrcDoubt *doubt, GstTfrcSrcDoubtReason reason, guint challenges,
    guint64 patience_ns, guint64 now_ns)
{
  TfrcPathConfig config = { .full_bytes = TFRC_WIRE_MIN_PATH_BYTES };
  TfrcPath *path = doubt->path;
  guint i;

  memset (doubt, 0, sizeof *doubt);
  doubt->path = path;
  doubt->reason = reason;
  doubt->since_ns = now_ns;
  doubt->end_ns = now_ns + patience_ns;
  /* Three: at 0, 1/4 and 3/4; two: at 0 and 1/2 */
  config.rtt_ns = challenges > 2 ? patience_ns / 4 : patience_ns / 2;
  doubt->asks = challenges > 0 && gst_tfrc_random_fill (config.data[0], sizeof config.data[0]);
  memcpy (config.data[1], config.data[0], sizeof config.data[0]);
  tfrc_path_start (doubt->path, &config, now_ns);
  for (i = 0; i < challenges; i++)
    tfrc_path_on_received (doubt->path, TFRC_WIRE_MIN_PATH_BYTES);
}

void
gst_tfrc_src_doubt_stop (GstTfrcSrcDoubt *doubt)
{
  doubt->reason = GST_TFRC_SRC_DOUBT_NONE;
  doubt->asks = FALSE;
}

gboolean
gst_tfrc_src_doubt_is_answer (
    GstTfrcSrcDoubt *doubt, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES], guint64 now_ns)
{
  return doubt->asks && tfrc_path_on_response (doubt->path, data, now_ns);
}

gboolean
gst_tfrc_src_doubt_is_over (const GstTfrcSrcDoubt *doubt, guint64 now_ns)
{
  return doubt->reason != GST_TFRC_SRC_DOUBT_NONE && now_ns >= doubt->end_ns;
}

guint64
gst_tfrc_src_doubt_next_ns (const GstTfrcSrcDoubt *doubt)
{
  if (doubt->reason == GST_TFRC_SRC_DOUBT_NONE)
    return G_MAXUINT64;
  return doubt->asks ? MIN (tfrc_path_next_ns (doubt->path), doubt->end_ns) : doubt->end_ns;
}

gboolean
gst_tfrc_src_doubt_take_challenge (
    GstTfrcSrcDoubt *doubt, guint64 now_ns, guint8 data[TFRC_WIRE_PATH_DATA_BYTES])
{
  return doubt->asks && now_ns < doubt->end_ns
      && tfrc_path_take_challenge (doubt->path, now_ns, data) > 0;
}
