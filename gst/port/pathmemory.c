/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of paths, see pathmemory.h.  A search is linear: 64 comparisons once in a stream. */
#include "pathmemory.h"

#include <string.h>

#include "../common/fork.h"
#include "../common/threads.h"

GST_TFRC_DECLARE_MUTEX (GstTfrcPathMemoryMutex, gst_tfrc_path_memory_mutex)

typedef struct
{
  GstTfrcAddress peer; /* "no address": the place is free */
  GstTfrcLocalPath local;
  GstTfrcPathMemory memory;
  guint64 time_ns;
} Entry;

static GstTfrcPathMemoryMutex mutex;
static Entry entries[GST_TFRC_PATH_MEMORY_ENTRIES] GST_TFRC_GUARDED_BY (gst_tfrc_path_memory_mutex);

/* A child of fork(2) may be in another network namespace soon. */
static void
forget (void) GST_TFRC_REQUIRES (gst_tfrc_path_memory_mutex)
{
  memset (entries, 0, sizeof entries);
}

static gpointer
guard_mutex (gpointer data)
{
  gst_tfrc_fork_guard (&mutex.mutex, forget);
  return data;
}

static void
lock_table (void) GST_TFRC_ACQUIRE (gst_tfrc_path_memory_mutex)
{
  static GOnce once = G_ONCE_INIT;

  g_once (&once, guard_mutex, NULL);
  gst_tfrc_path_memory_mutex_lock (&mutex);
}

static gboolean
is_path (const Entry *entry, const GstTfrcAddress *peer, const GstTfrcLocalPath *local)
{
  return entry->peer.len > 0 && gst_tfrc_address_same_host (&entry->peer, peer)
      && entry->local.interface == local->interface
      && gst_tfrc_address_same_host (&entry->local.local, &local->local);
}

/* Returns the entry of this path; NULL: there is none. */
static Entry *
find (const GstTfrcAddress *peer, const GstTfrcLocalPath *local)
    GST_TFRC_REQUIRES (gst_tfrc_path_memory_mutex)
{
  for (guint i = 0; i < GST_TFRC_PATH_MEMORY_ENTRIES; i++)
    if (is_path (&entries[i], peer, local))
      return &entries[i];
  return NULL;
}

/* Returns a free place, or else the oldest entry: a free place is as old as can be. */
static Entry *
oldest (void) GST_TFRC_REQUIRES (gst_tfrc_path_memory_mutex)
{
  Entry *found = &entries[0];

  for (guint i = 1; i < GST_TFRC_PATH_MEMORY_ENTRIES; i++)
    if (entries[i].time_ns < found->time_ns)
      found = &entries[i];
  return found;
}

GstTfrcPathMemory
gst_tfrc_path_memory_take (
    const GstTfrcAddress *peer, const GstTfrcLocalPath *local, guint64 now_ns)
{
  GstTfrcPathMemory memory = { 0 };
  Entry *entry;

  lock_table ();
  entry = find (peer, local);
  if (entry && now_ns - entry->time_ns <= GST_TFRC_PATH_MEMORY_LIFE_NS)
    memory = entry->memory;
  if (entry)
    memset (entry, 0, sizeof *entry);
  gst_tfrc_path_memory_mutex_unlock (&mutex);
  return memory;
}

void
gst_tfrc_path_memory_put (const GstTfrcAddress *peer, const GstTfrcLocalPath *local,
    const GstTfrcPathMemory *memory, guint64 now_ns)
{
  Entry *entry;

  if (memory->rate_Bps <= 0 || memory->rtt_ns == 0)
    return;
  lock_table ();
  entry = find (peer, local);
  if (entry == NULL)
    entry = oldest ();
  *entry = (Entry){ *peer, *local, *memory, now_ns };
  gst_tfrc_path_memory_mutex_unlock (&mutex);
}

void
gst_tfrc_path_memory_clear (void)
{
  lock_table ();
  forget ();
  gst_tfrc_path_memory_mutex_unlock (&mutex);
}
