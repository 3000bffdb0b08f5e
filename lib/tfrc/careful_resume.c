/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The phases of careful resume, see careful_resume.h. */
#include "careful_resume.h"

#include <math.h>
#include <string.h>

#include "units.h"

/* RFC 9959: no more than half of what was remembered, so that a path which carries half as much now, as
 * with one more stream, has no loss. */
#define JUMP_PART 0.5

/* RFC 9959: a path whose R is less than half of the least one remembered, or more than ten times as
 * long, is another path or has a queue that was not there. */
#define SHORTEST_RTT_PART 2
#define LONGEST_RTT_FACTOR 10

/* Slow start does as much by itself. */
#define SLOW_START_FACTOR 2

/* A sender without data may wait for the jump (RFC 9959), but not for ever, because paths change.  RFC
 * 7661 lets a sender keep a window that it does not use for five minutes.  So what is tried is five
 * minutes older than when the stream began, at most. */
#define RECONNAISSANCE_NS (300 * TFRC_NS_PER_S)

/* RFC 9959, Safe Retreat: half of what has been proven */
#define RETREAT_PART 0.5

void
tfrc_careful_resume_init (TfrcCarefulResume *resume, double rate_Bps, uint64_t rtt_ns)
{
  memset (resume, 0, sizeof *resume);
  if (rate_Bps <= 0 || rtt_ns == 0)
    return;
  resume->phase = TFRC_RESUME_RECONNAISSANCE;
  resume->rate_Bps = rate_Bps;
  resume->rtt_ns = rtt_ns;
}

void
tfrc_careful_resume_cancel (TfrcCarefulResume *resume, bool new_path)
{
  resume->phase = TFRC_RESUME_OFF;
  if (!new_path)
    return;
  resume->least_rtt_ns = 0;
  resume->carried_Bps = 0;
}

void
tfrc_careful_resume_on_idle (TfrcCarefulResume *resume)
{
  if (resume->phase == TFRC_RESUME_RECONNAISSANCE)
    resume->phase = TFRC_RESUME_OFF;
}

/* Is this the path that is remembered? */
static bool
fits (const TfrcCarefulResume *resume, uint64_t sample_ns)
{
  return sample_ns >= resume->rtt_ns / SHORTEST_RTT_PART
      && sample_ns <= LONGEST_RTT_FACTOR * resume->rtt_ns;
}

/* What was carried is a window for RFC 9959: in a longer R it is a lower rate. */
static double
jump_Bps (const TfrcCarefulResume *resume, uint64_t sample_ns)
{
  double longer = (double) sample_ns / (double) resume->rtt_ns;

  return JUMP_PART * resume->rate_Bps / fmax (1, longer);
}

/* A sender without data at the start does not need the jump yet, and would not prove it. */
static TfrcResumeAction
reconnoitre (TfrcCarefulResume *resume, const TfrcResumeFeedback *feedback)
{
  resume->jump_Bps = jump_Bps (resume, feedback->sample_ns);
  if (feedback->lost || !fits (resume, feedback->sample_ns)
      || tfrc_sub_ns (feedback->now_ns, feedback->begun_ns) >= RECONNAISSANCE_NS
      || SLOW_START_FACTOR * feedback->x_Bps >= resume->jump_Bps) {
    resume->phase = TFRC_RESUME_OFF;
    return TFRC_RESUME_STEP4;
  }
  if (feedback->data_limited)
    return TFRC_RESUME_STEP4;
  resume->phase = TFRC_RESUME_UNVALIDATED;
  resume->jumped_ns = feedback->now_ns;
  resume->proven_Bps = 0;
  return TFRC_RESUME_JUMP;
}

static TfrcResumeAction
retreat (TfrcCarefulResume *resume, const TfrcResumeFeedback *feedback)
{
  resume->phase = TFRC_RESUME_SAFE_RETREAT;
  resume->until_ns = feedback->now_ns;
  resume->retreat_Bps = fmin (RETREAT_PART * feedback->x_recv_Bps, resume->jump_Bps);
  return TFRC_RESUME_RETREAT;
}

/* Feedback about a packet that left after those that had to be validated.  Data-limited intervals never
 * take the jump out of X_recv_set (section 4.3), so that X would stay at a rate that nobody has sent. */
static TfrcResumeAction
finish (TfrcCarefulResume *resume, const TfrcResumeFeedback *feedback)
{
  resume->phase = TFRC_RESUME_OFF;
  return feedback->data_limited ? TFRC_RESUME_PROVEN : TFRC_RESUME_STEP4;
}

TfrcResumeAction
tfrc_careful_resume_on_feedback (TfrcCarefulResume *resume, const TfrcResumeFeedback *feedback)
{
  if (resume->least_rtt_ns == 0 || feedback->sample_ns < resume->least_rtt_ns)
    resume->least_rtt_ns = feedback->sample_ns;
  resume->carried_Bps = fmax (resume->carried_Bps, feedback->x_recv_Bps);
  switch (resume->phase) {
    case TFRC_RESUME_OFF:
      return TFRC_RESUME_STEP4;
    case TFRC_RESUME_RECONNAISSANCE:
      return reconnoitre (resume, feedback);
    case TFRC_RESUME_UNVALIDATED:
      if (feedback->lost)
        return retreat (resume, feedback);
      resume->proven_Bps = fmax (resume->proven_Bps, feedback->x_recv_Bps);
      if (feedback->t_new_ns >= resume->jumped_ns) {
        resume->phase = TFRC_RESUME_VALIDATING;
        resume->until_ns = feedback->now_ns;
      }
      return TFRC_RESUME_STEP4;
    case TFRC_RESUME_VALIDATING:
      if (feedback->lost)
        return retreat (resume, feedback);
      resume->proven_Bps = fmax (resume->proven_Bps, feedback->x_recv_Bps);
      return feedback->t_new_ns >= resume->until_ns ? finish (resume, feedback) : TFRC_RESUME_STEP4;
    case TFRC_RESUME_SAFE_RETREAT:
      if (feedback->t_new_ns < resume->until_ns)
        return TFRC_RESUME_RETREAT;
      resume->phase = TFRC_RESUME_OFF;
      return TFRC_RESUME_STEP4;
  }
  return TFRC_RESUME_STEP4;
}

const char *
tfrc_careful_resume_check (const TfrcCarefulResume *resume)
{
  if (resume->phase > TFRC_RESUME_SAFE_RETREAT)
    return "the phase is none";
  if (resume->phase != TFRC_RESUME_OFF && (resume->rate_Bps <= 0 || resume->rtt_ns == 0))
    return "a phase without a memory";
  if (resume->jump_Bps > JUMP_PART * resume->rate_Bps)
    return "the jump is above half of what is remembered";
  if (resume->phase >= TFRC_RESUME_VALIDATING && resume->until_ns < resume->jumped_ns)
    return "the end of what has to be validated is before the jump";
  if (resume->phase == TFRC_RESUME_SAFE_RETREAT && resume->retreat_Bps > resume->jump_Bps)
    return "the retreat is above the jump";
  return NULL;
}
