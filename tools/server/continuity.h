/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The continuity counters of a transport stream that is put together from parts of others: each
 * part goes on where the one before ended, and gaps and repetitions within a part stay as they are
 * (ISO/IEC 13818-1 section 2.4.3.3).  No lock and no clock. */
#ifndef SERVER_CONTINUITY_H
#define SERVER_CONTINUITY_H

#include <glib.h>

G_BEGIN_DECLS

#define CONTINUITY_PIDS 0x2000

/** For continuity.c alone */
typedef struct
{
  guint8 last[CONTINUITY_PIDS];  /* 16: the PID has had no packet */
  guint8 shift[CONTINUITY_PIDS]; /* what is added in this part; 16: not known yet */
} Continuity;

void continuity_init (Continuity *self);

/** Begins a part: the next packet of each PID follows the last one that it has had. */
void continuity_begin_part (Continuity *self);

/** Sets the counter of a packet of 188 bytes, in which anything may stand. */
void continuity_rewrite (Continuity *self, guint8 *packet);

G_END_DECLS
#endif
