/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Signals and messages of handovers, see handoversignals.h. */
#include "handoversignals.h"

#include "../common/enums.h"
#include "../common/messages.h"

void
gst_tfrc_handover_install_signals (GType type)
{
  /**
   * GstTfrcSrc::handover-started:
   *
   * The receiver has changed to another link.
   */
  g_signal_new ("handover-started", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  /**
   * GstTfrcSrc::handover-phase:
   * @phase: the phase that the adaptation has entered
   */
  g_signal_new ("handover-phase", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
      GST_TYPE_TFRC_HANDOVER_PHASE);
  /**
   * GstTfrcSrc::handover-completed:
   * @result: the fields of the message tfrc-handover-completed
   */
  g_signal_new ("handover-completed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
      GST_TYPE_STRUCTURE);
  gst_type_mark_as_plugin_api (GST_TYPE_TFRC_HANDOVER_PHASE, 0);
}

static GstStructure *
new_result (const GstTfrcHandoverEvent *event)
{
  guint64 before = event->before.packets_lost, after = event->after.packets_lost;

  return gst_structure_new ("tfrc-handover-completed", "completed", G_TYPE_BOOLEAN,
      event->completed, "duration", G_TYPE_UINT64, event->duration_ns, "rtt-before", G_TYPE_UINT64,
      event->before.rtt_ns, "rtt-after", G_TYPE_UINT64, event->after.rtt_ns, "rate-before",
      G_TYPE_DOUBLE, event->before.rate_bps, "rate-after", G_TYPE_DOUBLE, event->after.rate_bps,
      /* less than before if a late packet has taken losses back */
      "packets-lost", G_TYPE_UINT64, after - MIN (before, after), NULL);
}

void
gst_tfrc_handover_report (GstElement *element, const GstTfrcHandoverEvent *event)
{
  GstStructure *structure = NULL;

  switch (event->kind) {
    case GST_TFRC_HANDOVER_EVENT_STARTED:
      structure = gst_structure_new_empty ("tfrc-handover-started");
      g_signal_emit_by_name (element, "handover-started");
      break;
    case GST_TFRC_HANDOVER_EVENT_PHASE:
      structure = gst_structure_new (
          "tfrc-handover-phase", "phase", GST_TYPE_TFRC_HANDOVER_PHASE, event->phase, NULL);
      g_signal_emit_by_name (element, "handover-phase", event->phase);
      break;
    case GST_TFRC_HANDOVER_EVENT_COMPLETED:
      structure = new_result (event);
      g_signal_emit_by_name (element, "handover-completed", structure);
      break;
  }
  gst_tfrc_message_post (element, structure);
}
