/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Migration of the receiver, see sendpaths.h. */
#include "sendpaths.h"

#include <string.h>

#include "../common/log.h"
#include "../strangers/validation.h"

/* Challenges to all probed paths together. Copies of feedback can come from many addresses, but
 * a receiver moves to one, for which a few challenges are enough. Hosts have no limits of their own,
 * because this limit for all is low enough. */
static const GstTfrcHostRates rates = { .all = { 10, 10 } };

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
    const GstTfrcAddress *local, GstTfrcAllowMigration allow, gboolean is_authenticated)
{
  memset (paths, 0, sizeof *paths);
  paths->peer = *peer;
  paths->local = *local;
  paths->can_migrate = allow == GST_TFRC_ALLOW_MIGRATION_ALWAYS
      || (allow == GST_TFRC_ALLOW_MIGRATION_AUTHENTICATED && is_authenticated);
  tfrc_path_new (&paths->path);
  gst_tfrc_candidates_init (&paths->candidates, &rates, NULL);
  for (guint i = 0; i < GST_TFRC_CANDIDATES; i++)
    gst_tfrc_candidates_set_place (&paths->candidates, i, &paths->probed[i].base);
}

void
gst_tfrc_send_paths_clear (GstTfrcSendPaths *paths)
{
  g_clear_pointer (&paths->path, tfrc_path_free);
  gst_tfrc_candidates_clear (&paths->candidates);
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

/* ---- the address of this host ------------------------------------------- */

const GstTfrcAddress *
gst_tfrc_send_paths_get_local (const GstTfrcSendPaths *paths)
{
  return &paths->local;
}

/* A packet may come without its destination. */
static void
follow_local (
    const GstTfrcSendPaths *paths, GstTfrcAddress *local, const GstTfrcAddress *packet_local)
{
  if (!is_unset (&paths->local) && !is_unset (packet_local))
    *local = *packet_local;
}

void
gst_tfrc_send_paths_set_local (GstTfrcSendPaths *paths, const GstTfrcAddress *local)
{
  if (is_unset (&paths->local) || gst_tfrc_address_same_host (&paths->local, local))
    return;
  follow_local (paths, &paths->local, local);
  log_path ("packets leave from another address of this host", &paths->local);
  paths->is_local_lost = FALSE;
}

static void
on_left (GstTfrcSendPaths *paths, gboolean is_rerouted)
{
  if (is_rerouted && !paths->is_local_lost)
    gst_tfrc_log (flow, WARNING,
        "this host has lost the address %s, which the receiver knows: packets to %s leave as the "
        "routes say",
        GST_TFRC_ADDRESS_TEXT (&paths->local), GST_TFRC_ADDRESS_TEXT (&paths->peer));
  paths->is_local_lost = is_rerouted;
}

void
gst_tfrc_send_paths_on_sent (GstTfrcSendPaths *paths, const GstTfrcPolled *polled)
{
  for (guint i = 0; i < polled->n; i++) {
    const GstTfrcDatagram *datagram = &polled->datagrams[i];

    if (datagram->result == GST_TFRC_DATAGRAM_LEFT
        && gst_tfrc_address_equal (&datagram->to, &paths->peer))
      on_left (paths, datagram->is_rerouted);
  }
}

/* ---- probed paths -------------------------------------------------------- */

/* Returns the probed path with this address, or NULL. */
static GstTfrcSendProbedPath *
find_probed (const GstTfrcSendPaths *paths, const GstTfrcAddress *address)
{
  return (GstTfrcSendProbedPath *) gst_tfrc_candidates_find (&paths->candidates, address, 0);
}

static void
forget (GstTfrcSendProbedPath *probed)
{
  const GstTfrcSendProbedPath free_place = { .base = probed->base };

  *probed = free_place;
  gst_tfrc_candidate_leave (&probed->base);
}

/* A path that makes room has been silent for the longest time: a receiver that has moved is not
 * silent for long. */
static GstTfrcSendProbedPath *
probe (GstTfrcSendPaths *paths, const GstTfrcAddress *address, guint64 rtt_ns, guint64 now_ns)
{
  GstTfrcSendProbedPath *probed = (GstTfrcSendProbedPath *) gst_tfrc_candidates_get_weakest (
      &paths->candidates);

  if (!gst_tfrc_address_is_unicast (address)
      || !gst_tfrc_validation_start_random (
          probed->base.path, GST_TFRC_SEND_CHALLENGE_BYTES, rtt_ns, now_ns))
    return NULL;
  paths->failures += probed->base.id.exists && !probed->is_previous;
  forget (probed);
  gst_tfrc_candidates_enter (&paths->candidates, &probed->base, address, 0, now_ns);
  probed->local = paths->local;
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
    const GstTfrcAddress *local, guint32 migration_number, guint64 rtt_ns, guint64 now_ns)
{
  GstTfrcSendProbedPath *previous = probe (paths, address, rtt_ns, now_ns);

  if (previous == NULL)
    return;
  gst_tfrc_validation_allow (
      previous->base.path, CHALLENGES_TO_PREVIOUS, GST_TFRC_SEND_CHALLENGE_BYTES);
  previous->local = *local;
  previous->number = migration_number;
  previous->has_number = TRUE;
  previous->is_previous = TRUE;
}

static gboolean
has_answered (const GstTfrcSendProbedPath *probed)
{
  TfrcPathState state = tfrc_path_get_state (probed->base.path);

  return state == TFRC_PATH_REACHED || state == TFRC_PATH_VALID;
}

/* Another path is the one that was left last. The answer of the one before counts no more, and a path that has
 * answered gets no further challenge: a receiver that comes back there is to be challenged anew. */
static void
set_previous (GstTfrcSendPaths *paths, const GstTfrcAddress *address)
{
  GstTfrcSendProbedPath *before = find_probed (paths, &paths->previous);

  if (before && has_answered (before))
    forget (before);
  paths->previous = *address;
}

/* The path that is left becomes the fallback only if it is validated. Otherwise the older fallback
 * stays. */
static void
migrate_to (GstTfrcSendPaths *paths, GstTfrcSendProbedPath *probed, guint64 rtt_ns, guint64 now_ns)
{
  const GstTfrcAddress previous = paths->peer, previous_local = paths->local;
  guint32 migration_number = probed->number;

  if (is_unset (&paths->fallback)) {
    paths->fallback = paths->peer;
    paths->fallback_local = paths->local;
    paths->fallback_rtt_ns = rtt_ns;
  }
  paths->is_new_path = !probed->announced
      && !gst_tfrc_address_same_host (&probed->base.id.address, &paths->peer);
  paths->peer = probed->base.id.address;
  paths->local = probed->local;
  paths->is_local_lost = FALSE;
  tfrc_path_copy (paths->path, probed->base.path);
  paths->new_path_rtt_ns = tfrc_path_get_measured_rtt_ns (paths->path);
  forget (probed);
  set_previous (paths, &previous);
  paths->migrations++;
  log_path ("data goes to another address", &paths->peer);
  if (tfrc_path_get_state (paths->path) == TFRC_PATH_VALID
      || gst_tfrc_address_equal (&paths->fallback, &paths->peer))
    drop_fallback (paths);
  challenge_previous (paths, &previous, &previous_local, migration_number, rtt_ns, now_ns);
}

static gboolean
is_last_previous (const GstTfrcSendPaths *paths, const GstTfrcSendProbedPath *probed)
{
  return !is_unset (&paths->previous)
      && gst_tfrc_peer_id_is_at (&probed->base.id, &paths->previous);
}

/* The response may have come when a copy of the newest feedback had been used. */
static gboolean
has_returned (const GstTfrcSendPaths *paths, const GstTfrcSendProbedPath *probed)
{
  return is_last_previous (paths, probed) && has_answered (probed);
}

gboolean
gst_tfrc_send_paths_on_feedback (GstTfrcSendPaths *paths, const GstTfrcReceivedPacket *packet,
    const TfrcWireRtcp *rtcp, guint64 rtt_ns)
{
  GstTfrcSendProbedPath *probed = find_probed (paths, packet->from);
  const guint64 now_ns = packet->arrival_ns;

  if (probed == NULL)
    probed = probe (paths, packet->from, rtt_ns, now_ns);
  if (probed == NULL)
    return FALSE;
  tfrc_path_on_received (probed->base.path, packet->size);
  probed->base.heard_ns = now_ns;
  if ((gint32) (rtcp->state.feedback_number - probed->number) <= 0 && probed->has_number)
    return FALSE;
  probed->number = rtcp->state.feedback_number;
  probed->has_number = TRUE;
  probed->announced = rtcp->feedback.handover;
  follow_local (paths, &probed->local, &packet->local);
  if (has_returned (paths, probed)) {
    migrate_to (paths, probed, rtt_ns, now_ns);
    return TRUE;
  }
  if (probed->is_previous)
    tfrc_path_restart (probed->base.path, now_ns);
  probed->is_previous = FALSE;
  return FALSE;
}

GstTfrcResponseResult
gst_tfrc_send_paths_on_response (GstTfrcSendPaths *paths, const GstTfrcAddress *from,
    const guint8 *data, guint32 used_number, guint64 rtt_ns, guint64 now_ns)
{
  GstTfrcSendProbedPath *probed = find_probed (paths, from);

  if (probed) {
    if (!tfrc_path_on_response (probed->base.path, data, now_ns))
      return GST_TFRC_RESPONSE_REFUSED;
    /* Only newer feedback from there shows that the receiver is there. */
    if (probed->is_previous || (gint32) (probed->number - used_number) <= 0) {
      if (!is_last_previous (paths, probed))
        forget (probed);
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

guint64
gst_tfrc_send_paths_next_ns (const GstTfrcSendPaths *paths)
{
  guint64 next_ns = gst_tfrc_candidates_next_ns (&paths->candidates);

  return is_unset (&paths->fallback) ? next_ns : MIN (next_ns, tfrc_path_next_ns (paths->path));
}

/* The fallback is validated already. */
static void
return_to_fallback (GstTfrcSendPaths *paths)
{
  GstTfrcSendProbedPath *probed = find_probed (paths, &paths->fallback);

  if (probed)
    forget (probed);
  paths->is_new_path = !gst_tfrc_address_same_host (&paths->fallback, &paths->peer);
  paths->new_path_rtt_ns = paths->fallback_rtt_ns;
  paths->peer = paths->fallback;
  paths->local = paths->fallback_local;
  paths->is_local_lost = FALSE;
  log_path ("the new path is not validated, and data goes back", &paths->peer);
  drop_fallback (paths);
  paths->failures++;
}

static void
on_time_of_probed (GstTfrcSendPaths *paths, GstTfrcSendProbedPath *probed, guint64 now_ns)
{
  tfrc_path_on_time (probed->base.path, now_ns);
  if (tfrc_path_get_state (probed->base.path) != TFRC_PATH_FAILED)
    return;
  log_path ("no response comes from another address", &probed->base.id.address);
  paths->failures += !probed->is_previous;
  forget (probed);
}

gboolean
gst_tfrc_send_paths_on_time (GstTfrcSendPaths *paths, guint64 now_ns)
{
  for (guint i = 0; i < GST_TFRC_CANDIDATES; i++)
    if (paths->probed[i].base.id.exists)
      on_time_of_probed (paths, &paths->probed[i], now_ns);
  if (is_unset (&paths->fallback))
    return FALSE;
  tfrc_path_on_time (paths->path, now_ns);
  if (tfrc_path_get_state (paths->path) != TFRC_PATH_FAILED)
    return FALSE;
  return_to_fallback (paths);
  return TRUE;
}

gsize
gst_tfrc_send_paths_take_challenge (GstTfrcSendPaths *paths, guint64 now_ns, GstTfrcAddress *to,
    GstTfrcAddress *local, guint8 *data)
{
  const GstTfrcCandidate *candidate;
  gsize size;

  if (!is_unset (&paths->fallback)) {
    *to = paths->peer;
    *local = paths->local;
    size = tfrc_path_take_challenge (paths->path, now_ns, data);
    if (size > 0)
      return size;
  }
  candidate = gst_tfrc_candidates_take_challenge (&paths->candidates, now_ns, data, &size);
  if (candidate == NULL)
    return 0;
  *to = candidate->id.address;
  *local = ((const GstTfrcSendProbedPath *) candidate)->local;
  return size;
}

/* ---- invariants ---------------------------------------------------------- */

static const gchar *
check_probed (const GstTfrcSendPaths *paths, const GstTfrcSendProbedPath *probed)
{
  if (!probed->base.id.exists)
    return probed->has_number || probed->is_previous ? "a free place knows of feedback" : NULL;
  if (!paths->can_migrate)
    return "the address of a receiver that may not migrate is probed";
  if (gst_tfrc_peer_id_is_at (&probed->base.id, &paths->peer))
    return "the active path is probed";
  if (!probed->has_number)
    return "a path is probed without a reason";
  if (tfrc_path_get_state (probed->base.path) == TFRC_PATH_FAILED)
    return "a path that has failed is still probed";
  if (has_answered (probed) && !gst_tfrc_peer_id_is_at (&probed->base.id, &paths->previous))
    return "a path that has answered is probed, and was not left last";
  return NULL;
}

const gchar *
gst_tfrc_send_paths_check (const GstTfrcSendPaths *paths)
{
  const gchar *broken = gst_tfrc_candidates_check (&paths->candidates);

  for (guint i = 0; i < GST_TFRC_CANDIDATES && broken == NULL; i++)
    broken = check_probed (paths, &paths->probed[i]);
  if (broken)
    return broken;
  if (!paths->can_migrate && paths->migrations > 0)
    return "a receiver that may not migrate has done so";
  if (is_unset (&paths->fallback))
    return NULL;
  if (paths->migrations == 0)
    return "a fallback without a migration";
  if (gst_tfrc_address_equal (&paths->fallback, &paths->peer))
    return "the active path is its own fallback";
  if (tfrc_path_get_state (paths->path) != TFRC_PATH_REACHED)
    return "the active path is on trial, and was not reached or needs no trial";
  return NULL;
}
