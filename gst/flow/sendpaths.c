/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Migration of the receiver, see sendpaths.h. */
#include "sendpaths.h"

#include <string.h>

#include "../common/log.h"
#include "../common/random.h"

/* Challenges to all probed paths together. Copies of feedback can come from many addresses. */
#define CHALLENGES_PER_S 10
#define CHALLENGES_BURST 10

/* Challenges of full size that the anti-amplification limit allows to the previous path, which had
 * all the data. */
#define CHALLENGES_TO_PREVIOUS 3

static const GstTfrcAddress no_address;

static gboolean
is_unset (const GstTfrcAddress *address)
{
  return gst_tfrc_address_family (address) == AF_UNSPEC;
}

void
gst_tfrc_send_paths_init (GstTfrcSendPaths *paths, const GstTfrcAddress *peer,
    GstTfrcAllowMigration allow, gboolean is_authenticated)
{
  memset (paths, 0, sizeof *paths);
  paths->peer = *peer;
  paths->can_migrate = allow == GST_TFRC_ALLOW_MIGRATION_ALWAYS
      || (allow == GST_TFRC_ALLOW_MIGRATION_AUTHENTICATED && is_authenticated);
  gst_tfrc_token_bucket_init (&paths->challenges, CHALLENGES_PER_S, CHALLENGES_BURST);
  tfrc_path_new (&paths->path);
  for (guint i = 0; i < GST_TFRC_SEND_PROBED_PATHS; i++)
    tfrc_path_new (&paths->probed[i].path);
}

void
gst_tfrc_send_paths_clear (GstTfrcSendPaths *paths)
{
  g_clear_pointer (&paths->path, tfrc_path_free);
  for (guint i = 0; i < GST_TFRC_SEND_PROBED_PATHS; i++)
    g_clear_pointer (&paths->probed[i].path, tfrc_path_free);
}

gboolean
gst_tfrc_send_paths_can_migrate (const GstTfrcSendPaths *paths)
{
  return paths->can_migrate;
}

const GstTfrcAddress *
gst_tfrc_send_paths_get_peer (const GstTfrcSendPaths *paths)
{
  return &paths->peer;
}

gboolean
gst_tfrc_send_paths_is_new_path (const GstTfrcSendPaths *paths, guint64 *rtt_ns)
{
  *rtt_ns = paths->new_path_rtt_ns;
  return paths->is_new_path;
}

gboolean
gst_tfrc_send_paths_is_validated (const GstTfrcSendPaths *paths)
{
  return is_unset (&paths->fallback);
}

guint64
gst_tfrc_send_paths_get_migrations (const GstTfrcSendPaths *paths)
{
  return paths->migrations;
}

guint64
gst_tfrc_send_paths_get_failures (const GstTfrcSendPaths *paths)
{
  return paths->failures;
}

static void
log_path (const gchar *what, const GstTfrcAddress *address)
{
  gchar *text;

  if (!gst_tfrc_log_is_wanted (flow, DEBUG))
    return;
  text = gst_tfrc_address_to_string (address);
  gst_tfrc_log (flow, DEBUG, "%s: %s", what, text);
  g_free (text);
}

/* ---- probed paths -------------------------------------------------------- */

/* Returns the probed path with this address, or NULL. */
static GstTfrcSendProbedPath *
find_probed (GstTfrcSendPaths *paths, const GstTfrcAddress *address)
{
  for (guint i = 0; i < GST_TFRC_SEND_PROBED_PATHS; i++) {
    GstTfrcSendProbedPath *probed = &paths->probed[i];

    if (!is_unset (&probed->address) && gst_tfrc_address_equal (&probed->address, address))
      return probed;
  }
  return NULL;
}

/* Returns a free place, or the place of the path that has been silent for the longest time: a
 * receiver that has moved is not silent for long. */
static GstTfrcSendProbedPath *
find_free_place (GstTfrcSendPaths *paths)
{
  GstTfrcSendProbedPath *place = &paths->probed[0];

  for (guint i = 0; i < GST_TFRC_SEND_PROBED_PATHS; i++) {
    GstTfrcSendProbedPath *probed = &paths->probed[i];

    if (is_unset (&probed->address))
      return probed;
    if (probed->heard_ns < place->heard_ns)
      place = probed;
  }
  paths->failures += !place->is_previous;
  return place;
}

static GstTfrcSendProbedPath *
probe (GstTfrcSendPaths *paths, const GstTfrcAddress *address, guint64 rtt_ns, guint64 now_ns)
{
  TfrcPathConfig config = { .full_bytes = GST_TFRC_SEND_CHALLENGE_BYTES, .rtt_ns = rtt_ns };
  GstTfrcSendProbedPath *probed;

  if (!gst_tfrc_address_is_unicast (address)
      || !gst_tfrc_random_fill (config.data, sizeof config.data))
    return NULL;
  probed = find_free_place (paths);
  probed->address = *address;
  probed->has_number = FALSE;
  probed->is_previous = FALSE;
  tfrc_path_start (probed->path, &config, now_ns);
  log_path ("another address is challenged", address);
  return probed;
}

/* ---- migration ----------------------------------------------------------- */

static void
drop_fallback (GstTfrcSendPaths *paths)
{
  paths->fallback = no_address;
}

/* Another host may have caused the migration with a copy of the receiver's feedback. If the
 * receiver is still at the previous path, its feedback comes from there, and data goes there again
 * (RFC 9000 section 9.3.3). The previous path had all the data until now: the challenges are no
 * more than that. */
static void
challenge_previous (GstTfrcSendPaths *paths, const GstTfrcAddress *address,
    guint32 migration_number, guint64 rtt_ns, guint64 now_ns)
{
  GstTfrcSendProbedPath *previous = probe (paths, address, rtt_ns, now_ns);

  if (previous == NULL)
    return;
  for (guint i = 0; i < CHALLENGES_TO_PREVIOUS; i++)
    tfrc_path_on_received (previous->path, GST_TFRC_SEND_CHALLENGE_BYTES);
  previous->number = migration_number;
  previous->has_number = TRUE;
  previous->heard_ns = now_ns;
  previous->is_previous = TRUE;
}

/* The path that is left becomes the fallback only if it is validated. Otherwise the older fallback
 * stays. */
static void
migrate_to (GstTfrcSendPaths *paths, GstTfrcSendProbedPath *probed, guint64 rtt_ns, guint64 now_ns)
{
  const GstTfrcAddress previous = paths->peer;
  guint32 migration_number = probed->number;

  if (is_unset (&paths->fallback)) {
    paths->fallback = paths->peer;
    paths->fallback_rtt_ns = rtt_ns;
  }
  paths->is_new_path = !probed->announced
      && !gst_tfrc_address_same_host (&probed->address, &paths->peer);
  paths->previous = paths->peer;
  paths->peer = probed->address;
  tfrc_path_copy (paths->path, probed->path);
  paths->new_path_rtt_ns = tfrc_path_get_measured_rtt_ns (paths->path);
  probed->address = no_address;
  paths->migrations++;
  log_path ("data goes to another address", &paths->peer);
  if (tfrc_path_get_state (paths->path) == TFRC_PATH_VALID
      || gst_tfrc_address_equal (&paths->fallback, &paths->peer))
    drop_fallback (paths);
  challenge_previous (paths, &previous, migration_number, rtt_ns, now_ns);
}

static gboolean
is_last_previous (const GstTfrcSendPaths *paths, const GstTfrcSendProbedPath *probed)
{
  return !is_unset (&paths->previous)
      && gst_tfrc_address_equal (&probed->address, &paths->previous);
}

/* The response may have come when a copy of the newest feedback had been used. */
static gboolean
has_returned (const GstTfrcSendPaths *paths, const GstTfrcSendProbedPath *probed)
{
  TfrcPathState state = tfrc_path_get_state (probed->path);

  return is_last_previous (paths, probed)
      && (state == TFRC_PATH_REACHED || state == TFRC_PATH_VALID);
}

gboolean
gst_tfrc_send_paths_on_feedback (GstTfrcSendPaths *paths, const GstTfrcAddress *from, gsize bytes,
    const TfrcWireRtcp *rtcp, guint64 rtt_ns, guint64 now_ns)
{
  GstTfrcSendProbedPath *probed = find_probed (paths, from);

  if (probed == NULL)
    probed = probe (paths, from, rtt_ns, now_ns);
  if (probed == NULL)
    return FALSE;
  tfrc_path_on_received (probed->path, bytes);
  probed->heard_ns = now_ns;
  if ((gint32) (rtcp->state.feedback_number - probed->number) <= 0 && probed->has_number)
    return FALSE;
  probed->number = rtcp->state.feedback_number;
  probed->has_number = TRUE;
  probed->announced = rtcp->feedback.handover;
  if (has_returned (paths, probed)) {
    migrate_to (paths, probed, rtt_ns, now_ns);
    return TRUE;
  }
  if (probed->is_previous)
    tfrc_path_restart (probed->path, now_ns);
  probed->is_previous = FALSE;
  return FALSE;
}

GstTfrcResponseResult
gst_tfrc_send_paths_on_response (GstTfrcSendPaths *paths, const GstTfrcAddress *from,
    const guint8 *data, guint32 used_number, guint64 rtt_ns, guint64 now_ns)
{
  GstTfrcSendProbedPath *probed = find_probed (paths, from);

  if (probed) {
    if (!tfrc_path_on_response (probed->path, data, now_ns))
      return GST_TFRC_RESPONSE_REFUSED;
    /* Only newer feedback from there shows that the receiver is there. */
    if (probed->is_previous || (gint32) (probed->number - used_number) <= 0) {
      if (!is_last_previous (paths, probed))
        probed->address = no_address;
      return GST_TFRC_RESPONSE_USED;
    }
    migrate_to (paths, probed, rtt_ns, now_ns);
    return GST_TFRC_RESPONSE_MIGRATED;
  }
  if (is_unset (&paths->fallback) || !gst_tfrc_address_equal (from, &paths->peer)
      || !tfrc_path_on_response (paths->path, data, now_ns))
    return GST_TFRC_RESPONSE_REFUSED;
  if (tfrc_path_get_state (paths->path) == TFRC_PATH_VALID)
    drop_fallback (paths);
  return GST_TFRC_RESPONSE_USED;
}

/* ---- time -------------------------------------------------------------- */

/* Without a token a challenge waits. The end of a validation may wait with the challenge, for the
 * time of one token at most. */
guint64
gst_tfrc_send_paths_next_ns (const GstTfrcSendPaths *paths)
{
  guint64 next_ns = G_MAXUINT64;

  for (guint i = 0; i < GST_TFRC_SEND_PROBED_PATHS; i++) {
    if (!is_unset (&paths->probed[i].address))
      next_ns = MIN (next_ns, tfrc_path_next_ns (paths->probed[i].path));
  }
  next_ns = MAX (next_ns, gst_tfrc_token_bucket_next_ns (&paths->challenges));
  if (!is_unset (&paths->fallback))
    next_ns = MIN (next_ns, tfrc_path_next_ns (paths->path));
  return next_ns;
}

/* The fallback is validated already. */
static void
return_to_fallback (GstTfrcSendPaths *paths)
{
  GstTfrcSendProbedPath *probed = find_probed (paths, &paths->fallback);

  if (probed)
    probed->address = no_address;
  paths->is_new_path = !gst_tfrc_address_same_host (&paths->fallback, &paths->peer);
  paths->new_path_rtt_ns = paths->fallback_rtt_ns;
  paths->peer = paths->fallback;
  log_path ("the new path is not validated, and data goes back", &paths->peer);
  drop_fallback (paths);
  paths->failures++;
}

gboolean
gst_tfrc_send_paths_on_time (GstTfrcSendPaths *paths, guint64 now_ns)
{
  for (guint i = 0; i < GST_TFRC_SEND_PROBED_PATHS; i++) {
    GstTfrcSendProbedPath *probed = &paths->probed[i];

    if (is_unset (&probed->address))
      continue;
    tfrc_path_on_time (probed->path, now_ns);
    if (tfrc_path_get_state (probed->path) == TFRC_PATH_FAILED) {
      log_path ("no response comes from another address", &probed->address);
      probed->address = no_address;
      paths->failures += !probed->is_previous;
    }
  }
  if (is_unset (&paths->fallback))
    return FALSE;
  tfrc_path_on_time (paths->path, now_ns);
  if (tfrc_path_get_state (paths->path) != TFRC_PATH_FAILED)
    return FALSE;
  return_to_fallback (paths);
  return TRUE;
}

gsize
gst_tfrc_send_paths_take_challenge (
    GstTfrcSendPaths *paths, guint64 now_ns, GstTfrcAddress *to, guint8 *data)
{
  gsize size;

  if (!is_unset (&paths->fallback)) {
    *to = paths->peer;
    size = tfrc_path_take_challenge (paths->path, now_ns, data);
    if (size > 0)
      return size;
  }
  if (now_ns < gst_tfrc_token_bucket_next_ns (&paths->challenges))
    return 0;
  for (guint i = 0; i < GST_TFRC_SEND_PROBED_PATHS; i++) {
    GstTfrcSendProbedPath *probed = &paths->probed[i];

    if (is_unset (&probed->address))
      continue;
    *to = probed->address;
    size = tfrc_path_take_challenge (probed->path, now_ns, data);
    if (size > 0) {
      gst_tfrc_token_bucket_take (&paths->challenges, now_ns);
      return size;
    }
  }
  return 0;
}
