/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of decisions and of reasons, see <tfrc/trace.h>. */
#include <tfrc/tfrc.h>

static const char *const events[] = {
  [TFRC_TRACE_FEEDBACK] = "feedback",
  [TFRC_TRACE_REFUSED] = "refused",
  [TFRC_TRACE_LIMITED] = "limited",
  [TFRC_TRACE_NOFEEDBACK] = "nofeedback",
  [TFRC_TRACE_HOLD] = "hold",
  [TFRC_TRACE_NEW_PATH] = "new-path",
  [TFRC_TRACE_GUARD] = "guard",
  [TFRC_TRACE_RATE] = "rate",
  [TFRC_TRACE_REPORT] = "report",
  [TFRC_TRACE_LOSS_EVENT] = "loss-event",
  [TFRC_TRACE_LOSS_REMOVED] = "loss-removed",
  [TFRC_TRACE_HANDOVER] = "handover",
  [TFRC_TRACE_DOUBTED] = "doubted",
  [TFRC_TRACE_SUSPECT] = "suspect",
  [TFRC_TRACE_RESTART] = "restart",
};

static const char *const reasons[] = {
  [TFRC_TRACE_BY_NOTHING] = "none",
  [TFRC_TRACE_BY_START] = "start",
  [TFRC_TRACE_BY_SLOW_START] = "slow-start",
  [TFRC_TRACE_BY_EQUATION] = "equation",
  [TFRC_TRACE_BY_RECV_LIMIT] = "recv-limit",
  [TFRC_TRACE_BY_HOLD] = "hold",
  [TFRC_TRACE_BY_SETTLING] = "settling",
  [TFRC_TRACE_BY_NEW_PATH] = "new-path",
  [TFRC_TRACE_BY_NOFEEDBACK] = "nofeedback",
  [TFRC_TRACE_BY_REPORTS] = "reports",
  [TFRC_TRACE_BY_PROGRAM] = "program",
  [TFRC_TRACE_BY_RESUME] = "resume",
  [TFRC_TRACE_BY_RETREAT] = "retreat",
};

const char *
tfrc_trace_event_to_string (TfrcTraceEvent event)
{
  return (unsigned) event < TFRC_TRACE_N_EVENTS ? events[event] : "unknown";
}

const char *
tfrc_trace_reason_to_string (TfrcTraceReason reason)
{
  return (unsigned) reason < TFRC_TRACE_N_REASONS ? reasons[reason] : "unknown";
}
