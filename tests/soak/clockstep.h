/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A wall clock that somebody sets, for this process alone */
#ifndef SOAK_CLOCK_STEP_H
#define SOAK_CLOCK_STEP_H

/* Moves CLOCK_REALTIME of this process by this time from the system's; 0: not at all.  The kernel's
 * time stamps of packets stay as they are: they then disagree with the clock, as those of packets do
 * that have waited while the clock was set. */
void soak_clock_step (double seconds);

#endif
