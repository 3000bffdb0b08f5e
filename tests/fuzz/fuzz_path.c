/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the validation of a path (<tfrc/path.h>): any sequence of packets from the address,
 * answers and time.  Until the address answers, at most three times the bytes that came from it
 * leave for it.  A deadline lies in the future after it was served.  Validation without an answer
 * ends. */
#include "events.h"

#include <tfrc/path.h>

typedef struct
{
  TfrcPath *path;
  TfrcPathConfig config;
  uint64_t now, received, sent;
} Fuzz;

static void
serve (Fuzz *fuzz)
{
  uint8_t data[TFRC_WIRE_PATH_DATA_BYTES];
  unsigned taken = 0;
  size_t bytes;

  tfrc_path_on_time (fuzz->path, fuzz->now);
  while ((bytes = tfrc_path_take_challenge (fuzz->path, fuzz->now, data)) > 0) {
    bool full = bytes == fuzz->config.full_bytes;

    CHECK (full || bytes == TFRC_WIRE_MIN_PATH_BYTES);
    CHECK (memcmp (data, fuzz->config.data[full], sizeof data) == 0);
    if (tfrc_path_get_state (fuzz->path) == TFRC_PATH_PROBING) {
      fuzz->sent += bytes;
      CHECK (fuzz->sent <= 3 * fuzz->received);
    }
    /* the first challenge of full size leaves at once */
    CHECK (++taken <= 2);
  }
  CHECK (tfrc_path_next_ns (fuzz->path) > fuzz->now);
}

static void
answer (Fuzz *fuzz, unsigned what)
{
  uint8_t data[TFRC_WIRE_PATH_DATA_BYTES];
  TfrcPathState before = tfrc_path_get_state (fuzz->path), after;
  bool used;

  memcpy (data, fuzz->config.data[what & 1], sizeof data);
  data[0] ^= what >> 1;
  used = tfrc_path_on_response (fuzz->path, data, fuzz->now);
  after = tfrc_path_get_state (fuzz->path);
  CHECK (used || after == before);
  CHECK (!used || before != TFRC_PATH_FAILED);
  CHECK (!used || after == TFRC_PATH_REACHED || after == TFRC_PATH_VALID);
  CHECK (before != TFRC_PATH_VALID || after == TFRC_PATH_VALID);
}

static void
event (Fuzz *fuzz, Input *input)
{
  uint64_t next;

  switch (take (input, 1) % 6) {
    case 0:
      fuzz->now += take_duration (input);
      serve (fuzz);
      break;
    case 1:
      next = take (input, 2);
      fuzz->received += next;
      tfrc_path_on_received (fuzz->path, next);
      break;
    case 2:
      answer (fuzz, take (input, 1));
      break;
    case 3:
      tfrc_path_restart (fuzz->path, fuzz->now);
      break;
    case 4:
      next = tfrc_path_next_ns (fuzz->path);
      if (next != TFRC_TIME_NEVER && next > fuzz->now)
        fuzz->now = next;
      serve (fuzz);
      break;
    case 5:
      serve (fuzz);
      break;
  }
}

/* Without an answer, a limited number of challenges leaves, and then the path is given up. */
static void
lose_patience (Fuzz *fuzz)
{
  unsigned i;

  for (i = 0; tfrc_path_next_ns (fuzz->path) != TFRC_TIME_NEVER; i++) {
    CHECK (i < 64);
    if (tfrc_path_next_ns (fuzz->path) > fuzz->now)
      fuzz->now = tfrc_path_next_ns (fuzz->path);
    serve (fuzz);
  }
  CHECK (tfrc_path_get_state (fuzz->path) == TFRC_PATH_FAILED
      || tfrc_path_get_state (fuzz->path) == TFRC_PATH_VALID);
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  Input input = { bytes, size };
  Fuzz fuzz = { 0 };

  memset (fuzz.config.data[0], 1, TFRC_WIRE_PATH_DATA_BYTES);
  memset (fuzz.config.data[1], 2, TFRC_WIRE_PATH_DATA_BYTES);
  fuzz.config.full_bytes = TFRC_WIRE_MIN_PATH_BYTES + 4 * take (&input, 1) * 2;
  fuzz.config.rtt_ns = take_duration (&input);
  fuzz.now = 1000;
  CHECK (tfrc_path_new (&fuzz.path) == TFRC_OK);
  CHECK (tfrc_path_start (fuzz.path, &fuzz.config, fuzz.now) == TFRC_OK);
  while (input.size > 0)
    event (&fuzz, &input);
  lose_patience (&fuzz);
  tfrc_path_free (fuzz.path);
  return 0;
}
