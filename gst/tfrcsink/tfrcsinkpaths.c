/* Where a sender's packets go, see tfrcsinkpaths.h. */
#include "tfrcsinkpaths.h"

#include <string.h>

#include "../common/tfrcrandom.h"

/* Challenges to all candidates together.  Feedback that is copied on its way can
 * name many addresses. */
#define CHALLENGES_PER_S 10
#define CHALLENGES_BURST 10

/* Challenges that the address which was left is worth: it had all the data. */
#define CHALLENGES_TO_PREVIOUS 3

static const TfrcAddress no_address;

static gboolean
is_none (const TfrcAddress *address)
{
  return tfrc_address_family (address) == AF_UNSPEC;
}

void
tfrc_sink_paths_init (TfrcSinkPaths *paths, const TfrcAddress *peer, TfrcAllowMigration allow)
{
  memset (paths, 0, sizeof *paths);
  paths->peer = *peer;
  paths->allow = allow;
  tfrc_token_bucket_init (&paths->challenges, CHALLENGES_PER_S, CHALLENGES_BURST);
  tfrc_path_new (&paths->path);
  for (guint i = 0; i < TFRC_SINK_CANDIDATES; i++)
    tfrc_path_new (&paths->candidates[i].path);
}

void
tfrc_sink_paths_clear (TfrcSinkPaths *paths)
{
  g_clear_pointer (&paths->path, tfrc_path_free);
  for (guint i = 0; i < TFRC_SINK_CANDIDATES; i++)
    g_clear_pointer (&paths->candidates[i].path, tfrc_path_free);
}

gboolean
tfrc_sink_paths_can_move (const TfrcSinkPaths *paths)
{
  return paths->allow == TFRC_ALLOW_MIGRATION_ALWAYS;
}

/* ---- candidates ---------------------------------------------------------- */

/* Returns the one with this address, or NULL. */
static TfrcSinkCandidate *
find_candidate (TfrcSinkPaths *paths, const TfrcAddress *address)
{
  for (guint i = 0; i < TFRC_SINK_CANDIDATES; i++) {
    TfrcSinkCandidate *candidate = &paths->candidates[i];

    if (!is_none (&candidate->address) && tfrc_address_equal (&candidate->address, address))
      return candidate;
  }
  return NULL;
}

/* A free place, or that of the one that has been silent for the longest time:
 * a receiver that has moved is not silent for long. */
static TfrcSinkCandidate *
find_place (TfrcSinkPaths *paths)
{
  TfrcSinkCandidate *place = &paths->candidates[0];

  for (guint i = 0; i < TFRC_SINK_CANDIDATES; i++) {
    TfrcSinkCandidate *candidate = &paths->candidates[i];

    if (is_none (&candidate->address))
      return candidate;
    if (candidate->heard_ns < place->heard_ns)
      place = candidate;
  }
  paths->failures += !place->was_left;
  return place;
}

static TfrcSinkCandidate *
add_candidate (TfrcSinkPaths *paths, const TfrcAddress *address, guint64 rtt_ns, guint64 now_ns)
{
  TfrcPathConfig config = { .full_bytes = TFRC_SINK_CHALLENGE_BYTES, .rtt_ns = rtt_ns };
  TfrcSinkCandidate *candidate;

  if (!tfrc_address_is_unicast (address) || !tfrc_random_fill (config.data, sizeof config.data))
    return NULL;
  candidate = find_place (paths);
  candidate->address = *address;
  candidate->has_number = FALSE;
  candidate->was_left = FALSE;
  tfrc_path_start (candidate->path, &config, now_ns);
  return candidate;
}

void
tfrc_sink_paths_on_feedback (TfrcSinkPaths *paths, const TfrcAddress *from, gsize bytes,
    const TfrcWireRtcp *rtcp, guint64 rtt_ns, guint64 now_ns)
{
  TfrcSinkCandidate *candidate = find_candidate (paths, from);

  if (candidate == NULL)
    candidate = add_candidate (paths, from, rtt_ns, now_ns);
  if (candidate == NULL)
    return;
  tfrc_path_on_received (candidate->path, bytes);
  candidate->heard_ns = now_ns;
  if ((gint32) (rtcp->state.feedback_number - candidate->number) <= 0 && candidate->has_number)
    return;
  candidate->number = rtcp->state.feedback_number;
  candidate->has_number = TRUE;
  candidate->announced = rtcp->feedback.handover;
  if (candidate->was_left)
    tfrc_path_restart (candidate->path, now_ns);
  candidate->was_left = FALSE;
}

/* ---- moving ------------------------------------------------------------ */

static void
settle (TfrcSinkPaths *paths)
{
  paths->fallback = no_address;
}

/* Somebody else may have said that the receiver has moved, with feedback that was
 * copied on its way.  If the receiver is still there it says so, and if that is
 * the first to come then it is where data goes (RFC 9000 section 9.3.3).  It had
 * all the data until now: this is no more. */
static void
challenge_previous (TfrcSinkPaths *paths, const TfrcAddress *address, guint32 moved_number,
    guint64 rtt_ns, guint64 now_ns)
{
  TfrcSinkCandidate *previous = add_candidate (paths, address, rtt_ns, now_ns);

  if (previous == NULL)
    return;
  for (guint i = 0; i < CHALLENGES_TO_PREVIOUS; i++)
    tfrc_path_on_received (previous->path, TFRC_SINK_CHALLENGE_BYTES);
  previous->number = moved_number;
  previous->has_number = TRUE;
  previous->heard_ns = now_ns;
  previous->was_left = TRUE;
}

/* The path before this one is kept only if it was in order. */
static void
move_to (TfrcSinkPaths *paths, TfrcSinkCandidate *candidate, guint64 rtt_ns, guint64 now_ns)
{
  const TfrcAddress previous = paths->peer;
  guint32 moved_number = candidate->number;

  if (is_none (&paths->fallback)) {
    paths->fallback = paths->peer;
    paths->fallback_rtt_ns = rtt_ns;
  }
  paths->is_new_path = !candidate->announced
      && !tfrc_address_same_host (&candidate->address, &paths->peer);
  paths->peer = candidate->address;
  tfrc_path_copy (paths->path, candidate->path);
  candidate->address = no_address;
  paths->migrations++;
  if (tfrc_path_get_state (paths->path) == TFRC_PATH_VALID
      || tfrc_address_equal (&paths->fallback, &paths->peer))
    settle (paths);
  challenge_previous (paths, &previous, moved_number, rtt_ns, now_ns);
}

TfrcResponseResult
tfrc_sink_paths_on_response (TfrcSinkPaths *paths, const TfrcAddress *from, const guint8 *data,
    guint32 used_number, guint64 rtt_ns, guint64 now_ns)
{
  TfrcSinkCandidate *candidate = find_candidate (paths, from);

  if (candidate) {
    /* Its feedback may still come, and is what counts. */
    if (candidate->was_left)
      return TFRC_RESPONSE_USED;
    if (!tfrc_path_on_response (candidate->path, data, now_ns))
      return TFRC_RESPONSE_REFUSED;
    if ((gint32) (candidate->number - used_number) <= 0) {
      candidate->address = no_address;
      return TFRC_RESPONSE_USED;
    }
    move_to (paths, candidate, rtt_ns, now_ns);
    return TFRC_RESPONSE_MOVED;
  }
  if (is_none (&paths->fallback) || !tfrc_address_equal (from, &paths->peer)
      || !tfrc_path_on_response (paths->path, data, now_ns))
    return TFRC_RESPONSE_REFUSED;
  if (tfrc_path_get_state (paths->path) == TFRC_PATH_VALID)
    settle (paths);
  return TFRC_RESPONSE_USED;
}

/* ---- time -------------------------------------------------------------- */

/* Without a token a challenge waits, and so may the end of patience: for no more
 * than the time of one token. */
guint64
tfrc_sink_paths_next_ns (const TfrcSinkPaths *paths)
{
  guint64 next_ns = G_MAXUINT64;

  for (guint i = 0; i < TFRC_SINK_CANDIDATES; i++) {
    if (!is_none (&paths->candidates[i].address))
      next_ns = MIN (next_ns, tfrc_path_next_ns (paths->candidates[i].path));
  }
  next_ns = MAX (next_ns, tfrc_token_bucket_next_ns (&paths->challenges));
  if (!is_none (&paths->fallback))
    next_ns = MIN (next_ns, tfrc_path_next_ns (paths->path));
  return next_ns;
}

/* The address is the peer's again, and that needs no proof. */
static void
fall_back (TfrcSinkPaths *paths)
{
  TfrcSinkCandidate *candidate = find_candidate (paths, &paths->fallback);

  if (candidate)
    candidate->address = no_address;
  paths->is_new_path = !tfrc_address_same_host (&paths->fallback, &paths->peer);
  paths->peer = paths->fallback;
  settle (paths);
  paths->failures++;
}

gboolean
tfrc_sink_paths_on_time (TfrcSinkPaths *paths, guint64 now_ns)
{
  for (guint i = 0; i < TFRC_SINK_CANDIDATES; i++) {
    TfrcSinkCandidate *candidate = &paths->candidates[i];

    if (is_none (&candidate->address))
      continue;
    tfrc_path_on_time (candidate->path, now_ns);
    if (tfrc_path_get_state (candidate->path) == TFRC_PATH_FAILED) {
      candidate->address = no_address;
      paths->failures += !candidate->was_left;
    }
  }
  if (is_none (&paths->fallback))
    return FALSE;
  tfrc_path_on_time (paths->path, now_ns);
  if (tfrc_path_get_state (paths->path) != TFRC_PATH_FAILED)
    return FALSE;
  fall_back (paths);
  return TRUE;
}

gsize
tfrc_sink_paths_take_challenge (TfrcSinkPaths *paths, guint64 now_ns, TfrcAddress *to, guint8 *data)
{
  gsize size;

  if (!is_none (&paths->fallback)) {
    *to = paths->peer;
    size = tfrc_path_take_challenge (paths->path, now_ns, data);
    if (size > 0)
      return size;
  }
  if (now_ns < tfrc_token_bucket_next_ns (&paths->challenges))
    return 0;
  for (guint i = 0; i < TFRC_SINK_CANDIDATES; i++) {
    TfrcSinkCandidate *candidate = &paths->candidates[i];

    if (is_none (&candidate->address))
      continue;
    *to = candidate->address;
    size = tfrc_path_take_challenge (candidate->path, now_ns, data);
    if (size > 0) {
      tfrc_token_bucket_take (&paths->challenges, now_ns);
      return size;
    }
  }
  return 0;
}
