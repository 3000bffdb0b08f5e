/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far a movie may run ahead, see ahead.h. */
#include "ahead.h"

#include <string.h>

typedef struct
{
  guint64 due_ns;
  gsize bytes;
} EarlyPacket;

/* The array grows by itself. */
#define FIRST_SIZE 32

void
gst_tfrc_ahead_init (GstTfrcAhead *self)
{
  memset (self, 0, sizeof *self);
  self->early = gst_queue_array_new_for_struct (sizeof (EarlyPacket), FIRST_SIZE);
}

void
gst_tfrc_ahead_clear (GstTfrcAhead *self)
{
  gst_queue_array_free (self->early);
}

void
gst_tfrc_ahead_set (GstTfrcAhead *self, guint64 window_ns, guint64 max_bytes)
{
  self->window_ns = max_bytes > 0 ? window_ns : 0;
  self->max_bytes = max_bytes;
}

guint64
gst_tfrc_ahead_get_window_ns (const GstTfrcAhead *self)
{
  return self->window_ns;
}

static const EarlyPacket *
first_of (const GstTfrcAhead *self)
{
  return gst_queue_array_peek_head_struct (self->early);
}

/* Does the receiver drop what it holds, when the packet comes (gst/flow/playoutclock.h)? */
static gboolean
goes_back (const GstTfrcAhead *self, guint64 due_ns)
{
  return due_ns + GST_TFRC_AHEAD_BACK_NS < self->last_due_ns;
}

guint64
gst_tfrc_ahead_opens_ns (const GstTfrcAhead *self, guint64 due_ns, gsize bytes)
{
  guint64 opens_ns = due_ns - MIN (self->window_ns, due_ns);

  if (self->window_ns == 0 || bytes > self->max_bytes)
    return due_ns;
  if (self->bytes > self->max_bytes - bytes && !goes_back (self, due_ns))
    opens_ns = MAX (opens_ns, first_of (self)->due_ns);
  return MIN (opens_ns, due_ns);
}

void
gst_tfrc_ahead_on_packet (GstTfrcAhead *self, guint64 due_ns, gsize bytes, guint64 now_ns)
{
  EarlyPacket packet = { due_ns, bytes };

  if (goes_back (self, due_ns)) {
    gst_queue_array_clear (self->early);
    self->bytes = 0;
  }
  self->last_due_ns = due_ns;
  if (due_ns <= now_ns)
    return;
  gst_queue_array_push_tail_struct (self->early, &packet);
  self->bytes += bytes;
}

void
gst_tfrc_ahead_on_time (GstTfrcAhead *self, guint64 now_ns)
{
  const EarlyPacket *first;

  while (self->bytes > 0 && (first = first_of (self))->due_ns <= now_ns) {
    self->bytes -= first->bytes;
    gst_queue_array_pop_head_struct (self->early);
  }
}

guint64
gst_tfrc_ahead_get_lead_ns (const GstTfrcAhead *self, guint64 now_ns)
{
  return self->last_due_ns - MIN (now_ns, self->last_due_ns);
}
