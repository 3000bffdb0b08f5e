/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The callers of a listening sender, see callers.h. */
#include "callers.h"

#include <string.h>

#include "../common/log.h"
#include "../common/tokenbucket.h"
#include "../io/demux.h"

#define NO_ROOM "there is no room for another caller"

/* Of the number of a call, below that of its object in its id */
#define ID_BITS 32

typedef enum
{
  WAITING,
  ACCEPTED,
  REFUSED
} State;

typedef struct
{
  GstTfrcCaller caller;
  State state;
  guint32 number; /* of the call */
  gchar *reason;  /* of a refusal */
  guint64 end_ns; /* when a refusal is forgotten */
  GList link;     /* of a refusal, in refused */
} Entry;

typedef struct
{
  guint64 network; /* gst_tfrc_address_network() */
  guint waiting;
} Host;

typedef struct
{
  GstTfrcAddress to, local;
  GstTfrcAnswerPacket packet;
} Answer;

struct _GstTfrcCallers
{
  GstTfrcCookies cookies;
  GstTfrcTokenBucket cookies_left;
  guint32 own_ssrc;
  guint max_callers;
  guint64 last_id;

  GstTfrcDemux by_address; /* of Entry, with SSRC 0 */
  GHashTable *by_id;       /* of Entry, which it owns */
  GHashTable *hosts;       /* of Host, which it owns: those that have callers waiting */
  GQueue refused;          /* of Entry, the oldest first */

  GQueue answers; /* of Answer, in the order in which they leave */
  GstTfrcCallersStats stats;
};

static void
free_entry (gpointer data)
{
  Entry *entry = data;

  g_free ((gchar *) entry->caller.stream_id);
  g_free (entry->reason);
  g_free (entry);
}

GstTfrcCallers *
gst_tfrc_callers_new (
    const guint8 secret[GST_TFRC_SECRET_BYTES], guint32 own_ssrc, guint max_callers)
{
  static gint n_callers; /* objects of this process so far */
  GstTfrcCallers *self = g_new0 (GstTfrcCallers, 1);

  self->last_id = (guint64) (guint) g_atomic_int_add (&n_callers, 1) << ID_BITS;
  gst_tfrc_cookies_init (&self->cookies, secret);
  gst_tfrc_token_bucket_init (
      &self->cookies_left, GST_TFRC_CALLERS_COOKIES_PER_S, GST_TFRC_CALLERS_COOKIES_BURST);
  self->own_ssrc = own_ssrc;
  self->max_callers = max_callers;
  gst_tfrc_demux_init (&self->by_address);
  self->by_id = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, free_entry);
  self->hosts = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  g_queue_init (&self->refused);
  g_queue_init (&self->answers);
  return self;
}

void
gst_tfrc_callers_free (GstTfrcCallers *self)
{
  if (self == NULL)
    return;
  gst_tfrc_demux_clear (&self->by_address);
  g_hash_table_unref (self->by_id);
  g_hash_table_unref (self->hosts);
  g_queue_clear_full (&self->answers, g_free);
  g_free (self);
}

void
gst_tfrc_callers_set_max (GstTfrcCallers *self, guint max_callers)
{
  self->max_callers = max_callers;
}

/* ---- hosts with callers that wait ------------------------------------------------------ */

static Host *
find_host (const GstTfrcCallers *self, const GstTfrcAddress *address)
{
  guint64 network = gst_tfrc_address_network (address);

  return g_hash_table_lookup (self->hosts, &network);
}

static void
count_in (GstTfrcCallers *self, const GstTfrcAddress *address)
{
  Host *host = find_host (self, address);

  self->stats.waiting++;
  if (host == NULL) {
    host = g_new0 (Host, 1);
    host->network = gst_tfrc_address_network (address);
    g_hash_table_insert (self->hosts, &host->network, host);
  }
  host->waiting++;
}

static void
count_out (GstTfrcCallers *self, const GstTfrcAddress *address)
{
  Host *host = find_host (self, address);

  self->stats.waiting--;
  if (--host->waiting == 0)
    g_hash_table_remove (self->hosts, &host->network);
}

static gboolean
may_wait (const GstTfrcCallers *self, const GstTfrcAddress *address)
{
  const Host *host = find_host (self, address);

  return self->stats.waiting < GST_TFRC_CALLERS_WAITING
      && (host == NULL || host->waiting < GST_TFRC_CALLERS_WAITING_OF_HOST);
}

/* ---- the table ---------------------------------------------------------------------- */

static Entry *
find (const GstTfrcCallers *self, const GstTfrcAddress *address)
{
  return gst_tfrc_demux_find_at (&self->by_address, address);
}

static Entry *
find_waiting (const GstTfrcCallers *self, guint64 id)
{
  Entry *entry = g_hash_table_lookup (self->by_id, &id);

  return entry && entry->state == WAITING ? entry : NULL;
}

/* Counts the entry out of its state. */
static void
leave_state (GstTfrcCallers *self, Entry *entry)
{
  if (entry->state == WAITING)
    count_out (self, &entry->caller.address);
  else if (entry->state == ACCEPTED)
    self->stats.accepted--;
  else
    g_queue_unlink (&self->refused, &entry->link);
}

static void
drop (GstTfrcCallers *self, Entry *entry)
{
  leave_state (self, entry);
  gst_tfrc_demux_remove (&self->by_address, &entry->caller.address, 0);
  g_hash_table_remove (self->by_id, &entry->caller.id);
}

static Entry *
add_waiting (GstTfrcCallers *self, const GstTfrcReceivedPacket *packet,
    const GstTfrcCallPacket *call, guint64 rtt_ns)
{
  Entry *entry = g_new0 (Entry, 1);

  entry->caller = (GstTfrcCaller){ ++self->last_id, *packet->from, packet->local, rtt_ns,
    call->ssrc, g_strdup (call->stream_id) };
  entry->number = call->number;
  entry->link.data = entry;
  entry->state = WAITING;
  count_in (self, packet->from);
  gst_tfrc_demux_add (&self->by_address, packet->from, 0, entry);
  g_hash_table_insert (self->by_id, &entry->caller.id, entry);
  return entry;
}

static void
set_refused (GstTfrcCallers *self, Entry *entry, const gchar *reason, guint64 now_ns)
{
  leave_state (self, entry);
  if (g_queue_get_length (&self->refused) == GST_TFRC_CALLERS_REFUSED)
    drop (self, g_queue_peek_head (&self->refused));
  entry->state = REFUSED;
  entry->reason = g_strdup (reason);
  entry->end_ns = now_ns + GST_TFRC_CALLERS_REFUSED_NS;
  g_queue_push_tail_link (&self->refused, &entry->link);
  self->stats.refused++;
}

/* ---- answers ------------------------------------------------------------------------- */

static GstTfrcAnswerPacket *
add_answer (GstTfrcCallers *self, const GstTfrcAddress *to, const GstTfrcAddress *local,
    guint32 number, GstTfrcAnswerKind kind)
{
  Answer *answer;

  if (g_queue_get_length (&self->answers) == GST_TFRC_CALLERS_ANSWERS)
    return NULL;
  answer = g_new0 (Answer, 1);
  answer->to = *to;
  answer->local = *local;
  answer->packet.ssrc = self->own_ssrc;
  answer->packet.number = number;
  answer->packet.kind = kind;
  g_queue_push_tail (&self->answers, answer);
  return &answer->packet;
}

static void
give_cookie (GstTfrcCallers *self, const GstTfrcReceivedPacket *packet, guint32 number)
{
  GstTfrcAnswerPacket *answer;

  if (!gst_tfrc_token_bucket_take (&self->cookies_left, packet->arrival_ns))
    return;
  answer = add_answer (self, packet->from, &packet->local, number, GST_TFRC_ANSWER_COOKIE);
  if (answer)
    gst_tfrc_cookies_get_dated (&self->cookies, packet->from, packet->arrival_ns, answer->cookie);
}

/* A caller that waits hears the decision once there is one. The answer leaves from where the call has come to, which is
 * where the caller expects it from. */
static void
add_decision (GstTfrcCallers *self, const Entry *entry)
{
  GstTfrcAnswerPacket *answer;

  if (entry->state == WAITING)
    return;
  answer = add_answer (self, &entry->caller.address, &entry->caller.local, entry->number,
      entry->state == ACCEPTED ? GST_TFRC_ANSWER_ACCEPTED : GST_TFRC_ANSWER_REFUSED);
  if (answer && entry->state == REFUSED)
    gst_tfrc_answer_set_reason (answer, entry->reason);
}

gsize
gst_tfrc_callers_write (
    GstTfrcCallers *self, guint8 *buffer, GstTfrcAddress *to, GstTfrcAddress *local)
{
  Answer *answer = g_queue_pop_head (&self->answers);
  gsize size;

  if (answer == NULL)
    return 0;
  *to = answer->to;
  *local = answer->local;
  size = gst_tfrc_answer_packet_write (buffer, &answer->packet);
  g_free (answer);
  return size;
}

/* ---- calls --------------------------------------------------------------------------- */

static guint
count (const GstTfrcCallers *self)
{
  return self->stats.waiting + self->stats.accepted;
}

/* The address is the caller's: it has returned the cookie, after rtt_ns. */
static GstTfrcCallersResult
on_proven_call (GstTfrcCallers *self, const GstTfrcReceivedPacket *packet,
    const GstTfrcCallPacket *call, guint64 rtt_ns, guint64 now_ns, GstTfrcCaller *caller,
    guint64 *replaced)
{
  Entry *entry = find (self, packet->from);
  gboolean is_new = entry == NULL || entry->caller.ssrc != call->ssrc;

  if (entry && is_new && entry->state == WAITING)
    return GST_TFRC_CALLERS_NOTHING; /* which decision is about whom would be unclear */
  if (entry && is_new) {
    *replaced = entry->state == REFUSED ? 0 : entry->caller.id;
    drop (self, entry);
  }
  if (is_new && count (self) < self->max_callers && !may_wait (self, packet->from))
    return GST_TFRC_CALLERS_NOTHING;
  if (is_new)
    entry = add_waiting (self, packet, call, rtt_ns);
  entry->number = call->number;
  entry->caller.local = packet->local;
  *caller = entry->caller;
  if (is_new && count (self) > self->max_callers) {
    set_refused (self, entry, NO_ROOM, now_ns);
    add_decision (self, entry);
    return GST_TFRC_CALLERS_FULL;
  }
  add_decision (self, entry);
  if (is_new)
    return GST_TFRC_CALLERS_NEW;
  return entry->state == ACCEPTED ? GST_TFRC_CALLERS_AGAIN : GST_TFRC_CALLERS_NOTHING;
}

/* A first call has none, and needs no hash to be told apart. */
static gboolean
has_cookie (const GstTfrcCallPacket *call)
{
  static const guint8 none[sizeof call->cookie];

  return memcmp (call->cookie, none, sizeof none) != 0;
}

GstTfrcCallersResult
gst_tfrc_callers_on_packet (GstTfrcCallers *self, const GstTfrcReceivedPacket *packet,
    guint64 now_ns, GstTfrcCaller *caller, guint64 *replaced)
{
  GstTfrcCallPacket call;
  guint64 age_ns;

  *replaced = 0;
  self->stats.calls++;
  if (packet->truncated || !gst_tfrc_call_packet_parse (packet->data, packet->size, &call)) {
    self->stats.malformed++;
    return GST_TFRC_CALLERS_NOTHING;
  }
  if (has_cookie (&call)
      && gst_tfrc_cookies_check_dated (
          &self->cookies, packet->from, packet->arrival_ns, call.cookie, &age_ns))
    return on_proven_call (self, packet, &call, age_ns, now_ns, caller, replaced);
  give_cookie (self, packet, call.number);
  return GST_TFRC_CALLERS_NOTHING;
}

const GstTfrcCaller *
gst_tfrc_callers_find_waiting (const GstTfrcCallers *self, guint64 id)
{
  const Entry *entry = find_waiting (self, id);

  return entry ? &entry->caller : NULL;
}

gboolean
gst_tfrc_callers_accept (GstTfrcCallers *self, guint64 id, GstTfrcCaller *caller)
{
  Entry *entry = find_waiting (self, id);

  if (entry == NULL)
    return FALSE;
  leave_state (self, entry);
  entry->state = ACCEPTED;
  self->stats.accepted++;
  *caller = entry->caller;
  add_decision (self, entry);
  return TRUE;
}

gboolean
gst_tfrc_callers_refuse (
    GstTfrcCallers *self, guint64 id, const gchar *reason, guint64 now_ns, GstTfrcCaller *caller)
{
  Entry *entry = find_waiting (self, id);

  if (entry == NULL)
    return FALSE;
  set_refused (self, entry, reason, now_ns);
  *caller = entry->caller;
  add_decision (self, entry);
  return TRUE;
}

void
gst_tfrc_callers_move (GstTfrcCallers *self, guint64 id, const GstTfrcAddress *address)
{
  Entry *entry = g_hash_table_lookup (self->by_id, &id), *other = find (self, address);

  if (entry == NULL || entry->state != ACCEPTED || other == entry)
    return;
  if (other && other->state != REFUSED)
    return; /* another caller has shown that the port is its own */
  if (other)
    drop (self, other);
  gst_tfrc_demux_remove (&self->by_address, &entry->caller.address, 0);
  entry->caller.address = *address;
  gst_tfrc_demux_add (&self->by_address, address, 0, entry);
}

void
gst_tfrc_callers_forget (GstTfrcCallers *self, guint64 id)
{
  Entry *entry = g_hash_table_lookup (self->by_id, &id);

  if (entry)
    drop (self, entry);
}

/* ---- time ------------------------------------------------------------------------------ */

guint64
gst_tfrc_callers_next_ns (const GstTfrcCallers *self)
{
  const Entry *oldest = g_queue_peek_head ((GQueue *) &self->refused);

  if (!g_queue_is_empty ((GQueue *) &self->answers))
    return 0;
  return oldest ? oldest->end_ns : G_MAXUINT64;
}

void
gst_tfrc_callers_on_time (GstTfrcCallers *self, guint64 now_ns)
{
  Entry *oldest;

  while ((oldest = g_queue_peek_head (&self->refused)) && now_ns >= oldest->end_ns)
    drop (self, oldest);
}

/* ---- queries ----------------------------------------------------------------------------- */

void
gst_tfrc_callers_get_stats (const GstTfrcCallers *self, GstTfrcCallersStats *stats)
{
  *stats = self->stats;
}

static guint
count_waiting (const GstTfrcCallers *self)
{
  GHashTableIter hosts;
  gpointer host;
  guint n = 0;

  g_hash_table_iter_init (&hosts, self->hosts);
  while (g_hash_table_iter_next (&hosts, NULL, &host))
    n += ((Host *) host)->waiting;
  return n;
}

const gchar *
gst_tfrc_callers_check (const GstTfrcCallers *self)
{
  guint refused = g_queue_get_length ((GQueue *) &self->refused);

  if (g_hash_table_size (self->by_id) != self->stats.waiting + self->stats.accepted + refused)
    return "a caller in no state, or in two";
  if (gst_tfrc_demux_size (&self->by_address) != g_hash_table_size (self->by_id))
    return "a caller without an address, or an address without a caller";
  if (count_waiting (self) != self->stats.waiting)
    return "a host with more or fewer callers than wait";
  if (g_hash_table_size (self->hosts) > self->stats.waiting)
    return "a host without a caller that waits";
  if (self->stats.waiting > GST_TFRC_CALLERS_WAITING || refused > GST_TFRC_CALLERS_REFUSED
      || g_queue_get_length ((GQueue *) &self->answers) > GST_TFRC_CALLERS_ANSWERS)
    return "more than there is room for";
  return NULL;
}
