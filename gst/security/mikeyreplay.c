/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replay cache, see mikeyreplay.h. */
#include "mikeyreplay.h"

#include <openssl/evp.h>
#include <string.h>

#include "mikeykeys.h"

#define HASH_BYTES 32

typedef struct
{
  guint8 hash[HASH_BYTES]; /* SHA-256 of what the MAC or signature covers */
  guint64 timestamp;
} Entry;

struct _GstTfrcMikeyReplayCache
{
  GArray *entries;
  guint max_entries;
};

GstTfrcMikeyReplayCache *
gst_tfrc_mikey_replay_cache_new (guint max_entries)
{
  GstTfrcMikeyReplayCache *self = g_new0 (GstTfrcMikeyReplayCache, 1);

  self->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  self->max_entries = max_entries;
  return self;
}

void
gst_tfrc_mikey_replay_cache_free (GstTfrcMikeyReplayCache *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->entries);
  g_free (self);
}

static gboolean
get_hash (const GstTfrcMikeyMessage *message, guint8 hash[HASH_BYTES])
{
  return EVP_Digest (message->covered.data, message->covered.size, hash, NULL, EVP_sha256 (), NULL)
      == 1;
}

static gboolean
has_entry (const GstTfrcMikeyReplayCache *self, const guint8 hash[HASH_BYTES])
{
  for (guint i = 0; i < self->entries->len; i++) {
    if (memcmp (g_array_index (self->entries, Entry, i).hash, hash, HASH_BYTES) == 0)
      return TRUE;
  }
  return FALSE;
}

/* Entries stay as long as there is room: a wall clock may be set back. */
static void
make_room (GstTfrcMikeyReplayCache *self, guint64 wall_ns)
{
  if (self->entries->len < self->max_entries)
    return;
  for (guint i = self->entries->len; i-- > 0;) {
    if (gst_tfrc_mikey_is_outdated (g_array_index (self->entries, Entry, i).timestamp, wall_ns))
      g_array_remove_index_fast (self->entries, i);
  }
}

static gboolean
no_hash (GError **error)
{
  return gst_tfrc_mikey_fail (
      error, GST_TFRC_MIKEY_FAILED, "The cryptographic library cannot compute SHA-256.");
}

gboolean
gst_tfrc_mikey_replay_cache_check (GstTfrcMikeyReplayCache *self,
    const GstTfrcMikeyMessage *message, guint64 wall_ns, GError **error)
{
  guint8 hash[HASH_BYTES];

  if (!get_hash (message, hash))
    return no_hash (error);
  if (has_entry (self, hash))
    return gst_tfrc_mikey_fail (
        error, GST_TFRC_MIKEY_REPLAYED, "The key message has been accepted before.");
  make_room (self, wall_ns);
  if (self->entries->len >= self->max_entries)
    return gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_REPLAYED,
        "Too many key messages have come to tell a new one from a replayed one.");
  return TRUE;
}

gboolean
gst_tfrc_mikey_replay_cache_add (
    GstTfrcMikeyReplayCache *self, const GstTfrcMikeyMessage *message, GError **error)
{
  Entry entry = { .timestamp = message->timestamp };

  if (!get_hash (message, entry.hash))
    return no_hash (error);
  g_array_append_val (self->entries, entry);
  return TRUE;
}
