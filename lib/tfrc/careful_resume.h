/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Careful resume (RFC 9959): a stream to a host that a stream has ended to not long ago goes to half of
 * the rate that the path carried then, once the path has shown that it is the same one, and back if that
 * was too much.  RFC 9959 is about congestion windows; here W_init / R stands for the initial window, X
 * for the window, X_recv for what has been acknowledged in an R, and feedback about a packet for its
 * acknowledgment.
 *
 *                    feedback without              feedback about
 *                    loss, and R fits              a packet after the jump
 *      RECONNAISSANCE ------------> UNVALIDATED --------------------> VALIDATING
 *            |                          |                              |      |
 *            | loss, R does not fit,    | loss                    loss |      | feedback about packets
 *            | X is there already,      +--------> SAFE_RETREAT <------+      | after those alone
 *            | idle, or five minutes                   |                      |
 *            v                                         |                      v
 *           OFF <--------------------------------------+-------------------- OFF
 *                     feedback about a packet that left after the retreat
 *
 *   | from                   | to             | because of                          | function          |
 *   |------------------------|----------------|-------------------------------------|-------------------|
 *   | OFF                    | RECONNAISSANCE | a rate is remembered                | .._init()         |
 *   | RECONNAISSANCE         | OFF            | loss, another R, or X needs no jump | .._on_feedback()  |
 *   | RECONNAISSANCE         | OFF            | five minutes without enough data    | .._on_feedback()  |
 *   | RECONNAISSANCE         | OFF            | the sender was idle                 | .._on_idle()      |
 *   | RECONNAISSANCE         | UNVALIDATED    | feedback, and none of the above     | .._on_feedback()  |
 *   | UNVALIDATED            | VALIDATING     | a packet after the jump has arrived | .._on_feedback()  |
 *   | VALIDATING             | OFF            | X_recv is of the jump alone         | .._on_feedback()  |
 *   | UNVALIDATED, VALIDATING | SAFE_RETREAT  | loss                                | .._on_feedback()  |
 *   | SAFE_RETREAT           | OFF            | a packet after the retreat arrived  | .._on_feedback()  |
 *   | any                    | OFF            | silence, another path               | .._cancel()       |
 *
 * RFC 9959 waits in RECONNAISSANCE until all of the initial window is acknowledged.  TFRC paces that
 * window over an R, so it would be known an R later than in TCP; here the first feedback is enough.
 *
 * OFF is RFC 9959's Normal.  Its Observing is the sender's own state, see
 * tfrc_sender_get_proven_rate_Bps().  tfrc_careful_resume_check() has what holds in every phase. */
#ifndef TFRC_CAREFUL_RESUME_H
#define TFRC_CAREFUL_RESUME_H

#include <stdbool.h>
#include <stdint.h>

typedef enum
{
  TFRC_RESUME_OFF,
  TFRC_RESUME_RECONNAISSANCE,
  TFRC_RESUME_UNVALIDATED,
  TFRC_RESUME_VALIDATING,
  TFRC_RESUME_SAFE_RETREAT
} TfrcResumePhase;

typedef struct
{
  TfrcResumePhase phase;
  double rate_Bps;       /* the remembered rate; 0: none */
  uint64_t rtt_ns;       /* the least R that is remembered */
  double jump_Bps;       /* half of that, or less if R is longer than that */
  uint64_t jumped_ns;    /* UNVALIDATED, VALIDATING: packets from then on have left at the jump */
  uint64_t until_ns;     /* VALIDATING: the last packet that had to be validated; SAFE_RETREAT: the
                            retreat */
  double proven_Bps;     /* UNVALIDATED, VALIDATING: the most X_recv since the jump */
  double retreat_Bps;    /* SAFE_RETREAT: X */
  uint64_t least_rtt_ns; /* of this stream, on the present path; 0: no sample */
  double carried_Bps;    /* the most X_recv of this stream, on the present path; 0: none */
} TfrcCarefulResume;

/* What feedback says that step 4 of RFC 5348 section 4.3 is to set X for */
typedef struct
{
  double x_Bps;       /* X before */
  double x_recv_Bps;  /* X_recv as it is believed */
  uint64_t sample_ns; /* R_sample */
  bool lost;          /* there was a loss event, or a CE mark */
  bool data_limited;  /* the interval was data-limited */
  uint64_t begun_ns;  /* when the first packet of the stream left */
  uint64_t t_new_ns;  /* when the packet left that the feedback is about */
  uint64_t now_ns;
} TfrcResumeFeedback;

/* What to do with X */
typedef enum
{
  TFRC_RESUME_STEP4, /* what RFC 5348 says */
  TFRC_RESUME_JUMP,  /* X is jump_Bps */
  /* what RFC 5348 says, with proven_Bps alone in X_recv_set: there was no data to prove the jump with */
  TFRC_RESUME_PROVEN,
  TFRC_RESUME_RETREAT, /* X is retreat_Bps, or the rate of the equation if that is lower */
} TfrcResumeAction;

/* rate_Bps: that the path has carried, with rtt_ns as its least R; 0: nothing is remembered */
void tfrc_careful_resume_init (TfrcCarefulResume *resume, double rate_Bps, uint64_t rtt_ns);

/* Feedback has come, not the one that begins the stream.  Returns what X is to be. */
TfrcResumeAction tfrc_careful_resume_on_feedback (
    TfrcCarefulResume *resume, const TfrcResumeFeedback *feedback);

/* The sender was idle until its nofeedback timer expired, and keeps X (section 4.4). */
void tfrc_careful_resume_on_idle (TfrcCarefulResume *resume);

/* Nothing of the memory counts any more.  new_path: nor do the samples of R and the X_recv so far */
void tfrc_careful_resume_cancel (TfrcCarefulResume *resume, bool new_path);

static inline double
tfrc_careful_resume_jump_Bps (const TfrcCarefulResume *resume)
{
  return resume->jump_Bps;
}

static inline double
tfrc_careful_resume_proven_Bps (const TfrcCarefulResume *resume)
{
  return resume->proven_Bps;
}

static inline double
tfrc_careful_resume_retreat_Bps (const TfrcCarefulResume *resume)
{
  return resume->retreat_Bps;
}

/* The least R of this stream, on the present path; 0: no sample */
static inline uint64_t
tfrc_careful_resume_least_rtt_ns (const TfrcCarefulResume *resume)
{
  return resume->least_rtt_ns;
}

/* The most that this stream has received, on the present path; 0: nothing has been reported */
static inline double
tfrc_careful_resume_carried_Bps (const TfrcCarefulResume *resume)
{
  return resume->carried_Bps;
}

/* Does the stream use a rate that is not proven yet, or has it just been refuted? */
static inline bool
tfrc_careful_resume_is_unproven (const TfrcCarefulResume *resume)
{
  return resume->phase >= TFRC_RESUME_UNVALIDATED;
}

/* Returns the invariant that does not hold, as text; NULL: all hold.  For tests and gdb. */
const char *tfrc_careful_resume_check (const TfrcCarefulResume *resume);

#endif
