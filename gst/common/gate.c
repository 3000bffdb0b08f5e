/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads enter and leave, see gate.h. */
#include "gate.h"

#include "fork.h"

void
gst_tfrc_gate_init (GstTfrcGate *gate)
{
  gate->generation = gst_tfrc_fork_generation ();
  gst_tfrc_gate_mutex_init (&gate->lock);
  g_cond_init (&gate->changed);
  gst_tfrc_gate_mutex_assume (&gate->lock);
  gate->open = FALSE;
  gate->inside = 0;
  gate->turns_taken = 0;
}

/* Makes an inherited gate a closed gate of this process.  In a child of fork(2) the threads that
 * were inside are missing, and one of them may have held the lock. */
static void
adopt (GstTfrcGate *gate)
{
  if (gate->generation != gst_tfrc_fork_generation ())
    gst_tfrc_gate_init (gate);
}

gboolean
gst_tfrc_gate_is_inherited (const GstTfrcGate *gate)
{
  return gst_tfrc_fork_is_inherited (gate->generation);
}

void
gst_tfrc_gate_clear (GstTfrcGate *gate)
{
  adopt (gate);
  g_cond_clear (&gate->changed);
  gst_tfrc_gate_mutex_clear (&gate->lock);
}

void
gst_tfrc_gate_open (GstTfrcGate *gate)
{
  adopt (gate);
  gst_tfrc_gate_mutex_lock (&gate->lock);
  gate->open = TRUE;
  gst_tfrc_gate_mutex_unlock (&gate->lock);
}

void
gst_tfrc_gate_close (GstTfrcGate *gate)
{
  adopt (gate);
  gst_tfrc_gate_mutex_lock (&gate->lock);
  gate->open = FALSE;
  g_cond_broadcast (&gate->changed);
  while (gate->inside > 0)
    gst_tfrc_gate_mutex_wait (&gate->lock, &gate->changed);
  gst_tfrc_gate_mutex_unlock (&gate->lock);
}

/* @turns: 1 << GstTfrcTurn, or 0 */
static gboolean
enter (GstTfrcGate *gate, guint turns)
{
  gboolean open;

  if (gst_tfrc_gate_is_inherited (gate))
    return FALSE;
  gst_tfrc_gate_mutex_lock (&gate->lock);
  while (gate->open && (gate->turns_taken & turns) != 0)
    gst_tfrc_gate_mutex_wait (&gate->lock, &gate->changed);
  open = gate->open;
  if (open) {
    gate->inside++;
    gate->turns_taken |= turns;
  }
  gst_tfrc_gate_mutex_unlock (&gate->lock);
  return open;
}

static void
leave (GstTfrcGate *gate, guint turns)
{
  gst_tfrc_gate_mutex_lock (&gate->lock);
  gate->inside--;
  gate->turns_taken &= ~turns;
  g_cond_broadcast (&gate->changed);
  gst_tfrc_gate_mutex_unlock (&gate->lock);
}

gboolean
gst_tfrc_gate_enter (GstTfrcGate *gate)
{
  return enter (gate, 0);
}

void
gst_tfrc_gate_leave (GstTfrcGate *gate)
{
  leave (gate, 0);
}

gboolean
gst_tfrc_gate_enter_in_turn (GstTfrcGate *gate, GstTfrcTurn turn)
{
  return enter (gate, 1u << turn);
}

void
gst_tfrc_gate_leave_turn (GstTfrcGate *gate, GstTfrcTurn turn)
{
  leave (gate, 1u << turn);
}
