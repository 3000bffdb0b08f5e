/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The counts of a source's former senders, see srctotals.h. */
#include "srctotals.h"

static void
add (TfrcReceiverStats *sum, const TfrcReceiverStats *stats)
{
  sum->packets_expected += stats->packets_expected;
  sum->packets_received += stats->packets_received;
  sum->bytes_received += stats->bytes_received;
  sum->packets_lost += stats->packets_lost;
  sum->packets_late += stats->packets_late;
  sum->packets_duplicate += stats->packets_duplicate;
  sum->packets_suspect += stats->packets_suspect;
  sum->packets_ce += stats->packets_ce;
  sum->packets_ect0 += stats->packets_ect0;
  sum->packets_ect1 += stats->packets_ect1;
  sum->packets_not_ect += stats->packets_not_ect;
  sum->loss_events += stats->loss_events;
  sum->feedbacks_sent += stats->feedbacks_sent;
  sum->handovers += stats->handovers;
  sum->handovers_completed += stats->handovers_completed;
  sum->handovers_abandoned += stats->handovers_abandoned;
  sum->link_errors += stats->link_errors;
}

void
gst_tfrc_src_totals_end_session (GstTfrcSrcTotals *self, const GstTfrcSrcSession *session)
{
  GstTfrcSrcSessionStats stats;

  gst_tfrc_src_session_get_stats (session, &stats);
  add (&self->receiver, &stats.receiver);
  self->messages_dropped += stats.messages_dropped;
}

void
gst_tfrc_src_totals_add_to (const GstTfrcSrcTotals *self, GstTfrcSrcSessionStats *stats)
{
  add (&stats->receiver, &self->receiver);
  stats->messages_dropped += self->messages_dropped;
}
