/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What there is to tell the application, see events.h. */
#include "events.h"

#include <string.h>

/* The first kind with a value, and the first one by the peer */
#define FIRST_WITH_VALUE GST_TFRC_EVENT_SECURITY_FAILED
#define FIRST_BY_PEER GST_TFRC_EVENT_PEER_STATE

/* Do events of these kinds share places? */
static gboolean
share_places (GstTfrcEventKind a, GstTfrcEventKind b)
{
  return a == b || (a >= FIRST_BY_PEER && b >= FIRST_BY_PEER);
}

static void
take_out (GstTfrcEvents *self, guint i)
{
  self->n--;
  memmove (&self->waiting[i], &self->waiting[i + 1], (self->n - i) * sizeof self->waiting[0]);
}

void
gst_tfrc_events_add (GstTfrcEvents *self, const GstTfrcEvent *event)
{
  guint places = event->kind >= FIRST_BY_PEER ? GST_TFRC_EVENTS_OF_PEER : 1;
  guint taken = 0, oldest = 0;

  if (self == NULL)
    return;
  for (guint i = self->n; i-- > 0;) {
    if (share_places (self->waiting[i].kind, event->kind)) {
      taken++;
      oldest = i;
    }
  }
  if (taken == places) {
    if (event->kind < FIRST_WITH_VALUE)
      return;
    take_out (self, oldest);
    self->dropped++;
  }
  self->waiting[self->n++] = *event;
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
  return self->n > 0;
}

gboolean
gst_tfrc_events_take (GstTfrcEvents *self, GstTfrcEvent *event)
{
  if (self->n == 0)
    return FALSE;
  *event = self->waiting[0];
  take_out (self, 0);
  return TRUE;
}

guint64
gst_tfrc_events_get_dropped (const GstTfrcEvents *self)
{
  return self->dropped;
}
