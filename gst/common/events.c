/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What there is to tell the application, see events.h. */
#include "events.h"

/* The first kind with a value, and the first one by the peer */
#define FIRST_WITH_VALUE GST_TFRC_EVENT_SECURITY_FAILED
#define FIRST_BY_PEER GST_TFRC_EVENT_PEER_STATE

/* Do events of these kinds share places? */
static gboolean
share_places (GstTfrcEventKind a, GstTfrcEventKind b)
{
  return a == b || (a >= FIRST_BY_PEER && b >= FIRST_BY_PEER);
}

void
gst_tfrc_events_clear (GstTfrcEvents *self)
{
  g_clear_pointer (&self->waiting, g_array_unref);
  self->dropped = 0;
}

static const GstTfrcEvent *
get (const GstTfrcEvents *self, guint i)
{
  return &g_array_index (self->waiting, GstTfrcEvent, i);
}

void
gst_tfrc_events_add (GstTfrcEvents *self, const GstTfrcEvent *event)
{
  guint places = event->kind >= FIRST_BY_PEER ? GST_TFRC_EVENTS_OF_PEER : 1;
  guint taken = 0, oldest = 0;

  if (self == NULL)
    return;
  if (self->waiting == NULL)
    self->waiting = g_array_new (FALSE, FALSE, sizeof *event);
  for (guint i = self->waiting->len; i-- > 0;) {
    if (share_places (get (self, i)->kind, event->kind)) {
      taken++;
      oldest = i;
    }
  }
  if (taken == places) {
    if (event->kind < FIRST_WITH_VALUE)
      return;
    g_array_remove_index (self->waiting, oldest);
    self->dropped++;
  }
  g_array_append_val (self->waiting, *event);
}

void
gst_tfrc_events_add_kind (GstTfrcEvents *self, GstTfrcEventKind kind)
{
  gst_tfrc_events_add (self, &(GstTfrcEvent){ .kind = kind });
}

void
gst_tfrc_events_count_dropped (GstTfrcEvents *self)
{
  if (self)
    self->dropped++;
}

gboolean
gst_tfrc_events_are_waiting (const GstTfrcEvents *self)
{
  return self->waiting && self->waiting->len > 0;
}

gboolean
gst_tfrc_events_take (GstTfrcEvents *self, GstTfrcEvent *event)
{
  if (!gst_tfrc_events_are_waiting (self))
    return FALSE;
  *event = *get (self, 0);
  g_array_remove_index (self->waiting, 0);
  return TRUE;
}

guint64
gst_tfrc_events_get_dropped (const GstTfrcEvents *self)
{
  return self->dropped;
}
