/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Continuity counters, see continuity.h */
#include "continuity.h"

#include <string.h>

#define NONE 16
#define COUNTER 0x0f
#define PID_NULL 0x1fff /* its counter may be anything */

void
continuity_init (Continuity *self)
{
  memset (self->last, NONE, sizeof self->last);
  continuity_begin_part (self);
}

void
continuity_begin_part (Continuity *self)
{
  memset (self->shift, NONE, sizeof self->shift);
}

/* A packet without payload has the counter of the one before. */
void
continuity_rewrite (Continuity *self, guint8 *packet)
{
  const guint pid = (packet[1] & 0x1fu) << 8 | packet[2];
  const guint has_payload = packet[3] >> 4 & 1;
  guint counter = packet[3] & COUNTER;

  if (pid == PID_NULL)
    return;
  if (self->shift[pid] == NONE)
    self->shift[pid] = self->last[pid] == NONE
        ? 0
        : (guint8) ((self->last[pid] + has_payload - counter) & COUNTER);
  counter = (counter + self->shift[pid]) & COUNTER;
  self->last[pid] = (guint8) counter;
  packet[3] = (guint8) ((packet[3] & ~COUNTER) | counter);
}
