/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long after it was due a packet may leave, see slack.h. */
#include "slack.h"

#include "../queue/deadline.h"

/* Feedback stands in for what the receiver does not tell. A handover and a migration each lead to another
 * path, where R_min begins anew. */
static guint64
estimate_queueing_ns (GstTfrcSlack *self, GstTfrcSendSession *session)
{
  TfrcSenderStats stats;
  guint64 path;

  gst_tfrc_rate_control_get_stats (
      gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (session)), &stats);
  if (stats.rtt_sample_ns == 0)
    return 0;
  path = stats.handovers
      + gst_tfrc_send_paths_get_migrations (gst_tfrc_send_session_get_paths (session));
  if (self->least_rtt_ns == 0 || path != self->path || stats.rtt_sample_ns < self->least_rtt_ns)
    self->least_rtt_ns = stats.rtt_sample_ns;
  self->path = path;
  return stats.rtt_sample_ns - self->least_rtt_ns;
}

guint64
gst_tfrc_slack_update (
    GstTfrcSlack *self, GstTfrcSendSession *session, const GstTfrcPlayout *told, guint64 delay_ns)
{
  guint64 queueing_ns = told->queueing_ns;

  if (told->delay_ns > 0)
    delay_ns = told->delay_ns;
  if (delay_ns == 0)
    return 0;
  if (queueing_ns == GST_TFRC_QUEUEING_UNKNOWN)
    queueing_ns = estimate_queueing_ns (self, session);
  return gst_tfrc_deadline_slack_ns (delay_ns, queueing_ns);
}
