/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The turnstile, see turnstile.h. */
#include "turnstile.h"

#include "../common/clock.h"

void
gst_tfrc_turnstile_init (GstTfrcTurnstile *self)
{
  gst_tfrc_turnstile_mutex_assume (&self->mutex);
  *self = (GstTfrcTurnstile){ .n_waiting = 0 };
  gst_tfrc_turnstile_mutex_init (&self->mutex);
  g_queue_init (&self->waiting);
}

void
gst_tfrc_turnstile_clear (GstTfrcTurnstile *self)
{
  gst_tfrc_turnstile_mutex_clear (&self->mutex);
}

void
gst_tfrc_visitor_init (GstTfrcVisitor *visitor)
{
  *visitor = (GstTfrcVisitor){ .link = { .data = visitor } };
  g_cond_init (&visitor->may_pass);
}

void
gst_tfrc_visitor_clear (GstTfrcVisitor *visitor)
{
  g_cond_clear (&visitor->may_pass);
}

/* Lets the first of the queue look again. */
static void
call_first (GstTfrcTurnstile *self) GST_TFRC_REQUIRES (gst_tfrc_turnstile_mutex)
{
  GstTfrcVisitor *first = g_queue_peek_head (&self->waiting);

  if (first)
    g_cond_signal (&first->may_pass);
}

static void
end_turn (GstTfrcTurnstile *self, const GstTfrcVisitor *visitor)
    GST_TFRC_REQUIRES (gst_tfrc_turnstile_mutex)
{
  for (guint i = 0; i < GST_TFRC_TURNSTILE_TURNS; i++) {
    if (self->owners[i] != visitor)
      continue;
    self->owners[i] = NULL;
    call_first (self);
  }
}

/* Takes a turn that nobody has, or that is over.
 * Returns 0, or the time at which the first turn ends. */
static guint64
take_turn (GstTfrcTurnstile *self, GstTfrcVisitor *visitor)
    GST_TFRC_REQUIRES (gst_tfrc_turnstile_mutex)
{
  guint64 now_ns = gst_tfrc_clock_now_ns (), end_ns = G_MAXUINT64;

  for (guint i = 0; i < GST_TFRC_TURNSTILE_TURNS; i++) {
    if (self->owners[i] == NULL || self->ends_ns[i] <= now_ns) {
      self->owners[i] = visitor;
      self->ends_ns[i] = now_ns + GST_TFRC_TURNSTILE_TURN_NS;
      return 0;
    }
    end_ns = MIN (end_ns, self->ends_ns[i]);
  }
  return end_ns;
}

/* The first of the queue waits until a turn is over, the others until they are the first. */
static void
wait_for_turn (GstTfrcTurnstile *self, GstTfrcVisitor *visitor)
    GST_TFRC_REQUIRES (gst_tfrc_turnstile_mutex)
{
  while (!visitor->is_interrupted) {
    guint64 end_ns = G_MAXUINT64;

    if (self->waiting.head == &visitor->link && (end_ns = take_turn (self, visitor)) == 0)
      return;
    if (end_ns == G_MAXUINT64)
      gst_tfrc_turnstile_mutex_wait (&self->mutex, &visitor->may_pass);
    else
      gst_tfrc_turnstile_mutex_wait_until (
          &self->mutex, &visitor->may_pass, (gint64) (end_ns / 1000 + 1));
  }
}

gboolean
gst_tfrc_turnstile_is_crowded (GstTfrcTurnstile *self)
{
  return g_atomic_int_get (&self->n_waiting) > 0;
}

void
gst_tfrc_turnstile_pass (GstTfrcTurnstile *self, GstTfrcVisitor *visitor)
{
  gst_tfrc_turnstile_mutex_lock (&self->mutex);
  end_turn (self, visitor);
  g_queue_push_tail_link (&self->waiting, &visitor->link);
  g_atomic_int_inc (&self->n_waiting);
  wait_for_turn (self, visitor);
  visitor->is_interrupted = FALSE;
  g_queue_unlink (&self->waiting, &visitor->link);
  g_atomic_int_add (&self->n_waiting, -1);
  call_first (self);
  gst_tfrc_turnstile_mutex_unlock (&self->mutex);
}

void
gst_tfrc_turnstile_leave (GstTfrcTurnstile *self, GstTfrcVisitor *visitor)
{
  gst_tfrc_turnstile_mutex_lock (&self->mutex);
  end_turn (self, visitor);
  gst_tfrc_turnstile_mutex_unlock (&self->mutex);
}

void
gst_tfrc_turnstile_interrupt (GstTfrcTurnstile *self, GstTfrcVisitor *visitor)
{
  gst_tfrc_turnstile_mutex_lock (&self->mutex);
  visitor->is_interrupted = TRUE;
  g_cond_signal (&visitor->may_pass);
  gst_tfrc_turnstile_mutex_unlock (&self->mutex);
}
