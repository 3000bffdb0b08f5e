/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Candidates, see candidates.h. */
#include "candidates.h"

#include <string.h>

#include "../common/log.h"

gboolean
gst_tfrc_peer_id_is (const GstTfrcPeerId *id, const GstTfrcAddress *address, guint32 ssrc)
{
  return id->ssrc == ssrc && gst_tfrc_peer_id_is_at (id, address);
}

gboolean
gst_tfrc_peer_id_is_at (const GstTfrcPeerId *id, const GstTfrcAddress *address)
{
  return id->exists && gst_tfrc_address_equal (&id->address, address);
}

/* ---- places ------------------------------------------------------------ */

void
gst_tfrc_candidates_init (
    GstTfrcCandidates *self, const GstTfrcHostRates *rates, const GstTfrcCookies *key)
{
  memset (self, 0, sizeof *self);
  gst_tfrc_host_limits_init (&self->challenges, rates, key);
}

void
gst_tfrc_candidates_clear (GstTfrcCandidates *self)
{
  for (guint i = 0; i < GST_TFRC_CANDIDATES; i++)
    g_clear_pointer (&self->places[i]->path, tfrc_path_free);
  gst_tfrc_host_limits_clear (&self->challenges);
}

void
gst_tfrc_candidates_set_place (GstTfrcCandidates *self, guint i, GstTfrcCandidate *place)
{
  self->places[i] = place;
  tfrc_path_new (&place->path);
}

GstTfrcCandidate *
gst_tfrc_candidates_find (
    const GstTfrcCandidates *self, const GstTfrcAddress *address, guint32 ssrc)
{
  for (guint i = 0; i < GST_TFRC_CANDIDATES; i++)
    if (gst_tfrc_peer_id_is (&self->places[i]->id, address, ssrc))
      return self->places[i];
  return NULL;
}

gboolean
gst_tfrc_candidate_is_weaker (const GstTfrcCandidate *a, const GstTfrcCandidate *b)
{
  if (a->id.exists != b->id.exists)
    return !a->id.exists;
  if (a->validated != b->validated)
    return !a->validated;
  return a->heard_ns < b->heard_ns;
}

GstTfrcCandidate *
gst_tfrc_candidates_get_weakest (const GstTfrcCandidates *self)
{
  GstTfrcCandidate *weakest = self->places[0];

  for (guint i = 1; i < GST_TFRC_CANDIDATES; i++)
    if (gst_tfrc_candidate_is_weaker (self->places[i], weakest))
      weakest = self->places[i];
  return weakest;
}

void
gst_tfrc_candidates_enter (GstTfrcCandidates *self, GstTfrcCandidate *place,
    const GstTfrcAddress *address, guint32 ssrc, guint64 now_ns)
{
  const GstTfrcPeerId id = { TRUE, *address, ssrc };

  place->id = id;
  place->heard_ns = now_ns;
  place->host = gst_tfrc_host_limits_find (&self->challenges, address);
}

void
gst_tfrc_candidate_leave (GstTfrcCandidate *place)
{
  const GstTfrcCandidate free_place = { .path = place->path };

  *place = free_place;
}

/* ---- challenges -------------------------------------------------------- */

static guint64
due_ns (const GstTfrcCandidate *place)
{
  return place->id.exists && !place->is_mute ? tfrc_path_next_ns (place->path) : G_MAXUINT64;
}

guint64
gst_tfrc_candidates_next_of_ns (const GstTfrcCandidates *self, const GstTfrcCandidate *place)
{
  return MAX (due_ns (place), gst_tfrc_host_limits_next_ns (&self->challenges, place->host));
}

guint64
gst_tfrc_candidates_next_ns (const GstTfrcCandidates *self)
{
  guint64 next_ns = G_MAXUINT64;

  for (guint i = 0; i < GST_TFRC_CANDIDATES; i++)
    next_ns = MIN (next_ns, gst_tfrc_candidates_next_of_ns (self, self->places[i]));
  return next_ns;
}

/* Returns whether there is a token for a challenge that is due. */
static gboolean
has_token (const GstTfrcCandidates *self, GstTfrcCandidate *place, guint64 now_ns)
{
  guint64 ready_ns = gst_tfrc_host_limits_next_ns (&self->challenges, place->host);
  gboolean had_to_wait = place->waits;

  place->waits = ready_ns > now_ns;
  if (place->waits && !had_to_wait)
    gst_tfrc_log (peer, DEBUG, "%s %08x: a challenge waits %" G_GUINT64_FORMAT " ns for a token",
        GST_TFRC_ADDRESS_TEXT (&place->id.address), place->id.ssrc, ready_ns - now_ns);
  return !place->waits;
}

GstTfrcCandidate *
gst_tfrc_candidates_take_challenge (
    GstTfrcCandidates *self, guint64 now_ns, guint8 data[TFRC_WIRE_PATH_DATA_BYTES], gsize *size)
{
  for (guint i = 0; i < GST_TFRC_CANDIDATES; i++) {
    GstTfrcCandidate *place = self->places[i];

    if (now_ns < due_ns (place) || !has_token (self, place, now_ns))
      continue;
    *size = tfrc_path_take_challenge (place->path, now_ns, data);
    if (*size == 0)
      continue;
    gst_tfrc_host_limits_take (&self->challenges, place->host, now_ns);
    return place;
  }
  return NULL;
}

/* In a flood of calls nearly none passes the first condition, and so the hash costs nothing. */
gboolean
gst_tfrc_candidates_take_token (GstTfrcCandidates *self, const GstTfrcAddress *host, guint64 now_ns)
{
  return now_ns >= gst_tfrc_host_limits_all_next_ns (&self->challenges)
      && gst_tfrc_host_limits_take (
          &self->challenges, gst_tfrc_host_limits_find (&self->challenges, host), now_ns);
}

/* ---- invariants -------------------------------------------------------- */

const gchar *
gst_tfrc_candidates_check (const GstTfrcCandidates *self)
{
  for (guint i = 0; i < GST_TFRC_CANDIDATES; i++) {
    const GstTfrcPeerId *id = &self->places[i]->id;

    if (!id->exists && (self->places[i]->validated || self->places[i]->waits))
      return "a free place holds something";
    for (guint j = 0; j < i && id->exists; j++)
      if (gst_tfrc_peer_id_is (&self->places[j]->id, &id->address, id->ssrc))
        return "two places are of one candidate";
  }
  return NULL;
}
