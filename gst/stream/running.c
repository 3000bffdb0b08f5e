/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stream of an element while it runs, see running.h. */
#include "running.h"

void
gst_tfrc_running_init (GstTfrcRunning *self, GstElement *element, const GstTfrcTelling *telling)
{
  self->element = element;
  self->telling = telling;
  gst_tfrc_gate_init (&self->gate);
  gst_tfrc_notifier_init (&self->notifier, element, self);
}

void
gst_tfrc_running_clear (GstTfrcRunning *self)
{
  gst_tfrc_notifier_clear (&self->notifier);
  gst_tfrc_gate_clear (&self->gate);
}

void
gst_tfrc_running_start (GstTfrcRunning *self, gpointer stream, GstTfrcTrace *trace)
{
  self->stream = stream;
  self->trace = trace;
  g_atomic_int_set (&self->is_failure_told, FALSE);
  gst_tfrc_gate_open (&self->gate);
}

gpointer
gst_tfrc_running_stop (GstTfrcRunning *self)
{
  gst_tfrc_gate_close (&self->gate);
  return g_steal_pointer (&self->stream);
}

void
gst_tfrc_running_end (GstTfrcRunning *self)
{
  g_clear_pointer (&self->trace, gst_tfrc_trace_free);
  gst_tfrc_notifier_stop (&self->notifier);
}

gboolean
gst_tfrc_running_is_inherited (const GstTfrcRunning *self)
{
  return gst_tfrc_gate_is_inherited (&self->gate);
}

gpointer
gst_tfrc_running_give_up (GstTfrcRunning *self)
{
  gst_tfrc_trace_close_inherited (g_steal_pointer (&self->trace));
  gst_tfrc_notifier_init (&self->notifier, self->element, self);
  return gst_tfrc_running_stop (self);
}

gpointer
gst_tfrc_running_enter (GstTfrcRunning *self)
{
  return gst_tfrc_gate_enter (&self->gate) ? self->stream : NULL;
}

void
gst_tfrc_running_leave (GstTfrcRunning *self)
{
  gst_tfrc_gate_leave (&self->gate);
}

gpointer
gst_tfrc_running_enter_in_turn (GstTfrcRunning *self, GstTfrcTurn turn)
{
  return gst_tfrc_gate_enter_in_turn (&self->gate, turn) ? self->stream : NULL;
}

void
gst_tfrc_running_leave_turn (GstTfrcRunning *self, GstTfrcTurn turn)
{
  gst_tfrc_gate_leave_turn (&self->gate, turn);
}

static gboolean
take_event (GstTfrcRunning *self, GstTfrcEvent *event)
{
  gpointer stream = gst_tfrc_running_enter (self);
  gboolean has_event;

  if (stream == NULL)
    return FALSE;
  has_event = self->telling->take_event (stream, event);
  gst_tfrc_running_leave (self);
  return has_event;
}

/* One event at a time, so that the elements of a process take turns */
static void
tell_next (gpointer user, gint unused)
{
  GstTfrcRunning *self = user;
  GstTfrcEvent event;

  if (!take_event (self, &event))
    return;
  self->telling->tell (self, &event);
  gst_tfrc_running_tell (self);
}

void
gst_tfrc_running_tell (GstTfrcRunning *self)
{
  gst_tfrc_notifier_notify (&self->notifier, tell_next, 0);
}

void
gst_tfrc_running_set_failure_told (GstTfrcRunning *self)
{
  g_atomic_int_set (&self->is_failure_told, TRUE);
}

gboolean
gst_tfrc_running_is_failure_told (const GstTfrcRunning *self)
{
  return g_atomic_int_get (&self->is_failure_told);
}

GstElement *
gst_tfrc_running_get_element (const GstTfrcRunning *self)
{
  return self->element;
}

GstTfrcNotifier *
gst_tfrc_running_get_notifier (GstTfrcRunning *self)
{
  return &self->notifier;
}
