/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The choice of a rendition, see ladder.h */
#include "ladder.h"

#include <string.h>

#define S G_GUINT64_CONSTANT (1000000000)

/* With less room than this the lead says nothing: a segment of 2 s is half of it.  A receiver with
 * less is served by X alone. */
#define LEAST_WINDOW_NS (4 * S)
/* Parts of the window.  Below the reservoir the lowest rendition is sent: 2 s of the usual 10, the
 * time of one segment, which cannot be left once it has begun.  At FULL the highest one is sent:
 * one second below the end, since the lead ends a little below the window. */
#define RESERVOIR 0.2
#define FULL 0.9
/* Before the lead has been full once, the rate may be this part of X while the lead is in the
 * reservoir, as in BBA-2, which grows while a segment comes in half its time: the lead then grows by
 * a second each second.  Above the reservoir it is SAFE_PART, or a viewer of a path that carries the
 * next rendition would see the lowest one for as long as the lead grows, 16 s of the movie. */
#define BEGINNING_PART 0.5
/* A lead that goes up must last so long at X, or the change would be taken back at once.  15 s with
 * HELD_SEGMENTS of 2 s are 21 s for two changes: less than 6 a minute. */
#define LASTS_S 15.0
/* Choices until the rendition may go up again, and by X alone choices in a row that say so */
#define HELD_SEGMENTS 3
/* Of X, where it decides alone.  What is left covers the swing of X, and the peaks of a movie. */
#define SAFE_PART 0.8
/* More missed packets than this are visible: one picture in some seconds */
#define MISSED 0.001

void
ladder_init (Ladder *ladder, const gdouble *mean_bps, guint n)
{
  memset (ladder, 0, sizeof *ladder);
  ladder->n = MIN (n, LADDER_MOST_RENDITIONS);
  memcpy (ladder->mean_bps, mean_bps, ladder->n * sizeof *mean_bps);
  ladder->is_beginning = TRUE;
}

void
ladder_restart (Ladder *ladder)
{
  ladder->is_beginning = TRUE;
  ladder->held = ladder->n_up = 0;
}

/* ---- rates ------------------------------------------------------------------- */

static gdouble
seconds (guint64 ns)
{
  return (gdouble) ns / (gdouble) S;
}

static gdouble
segment_bps (const Ladder *ladder, const LadderSegment *next, guint rendition)
{
  const LadderSegment *segment = &next[rendition];

  return segment->duration_ns > 0 ? (gdouble) segment->bytes * 8 / seconds (segment->duration_ns)
                                  : ladder->mean_bps[rendition];
}

/* The rate that counts where it must not be too low: the next segment may be a calm one. */
static gdouble
high_bps (const Ladder *ladder, const LadderSegment *next, guint rendition)
{
  return MAX (ladder->mean_bps[rendition], segment_bps (ladder, next, rendition));
}

/* The highest rendition whose rate is at most the given one; the lowest if there is none */
static guint
highest_within (const Ladder *ladder, const LadderSegment *next, gdouble bps)
{
  guint i = ladder->n - 1;

  while (i > 0 && high_bps (ladder, next, i) > bps)
    i--;
  return i;
}

/* ---- by the lead ---------------------------------------------------------------- */

/* BBA-0's map: the lowest rate up to the reservoir, the highest from FULL on, a line between */
static gdouble
mapped_bps (const Ladder *ladder, gdouble lead_s, gdouble window_s)
{
  const gdouble low = ladder->mean_bps[0], high = ladder->mean_bps[ladder->n - 1];
  gdouble part = (lead_s / window_s - RESERVOIR) / (FULL - RESERVOIR);

  return low + (high - low) * CLAMP (part, 0, 1);
}

/* Algorithm 1 of the paper, one step up at most */
static guint
by_map (const Ladder *ladder, gdouble bps)
{
  guint i = ladder->current;

  if (i + 1 < ladder->n && bps >= ladder->mean_bps[i + 1])
    return i + 1;
  if (i > 0 && bps <= ladder->mean_bps[i - 1]) {
    while (i > 0 && ladder->mean_bps[i - 1] >= bps)
      i--;
    return i;
  }
  return i;
}

/* How much of the lead is left after so much of the movie */
static gdouble
lead_after (gdouble lead_s, gdouble movie_s, gdouble bps, gdouble allowed_bps)
{
  return lead_s - movie_s * (bps / allowed_bps - 1);
}

static gboolean
empties_lead (
    const Ladder *ladder, const LadderSession *session, const LadderSegment *next, guint rendition)
{
  const gdouble bps = segment_bps (ladder, next, rendition);
  const gdouble reservoir_s = RESERVOIR * seconds (session->window_ns);

  return bps > session->allowed_bps
      && lead_after (seconds (session->lead_ns), seconds (next[rendition].duration_ns), bps,
             session->allowed_bps)
      < reservoir_s;
}

static gboolean
lasts (const Ladder *ladder, const LadderSession *session, guint rendition)
{
  return lead_after (
             seconds (session->lead_ns), LASTS_S, ladder->mean_bps[rendition], session->allowed_bps)
      >= RESERVOIR * seconds (session->window_ns);
}

static guint
by_lead (
    Ladder *ladder, const LadderSession *session, const LadderSegment *next, const gchar **reason)
{
  const gdouble lead_s = seconds (session->lead_ns), window_s = seconds (session->window_ns);
  guint chosen = by_map (ladder, mapped_bps (ladder, lead_s, window_s));

  if (lead_s >= FULL * window_s)
    ladder->is_beginning = FALSE;
  if (ladder->is_beginning) {
    gdouble part = lead_s < RESERVOIR * window_s ? BEGINNING_PART : SAFE_PART;
    guint fits = highest_within (ladder, next, part * session->allowed_bps);

    *reason = "the beginning: the allowed rate is high";
    return MAX (fits, ladder->current);
  }
  *reason = chosen < ladder->current ? "the lead has shrunk" : "the lead is long";
  if (chosen > ladder->current
      && (ladder->held < HELD_SEGMENTS || !lasts (ladder, session, chosen)))
    chosen = ladder->current;
  return chosen;
}

/* ---- by X alone ------------------------------------------------------------------ */

static guint
by_rate (
    Ladder *ladder, const LadderSession *session, const LadderSegment *next, const gchar **reason)
{
  guint fits = highest_within (ladder, next, SAFE_PART * session->allowed_bps);

  ladder->n_up = fits > ladder->current ? ladder->n_up + 1 : 0;
  if (high_bps (ladder, next, ladder->current) > session->allowed_bps && fits < ladder->current) {
    *reason = "the allowed rate is too low";
    return fits;
  }
  *reason = "the allowed rate is high";
  return ladder->n_up > HELD_SEGMENTS && ladder->held >= HELD_SEGMENTS ? ladder->current + 1
                                                                       : ladder->current;
}

/* ---- the choice ------------------------------------------------------------------- */

static guint
choose (
    Ladder *ladder, const LadderSession *session, const LadderSegment *next, const gchar **reason)
{
  const gboolean has_lead = session->window_ns >= LEAST_WINDOW_NS;
  guint chosen;

  if (!(session->allowed_bps > 0)) {
    *reason = "nothing is known of the path";
    return ladder->current;
  }
  if (session->missed > MISSED && ladder->current > 0) {
    *reason = "packets could not be in time";
    return ladder->current - 1;
  }
  chosen = has_lead ? by_lead (ladder, session, next, reason)
                    : by_rate (ladder, session, next, reason);
  while (has_lead && chosen > 0 && empties_lead (ladder, session, next, chosen)) {
    chosen--;
    *reason = "the next segment would empty the lead";
  }
  return chosen;
}

guint
ladder_choose (
    Ladder *ladder, const LadderSession *session, const LadderSegment *next, const gchar **reason)
{
  guint before = ladder->current, chosen = choose (ladder, session, next, reason);

  if (chosen < before)
    ladder->is_beginning = FALSE;
  if (chosen == before)
    *reason = "no reason to change";
  ladder->held = chosen == before ? ladder->held + 1 : 0;
  ladder->current = chosen;
  return chosen;
}

void
ladder_stay (Ladder *ladder, guint rendition)
{
  ladder->current = rendition;
}
