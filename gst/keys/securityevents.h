/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A short queue of security events.  A full queue forgets the oldest event.  No locks. */
#ifndef GST_TFRC_SECURITYEVENTS_H
#define GST_TFRC_SECURITYEVENTS_H

#include "security.h"

G_BEGIN_DECLS

#define GST_TFRC_SECURITY_MAX_EVENTS 8

/** A plain value, all zero at first */
typedef struct
{
  GstTfrcSecurityEvent events[GST_TFRC_SECURITY_MAX_EVENTS];
  guint first, n;
} GstTfrcSecurityEvents;

static inline void
gst_tfrc_security_events_add (
    GstTfrcSecurityEvents *self, GstTfrcSecurityEventKind kind, const gchar *reason)
{
  if (self->n == GST_TFRC_SECURITY_MAX_EVENTS) {
    self->first = (self->first + 1) % GST_TFRC_SECURITY_MAX_EVENTS;
    self->n--;
  }
  self->events[(self->first + self->n++) % GST_TFRC_SECURITY_MAX_EVENTS] =
      (GstTfrcSecurityEvent){ kind, reason };
}

static inline gboolean
gst_tfrc_security_events_take (GstTfrcSecurityEvents *self, GstTfrcSecurityEvent *event)
{
  if (self->n == 0)
    return FALSE;
  *event = self->events[self->first];
  self->first = (self->first + 1) % GST_TFRC_SECURITY_MAX_EVENTS;
  self->n--;
  return TRUE;
}

G_END_DECLS
#endif
