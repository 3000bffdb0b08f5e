/* Where a sender's packets go, see sinkpaths.h. */
#include "sinkpaths.h"

#include <string.h>

#include "../common/random.h"

/* Challenges to all candidates together.  Feedback that is copied on its way can
 * name many addresses. */
#define CHALLENGES_PER_S 10
#define CHALLENGES_BURST 10

/* Challenges that the address which was left is worth: it had all the data. */
#define CHALLENGES_TO_PREVIOUS 3

static const GstTfrcAddress no_address;

static gboolean
is_none (const GstTfrcAddress *address)
{
  return gst_tfrc_address_family (address) == AF_UNSPEC;
}

void
gst_tfrc_sink_paths_init (
    GstTfrcSinkPaths *paths, const GstTfrcAddress *peer, GstTfrcAllowMigration allow)
{
  memset (paths, 0, sizeof *paths);
  paths->peer = *peer;
  paths->allow = allow;
  gst_tfrc_token_bucket_init (&paths->challenges, CHALLENGES_PER_S, CHALLENGES_BURST);
  tfrc_path_new (&paths->path);
  for (guint i = 0; i < GST_TFRC_SINK_CANDIDATES; i++)
    tfrc_path_new (&paths->candidates[i].path);
}

void
gst_tfrc_sink_paths_clear (GstTfrcSinkPaths *paths)
{
  g_clear_pointer (&paths->path, tfrc_path_free);
  for (guint i = 0; i < GST_TFRC_SINK_CANDIDATES; i++)
    g_clear_pointer (&paths->candidates[i].path, tfrc_path_free);
}

gboolean
gst_tfrc_sink_paths_can_move (const GstTfrcSinkPaths *paths)
{
  return paths->allow == GST_TFRC_ALLOW_MIGRATION_ALWAYS;
}

/* ---- candidates ---------------------------------------------------------- */

/* Returns the one with this address, or NULL. */
static GstTfrcSinkCandidate *
find_candidate (GstTfrcSinkPaths *paths, const GstTfrcAddress *address)
{
  for (guint i = 0; i < GST_TFRC_SINK_CANDIDATES; i++) {
    GstTfrcSinkCandidate *candidate = &paths->candidates[i];

    if (!is_none (&candidate->address) && gst_tfrc_address_equal (&candidate->address, address))
      return candidate;
  }
  return NULL;
}

/* A free place, or that of the one that has been silent for the longest time:
 * a receiver that has moved is not silent for long. */
static GstTfrcSinkCandidate *
find_place (GstTfrcSinkPaths *paths)
{
  GstTfrcSinkCandidate *place = &paths->candidates[0];

  for (guint i = 0; i < GST_TFRC_SINK_CANDIDATES; i++) {
    GstTfrcSinkCandidate *candidate = &paths->candidates[i];

    if (is_none (&candidate->address))
      return candidate;
    if (candidate->heard_ns < place->heard_ns)
      place = candidate;
  }
  paths->failures += !place->was_left;
  return place;
}

static GstTfrcSinkCandidate *
add_candidate (
    GstTfrcSinkPaths *paths, const GstTfrcAddress *address, guint64 rtt_ns, guint64 now_ns)
{
  TfrcPathConfig config = { .full_bytes = GST_TFRC_SINK_CHALLENGE_BYTES, .rtt_ns = rtt_ns };
  GstTfrcSinkCandidate *candidate;

  if (!gst_tfrc_address_is_unicast (address)
      || !gst_tfrc_random_fill (config.data, sizeof config.data))
    return NULL;
  candidate = find_place (paths);
  candidate->address = *address;
  candidate->has_number = FALSE;
  candidate->was_left = FALSE;
  tfrc_path_start (candidate->path, &config, now_ns);
  return candidate;
}

void
gst_tfrc_sink_paths_on_feedback (GstTfrcSinkPaths *paths, const GstTfrcAddress *from, gsize bytes,
    const TfrcWireRtcp *rtcp, guint64 rtt_ns, guint64 now_ns)
{
  GstTfrcSinkCandidate *candidate = find_candidate (paths, from);

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
settle (GstTfrcSinkPaths *paths)
{
  paths->fallback = no_address;
}

/* Somebody else may have said that the receiver has moved, with feedback that was
 * copied on its way.  If the receiver is still there it says so, and if that is
 * the first to come then it is where data goes (RFC 9000 section 9.3.3).  It had
 * all the data until now: this is no more. */
static void
challenge_previous (GstTfrcSinkPaths *paths, const GstTfrcAddress *address, guint32 moved_number,
    guint64 rtt_ns, guint64 now_ns)
{
  GstTfrcSinkCandidate *previous = add_candidate (paths, address, rtt_ns, now_ns);

  if (previous == NULL)
    return;
  for (guint i = 0; i < CHALLENGES_TO_PREVIOUS; i++)
    tfrc_path_on_received (previous->path, GST_TFRC_SINK_CHALLENGE_BYTES);
  previous->number = moved_number;
  previous->has_number = TRUE;
  previous->heard_ns = now_ns;
  previous->was_left = TRUE;
}

/* The path before this one is kept only if it was in order. */
static void
move_to (GstTfrcSinkPaths *paths, GstTfrcSinkCandidate *candidate, guint64 rtt_ns, guint64 now_ns)
{
  const GstTfrcAddress previous = paths->peer;
  guint32 moved_number = candidate->number;

  if (is_none (&paths->fallback)) {
    paths->fallback = paths->peer;
    paths->fallback_rtt_ns = rtt_ns;
  }
  paths->is_new_path = !candidate->announced
      && !gst_tfrc_address_same_host (&candidate->address, &paths->peer);
  paths->peer = candidate->address;
  tfrc_path_copy (paths->path, candidate->path);
  candidate->address = no_address;
  paths->migrations++;
  if (tfrc_path_get_state (paths->path) == TFRC_PATH_VALID
      || gst_tfrc_address_equal (&paths->fallback, &paths->peer))
    settle (paths);
  challenge_previous (paths, &previous, moved_number, rtt_ns, now_ns);
}

GstTfrcResponseResult
gst_tfrc_sink_paths_on_response (GstTfrcSinkPaths *paths, const GstTfrcAddress *from,
    const guint8 *data, guint32 used_number, guint64 rtt_ns, guint64 now_ns)
{
  GstTfrcSinkCandidate *candidate = find_candidate (paths, from);

  if (candidate) {
    /* Its feedback may still come, and is what counts. */
    if (candidate->was_left)
      return GST_TFRC_RESPONSE_USED;
    if (!tfrc_path_on_response (candidate->path, data, now_ns))
      return GST_TFRC_RESPONSE_REFUSED;
    if ((gint32) (candidate->number - used_number) <= 0) {
      candidate->address = no_address;
      return GST_TFRC_RESPONSE_USED;
    }
    move_to (paths, candidate, rtt_ns, now_ns);
    return GST_TFRC_RESPONSE_MOVED;
  }
  if (is_none (&paths->fallback) || !gst_tfrc_address_equal (from, &paths->peer)
      || !tfrc_path_on_response (paths->path, data, now_ns))
    return GST_TFRC_RESPONSE_REFUSED;
  if (tfrc_path_get_state (paths->path) == TFRC_PATH_VALID)
    settle (paths);
  return GST_TFRC_RESPONSE_USED;
}

/* ---- time -------------------------------------------------------------- */

/* Without a token a challenge waits, and so may the end of patience: for no more
 * than the time of one token. */
guint64
gst_tfrc_sink_paths_next_ns (const GstTfrcSinkPaths *paths)
{
  guint64 next_ns = G_MAXUINT64;

  for (guint i = 0; i < GST_TFRC_SINK_CANDIDATES; i++) {
    if (!is_none (&paths->candidates[i].address))
      next_ns = MIN (next_ns, tfrc_path_next_ns (paths->candidates[i].path));
  }
  next_ns = MAX (next_ns, gst_tfrc_token_bucket_next_ns (&paths->challenges));
  if (!is_none (&paths->fallback))
    next_ns = MIN (next_ns, tfrc_path_next_ns (paths->path));
  return next_ns;
}

/* The address is the peer's again, and that needs no proof. */
static void
fall_back (GstTfrcSinkPaths *paths)
{
  GstTfrcSinkCandidate *candidate = find_candidate (paths, &paths->fallback);

  if (candidate)
    candidate->address = no_address;
  paths->is_new_path = !gst_tfrc_address_same_host (&paths->fallback, &paths->peer);
  paths->peer = paths->fallback;
  settle (paths);
  paths->failures++;
}

gboolean
gst_tfrc_sink_paths_on_time (GstTfrcSinkPaths *paths, guint64 now_ns)
{
  for (guint i = 0; i < GST_TFRC_SINK_CANDIDATES; i++) {
    GstTfrcSinkCandidate *candidate = &paths->candidates[i];

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
gst_tfrc_sink_paths_take_challenge (
    GstTfrcSinkPaths *paths, guint64 now_ns, GstTfrcAddress *to, guint8 *data)
{
  gsize size;

  if (!is_none (&paths->fallback)) {
    *to = paths->peer;
    size = tfrc_path_take_challenge (paths->path, now_ns, data);
    if (size > 0)
      return size;
  }
  if (now_ns < gst_tfrc_token_bucket_next_ns (&paths->challenges))
    return 0;
  for (guint i = 0; i < GST_TFRC_SINK_CANDIDATES; i++) {
    GstTfrcSinkCandidate *candidate = &paths->candidates[i];

    if (is_none (&candidate->address))
      continue;
    *to = candidate->address;
    size = tfrc_path_take_challenge (candidate->path, now_ns, data);
    if (size > 0) {
      gst_tfrc_token_bucket_take (&paths->challenges, now_ns);
      return size;
    }
  }
  return 0;
}
