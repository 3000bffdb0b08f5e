/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which rendition of a movie the next segment is sent in: the one that the session carries, with
 * few changes.
 *
 * The rule is that of T.-Y. Huang, R. Johari, N. McKeown, M. Trunnell, M. Watson: "A Buffer-Based
 * Approach to Rate Adaptation", SIGCOMM 2014, algorithm 1 (BBA-0): the lead, which is what the
 * receiver's buffer holds, is mapped to a bit rate, and the rendition changes when the map passes
 * the bit rate of the next one.  The session's rate X is used where the paper uses throughput, at
 * the beginning, and besides to go down before the lead is gone.  Where a receiver lets nothing run
 * ahead, X decides alone.
 *
 * No clock and no lock: a value that its owner keeps. */
#ifndef SERVER_LADDER_H
#define SERVER_LADDER_H

#include <glib.h>

G_BEGIN_DECLS

#define LADDER_MOST_RENDITIONS 8

/** What is known of the session now */
typedef struct
{
  gdouble allowed_bps; /**< X, bit/s; 0: nothing is known of the path */
  gdouble
      missed; /**< part of the packets since the last choice that could not be in time, 0 to 1 */
  guint64 lead_ns;   /**< how long before it is due the newest packet has left */
  guint64 window_ns; /**< the most that the lead can be; 0: nothing may run ahead */
} LadderSession;

/** The next segment, of one rendition */
typedef struct
{
  guint64 bytes;
  guint64 duration_ns; /**< 0: not known; the mean rate counts then */
} LadderSegment;

/** For ladder.c alone */
typedef struct
{
  guint n, current;
  gdouble mean_bps[LADDER_MOST_RENDITIONS];
  guint held;            /* choices since the last change */
  guint n_up;            /* of them, how many in a row would have gone up by X */
  gboolean is_beginning; /* the lead is being built up */
} Ladder;

/** Begins a movie.
 *
 * @param mean_bps of each rendition, rising, more than 0
 * @param n from 1 to LADDER_MOST_RENDITIONS */
void ladder_init (Ladder *ladder, const gdouble *mean_bps, guint n);

/** Begins the movie anew, as after a seek: nothing is ahead any more.  The rendition stays. */
void ladder_restart (Ladder *ladder);

/** Chooses the rendition of the next segment.
 *
 * @param next that segment, of each rendition
 * @param reason set to a text for the log, which is static
 * @return number of the rendition, from 0 */
guint ladder_choose (
    Ladder *ladder, const LadderSession *session, const LadderSegment *next, const gchar **reason);

/** Takes back the last choice, which cannot be followed: the present rendition goes on. */
void ladder_stay (Ladder *ladder, guint rendition);

G_END_DECLS
#endif
