/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The deadline of a send queue, see deadline.h. */
#include "deadline.h"

#include <string.h>

void
gst_tfrc_deadline_init (GstTfrcDeadline *self)
{
  memset (self, 0, sizeof *self);
  for (guint i = 0; i < GST_TFRC_CLASSES; i++)
    self->candidates[i] = g_ptr_array_new ();
}

void
gst_tfrc_deadline_clear (GstTfrcDeadline *self)
{
  for (guint i = 0; i < GST_TFRC_CLASSES; i++)
    g_ptr_array_free (self->candidates[i], TRUE);
}

void
gst_tfrc_deadline_set (GstTfrcDeadline *self, gboolean is_on, guint64 slack_ns)
{
  slack_ns = MAX (slack_ns, GST_TFRC_DEADLINE_LEAST_SLACK_NS);
  if (!self->is_on || slack_ns < self->slack_ns)
    self->looked_at_Bps = G_MAXDOUBLE;
  self->is_on = is_on;
  self->slack_ns = slack_ns;
}

gboolean
gst_tfrc_deadline_is_on (const GstTfrcDeadline *self)
{
  return self->is_on;
}

void
gst_tfrc_deadline_forget (GstTfrcDeadline *self)
{
  memset (&self->pictures, 0, sizeof self->pictures);
  memset (&self->groups, 0, sizeof self->groups);
  self->next_search_ns = 0;
  self->joined_ns = 0;
}

/* ---- pictures and groups that are incomplete ---------------------------------- */

static gboolean
is_noted (const GstTfrcDeadlineNumbers *self, guint32 number)
{
  guint32 before = self->newest - number;

  return number != 0 && before < GST_TFRC_DEADLINE_NUMBERS && (self->noted >> before & 1) != 0;
}

/* Numbers are compared as they wrap. One that is too old is not noted: nothing of it is to come. */
static void
note (GstTfrcDeadlineNumbers *self, guint32 number)
{
  guint32 after = number - self->newest;

  if (number == 0)
    return;
  if (self->newest == 0 || (after > 0 && after <= G_MAXINT32)) {
    self->noted = after < GST_TFRC_DEADLINE_NUMBERS ? self->noted << after : 0;
    self->newest = number;
  }
  if (self->newest - number < GST_TFRC_DEADLINE_NUMBERS)
    self->noted |= G_GUINT64_CONSTANT (1) << (self->newest - number);
}

static gboolean
is_picture (const GstTfrcImportance *importance)
{
  return importance->class == GST_TFRC_CLASS_RANDOM_ACCESS
      || importance->class == GST_TFRC_CLASS_REFERENCE
      || importance->class == GST_TFRC_CLASS_NON_REFERENCE;
}

static gboolean
is_incomplete (const GstTfrcDeadline *self, const GstTfrcImportance *importance)
{
  return is_noted (&self->pictures, importance->picture);
}

/* What the packet is worth now.  A decoder shows something of the pictures of an incomplete group, so they
 * are sent where there is room, but they go first, with the null packets. */
static guint8
worth_of (const GstTfrcDeadline *self, const GstTfrcImportance *importance)
{
  return is_picture (importance) && is_noted (&self->groups, importance->group)
      ? GST_TFRC_CLASS_NULL
      : importance->class;
}

static void
note_loss (GstTfrcDeadline *self, const GstTfrcImportance *importance)
{
  self->dropped[importance->class]++;
  note (&self->pictures, importance->picture);
  if (importance->class == GST_TFRC_CLASS_RANDOM_ACCESS)
    note (&self->groups, importance->group);
}

gboolean
gst_tfrc_deadline_refuses (GstTfrcDeadline *self, const GstTfrcPacket *packet)
{
  const GstTfrcImportance *importance = gst_tfrc_packet_get_importance (packet);

  if (!self->is_on || !is_incomplete (self, importance))
    return FALSE;
  note_loss (self, importance);
  return TRUE;
}

/* ---- what cannot be in time ------------------------------------------------------ */

static const GstTfrcImportance *
importance_of (const GstTfrcOutgoing *outgoing)
{
  return gst_tfrc_packet_get_importance (gst_tfrc_outgoing_get_packet (outgoing));
}

static guint64
expiry_of (const GstTfrcDeadline *self, const GstTfrcOutgoing *outgoing)
{
  return gst_tfrc_outgoing_get_due_ns (outgoing) + self->slack_ns;
}

/* When the packet is dropped. One that has a number leaves all the same: the receiver would take the number
 * for a loss, and the rate would fall. */
static guint64
expires_ns (const GstTfrcDeadline *self, const GstTfrcOutgoing *outgoing)
{
  return gst_tfrc_outgoing_has_rtp_seq (outgoing) ? G_MAXUINT64 : expiry_of (self, outgoing) + 1;
}

static guint64
time_left_ns (const GstTfrcDeadline *self, const GstTfrcOutgoing *outgoing, guint64 now_ns)
{
  guint64 expiry_ns = expiry_of (self, outgoing);

  return expiry_ns - MIN (now_ns, expiry_ns);
}

/* Sends for so long at the rate what leaves in this time, as some of it leaves at twice the rate. */
static guint64
sending_time_ns (guint64 left_ns, guint64 credit_ns)
{
  return left_ns + MIN (left_ns, credit_ns);
}

/* A repair is one more try: its packet was not given up, and others of its picture may come. */
static void
drop (GstTfrcDeadline *self, GstTfrcSendQueue *queue, GstTfrcOutgoing *outgoing)
{
  if (!gst_tfrc_outgoing_is_repair (outgoing))
    note_loss (self, importance_of (outgoing));
  gst_tfrc_send_queue_remove (queue, outgoing);
  gst_tfrc_outgoing_free (outgoing);
}

/* A packet with a number leaves. Tables and sound are small, and worth more than any picture. */
static gboolean
may_be_spared (const GstTfrcOutgoing *outgoing)
{
  guint8 class = importance_of (outgoing)->class;

  return !gst_tfrc_outgoing_has_rtp_seq (outgoing) && class != GST_TFRC_CLASS_TABLES
      && class != GST_TFRC_CLASS_AUDIO;
}

/* Is the packet past its deadline, or of a picture that helps nobody? */
static gboolean
is_useless (const GstTfrcDeadline *self, const GstTfrcOutgoing *outgoing, guint64 now_ns)
{
  return now_ns >= expires_ns (self, outgoing)
      || (may_be_spared (outgoing) && is_incomplete (self, importance_of (outgoing)));
}

static gpointer
last_of (const GPtrArray *candidates)
{
  return candidates->len > 0 ? candidates->pdata[candidates->len - 1] : NULL;
}

/* Returns the candidates that are worth least; NULL: there are none. */
static GPtrArray *
find_least (const GstTfrcDeadline *self)
{
  for (guint i = GST_TFRC_CLASSES; i-- > 0;)
    if (self->candidates[i]->len > 0)
      return self->candidates[i];
  return NULL;
}

/* ---- a receiver that joins -------------------------------------------------------- */

void
gst_tfrc_deadline_catch_up (GstTfrcDeadline *self, guint32 group, guint64 now_ns)
{
  self->joined_ns = now_ns;
  self->joined_group = group;
}

void
gst_tfrc_deadline_on_packet (GstTfrcDeadline *self, const GstTfrcPacket *packet)
{
  const GstTfrcImportance *importance = gst_tfrc_packet_get_importance (packet);

  if (importance->class == GST_TFRC_CLASS_RANDOM_ACCESS && importance->group != 0
      && (gint32) (importance->group - self->joined_group) > 0)
    self->joined_ns = 0;
}

/* Does the first packet that waits show that the receiver has caught up, or will not? */
static gboolean
has_caught_up (const GstTfrcDeadline *self, const GstTfrcOutgoing *first, guint64 now_ns)
{
  return now_ns >= self->joined_ns + GST_TFRC_DEADLINE_CATCH_UP_NS
      || (gst_tfrc_outgoing_get_due_ns (first) > self->joined_ns
          && now_ns <= expiry_of (self, first));
}

static gboolean
is_catching_up (GstTfrcDeadline *self, const GstTfrcOutgoing *first, guint64 now_ns)
{
  if (self->joined_ns > 0 && has_caught_up (self, first, now_ns))
    self->joined_ns = 0;
  return self->joined_ns > 0;
}

/* ---- the least important ------------------------------------------------------------ */

/* Drops the last of these candidates, on which fewer pictures of its group depend, and what is before it of
 * the same picture, which a repair leaves alone. Returns its bytes. */
static gsize
drop_last (GstTfrcDeadline *self, GstTfrcSendQueue *queue, GPtrArray *candidates)
{
  GstTfrcOutgoing *last = last_of (candidates);
  const guint32 picture = importance_of (last)->picture;
  const gboolean is_repair = gst_tfrc_outgoing_is_repair (last);
  gsize bytes = 0;

  do {
    bytes += gst_tfrc_outgoing_get_payload_bytes (last);
    g_ptr_array_set_size (candidates, candidates->len - 1);
    drop (self, queue, last);
    last = last_of (candidates);
  } while (last && !is_repair && picture != 0 && importance_of (last)->picture == picture);
  return bytes;
}

static void
begin_search (GstTfrcDeadline *self)
{
  for (guint i = 0; i < GST_TFRC_CLASSES; i++)
    g_ptr_array_set_size (self->candidates[i], 0);
}

static void
add_candidate (GstTfrcDeadline *self, GstTfrcOutgoing *outgoing)
{
  if (may_be_spared (outgoing))
    g_ptr_array_add (self->candidates[worth_of (self, importance_of (outgoing))], outgoing);
}

/* Drops the least important until what is before this packet, and the packet, leave in its time. Takes and
 * returns their bytes. A packet that nothing is before leaves as soon as it may, however low the rate is: it
 * brings the feedback that raises the rate. */
static gsize
fit (GstTfrcDeadline *self, GstTfrcSendQueue *queue, const GstTfrcOutgoing *outgoing, gsize bytes,
    guint64 left_ns)
{
  const gsize own = gst_tfrc_outgoing_get_payload_bytes (outgoing);
  gdouble ns_per_byte = 1e9 / gst_tfrc_send_queue_get_rate_Bps (queue);
  gboolean is_here = TRUE;
  GPtrArray *least;

  while (is_here && bytes > own && bytes * ns_per_byte > left_ns
      && (least = find_least (self)) != NULL) {
    is_here = last_of (least) != outgoing;
    bytes -= drop_last (self, queue, least);
  }
  return bytes;
}

/* Goes through the queue in the order in which it leaves. */
static void
search (GstTfrcDeadline *self, GstTfrcSendQueue *queue, guint64 now_ns)
{
  const guint64 credit_ns = gst_tfrc_send_queue_get_credit_ns (queue, now_ns);
  gsize bytes = 0;
  GstTfrcOutgoing *next = gst_tfrc_send_queue_first (queue), *outgoing;

  begin_search (self);
  while ((outgoing = next) != NULL) {
    self->looked_at++;
    next = gst_tfrc_send_queue_next (outgoing);
    if (may_be_spared (outgoing) && is_incomplete (self, importance_of (outgoing))) {
      drop (self, queue, outgoing);
      continue;
    }
    add_candidate (self, outgoing);
    bytes = fit (self, queue, outgoing, bytes + gst_tfrc_outgoing_get_payload_bytes (outgoing),
        sending_time_ns (time_left_ns (self, outgoing, now_ns), credit_ns));
  }
  self->next_search_ns = now_ns + self->slack_ns / GST_TFRC_DEADLINE_SEARCHES;
}

/* Each packet is looked at when it is the last one. Those in the middle have to be looked at again only if
 * the rate or the slack has fallen since, and only if not all that waits can leave in the time that the first
 * packet has. The first feedback raises the rate by far, so before it no packet is dropped for the rate. */
static gboolean
has_to_search (GstTfrcDeadline *self, const GstTfrcSendQueue *queue, guint64 now_ns)
{
  gdouble rate_Bps = gst_tfrc_send_queue_get_rate_Bps (queue);
  gboolean has_fallen = rate_Bps < self->looked_at_Bps;
  guint64 credit_ns = gst_tfrc_send_queue_get_credit_ns (queue, now_ns), first_ns, last_ns;
  gdouble wait_ns;

  if (gst_tfrc_send_queue_length (queue) < 2 || rate_Bps <= 0 || now_ns < self->next_search_ns)
    return FALSE;
  wait_ns = gst_tfrc_send_queue_get_bytes (queue) * 1e9 / rate_Bps;
  self->looked_at_Bps = rate_Bps;
  first_ns = time_left_ns (self, gst_tfrc_send_queue_first (queue), now_ns);
  last_ns = time_left_ns (self, gst_tfrc_send_queue_last (queue), now_ns);
  return wait_ns > sending_time_ns (first_ns, credit_ns)
      && (has_fallen || wait_ns > sending_time_ns (last_ns, credit_ns));
}

/* A packet that needs more than the rate is the last one when it comes, and keeps the queue pressed until it has left. */
static void
note_pressure (GstTfrcDeadline *self, const GstTfrcSendQueue *queue, guint64 now_ns)
{
  gdouble rate_Bps = gst_tfrc_send_queue_get_rate_Bps (queue), wait_ns;

  if (gst_tfrc_send_queue_length (queue) == 0 || rate_Bps <= 0) {
    self->is_pressed = FALSE;
    return;
  }
  wait_ns = gst_tfrc_send_queue_get_bytes (queue) * 1e9 / rate_Bps;
  if (wait_ns > time_left_ns (self, gst_tfrc_send_queue_last (queue), now_ns))
    self->is_pressed = TRUE;
  else if (wait_ns <= time_left_ns (self, gst_tfrc_send_queue_first (queue), now_ns))
    self->is_pressed = FALSE;
}

guint
gst_tfrc_deadline_drop (GstTfrcDeadline *self, GstTfrcSendQueue *queue, guint64 now_ns)
{
  guint before = gst_tfrc_send_queue_length (queue);
  GstTfrcOutgoing *first;

  if (!self->is_on || before == 0
      || is_catching_up (self, gst_tfrc_send_queue_first (queue), now_ns)) {
    self->is_pressed = FALSE;
    return 0;
  }
  while ((first = gst_tfrc_send_queue_first (queue)) != NULL && is_useless (self, first, now_ns))
    drop (self, queue, first);
  if (has_to_search (self, queue, now_ns))
    search (self, queue, now_ns);
  note_pressure (self, queue, now_ns);
  return before - gst_tfrc_send_queue_length (queue);
}

gboolean
gst_tfrc_deadline_is_pressed (const GstTfrcDeadline *self)
{
  return self->is_pressed;
}

guint
gst_tfrc_deadline_make_room (GstTfrcDeadline *self, GstTfrcSendQueue *queue)
{
  guint before = gst_tfrc_send_queue_length (queue), room = MAX (1, before / 8);
  GstTfrcOutgoing *outgoing = gst_tfrc_send_queue_first (queue);
  GPtrArray *least;

  begin_search (self);
  for (; outgoing; outgoing = gst_tfrc_send_queue_next (outgoing)) {
    self->looked_at++;
    add_candidate (self, outgoing);
  }
  while (gst_tfrc_send_queue_length (queue) + room > before && (least = find_least (self)) != NULL)
    drop_last (self, queue, least);
  return before - gst_tfrc_send_queue_length (queue);
}

guint64
gst_tfrc_deadline_expiry_ns (const GstTfrcDeadline *self, const GstTfrcSendQueue *queue)
{
  const GstTfrcOutgoing *first = gst_tfrc_send_queue_first (queue);

  return self->is_on && self->joined_ns == 0 && first ? expires_ns (self, first) : G_MAXUINT64;
}

/* ---- queries ----------------------------------------------------------------------- */

void
gst_tfrc_deadline_get_stats (const GstTfrcDeadline *self, GstTfrcDeadlineStats *stats)
{
  stats->is_on = self->is_on;
  stats->slack_ns = self->is_on ? self->slack_ns : 0;
  stats->dropped = gst_tfrc_deadline_get_dropped (self);
  memcpy (stats->of_class, self->dropped, sizeof stats->of_class);
  stats->looked_at = self->looked_at;
}

guint64
gst_tfrc_deadline_get_dropped (const GstTfrcDeadline *self)
{
  guint64 n = 0;

  for (guint i = 0; i < GST_TFRC_CLASSES; i++)
    n += self->dropped[i];
  return n;
}
