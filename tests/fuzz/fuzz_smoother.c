/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the smoother (tfrc/tfrc.h): packets arrive, leave and are taken back in any sequence,
 * at any times.  The rate stays finite, and no packet is held back for longer than a window
 * after its arrival. */
#include "events.h"

/* More packets than a session of the elements holds */
#define MAX_WAITING 4096

typedef struct
{
  TfrcSmoother *smoother;
  uint64_t window, now;
  uint64_t newest;               /* arrival of the last packet */
  uint32_t waiting[MAX_WAITING]; /* sizes, oldest first, from `first' on */
  uint64_t came[MAX_WAITING];    /* their arrival times */
  unsigned first, n;
  uint32_t taken; /* size of the last packet that left; 0: it cannot be taken back */
} Fuzz;

static void
check (const Fuzz *fuzz)
{
  double rate = tfrc_smoother_get_rate_Bps (fuzz->smoother, fuzz->now);
  uint64_t next = tfrc_smoother_next_ns (fuzz->smoother);

  CHECK (isfinite (rate) && rate >= 0);
  CHECK (next <= fuzz->newest + fuzz->window);
  CHECK (fuzz->n == 0 || next <= fuzz->now || next <= fuzz->came[fuzz->first] + fuzz->window);
}

static void
offer (Fuzz *fuzz, uint32_t bytes)
{
  if (fuzz->n == MAX_WAITING)
    return;
  tfrc_smoother_offer (fuzz->smoother, bytes, fuzz->now);
  fuzz->came[(fuzz->first + fuzz->n) % MAX_WAITING] = fuzz->now;
  fuzz->waiting[(fuzz->first + fuzz->n++) % MAX_WAITING] = bytes;
  fuzz->newest = fuzz->now;
  fuzz->taken = 0;
}

static void
leave (Fuzz *fuzz)
{
  if (fuzz->n == 0)
    return;
  fuzz->taken = fuzz->waiting[fuzz->first];
  fuzz->first = (fuzz->first + 1) % MAX_WAITING;
  fuzz->n--;
  tfrc_smoother_take (fuzz->smoother, fuzz->taken);
}

/* The socket has refused the last packet. */
static void
come_back (Fuzz *fuzz)
{
  if (fuzz->taken == 0)
    return;
  fuzz->first = (fuzz->first + MAX_WAITING - 1) % MAX_WAITING;
  fuzz->waiting[fuzz->first] = fuzz->taken;
  fuzz->n++;
  tfrc_smoother_cancel (fuzz->smoother, fuzz->taken);
  fuzz->taken = 0;
}

/* Packets leave as from a sender that only the smoother holds back. */
static void
leave_in_time (Fuzz *fuzz, unsigned n)
{
  for (; n > 0 && fuzz->n > 0; n--) {
    uint64_t next = tfrc_smoother_next_ns (fuzz->smoother);

    if (next > fuzz->now)
      fuzz->now = next;
    leave (fuzz);
  }
}

static void
event (Fuzz *fuzz, Input *input)
{
  switch (take (input, 1) % 7) {
    case 0:
      fuzz->now += take_duration (input);
      break;
    case 1:
      offer (fuzz, take (input, 2));
      break;
    case 2:
      for (unsigned n = take (input, 1); n > 0; n--)
        offer (fuzz, 1316);
      break;
    case 3:
      leave (fuzz);
      break;
    case 4:
      come_back (fuzz);
      break;
    case 5:
      leave_in_time (fuzz, take (input, 1));
      break;
    case 6:
      tfrc_smoother_reset (fuzz->smoother);
      CHECK (tfrc_smoother_get_rate_Bps (fuzz->smoother, fuzz->now) <= 0);
      fuzz->n = fuzz->taken = 0;
      break;
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  Input input = { bytes, size };
  Fuzz fuzz = { 0 };

  fuzz.window = take_duration (&input);
  if (tfrc_smoother_new (&fuzz.smoother, fuzz.window) != TFRC_OK)
    return 0;
  fuzz.now = fuzz.newest = 1000;
  while (input.size > 0) {
    event (&fuzz, &input);
    check (&fuzz);
  }
  tfrc_smoother_free (fuzz.smoother);
  return 0;
}
