/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Feedback from transport-wide feedback: the receiver's side of TFRC at the sender, see
 * <tfrc/reports.h>.
 *
 * The receiver's side sees only packets that feedback is about, with numbers of their own: packets
 * between two feedbacks, of which one was lost on its way, are neither lost nor received.
 *
 * It sees them at the times of the peer's clock, moved to this clock: the time at which a feedback
 * came here is that of the last arrival in the feedback.  An offset between both clocks that jumps
 * changes no more than the intervals that the jump is in. */
#include <tfrc/reports.h>

#include <stdlib.h>

#include "receiver_state.h"
#include "report_pace.h"
#include "sender_reports.h"
#include "units.h"
#include "wire/arrivals.h"

/* The offset of the clocks may be wrong by this before it is measured anew. */
#define OFFSET_SLACK_NS (2 * TFRC_NS_PER_S)

/* Of a peer's clock that is faster than this one arrivals come to lie in the future. To measure the offset anew would
 * move them back, and the receiver's side makes no feedback before its last arrival; so beyond half of the slack the
 * offset follows by 1 in 256, which is more than clocks differ by, and less than rates can be told by. */
#define OFFSET_AHEAD_NS (OFFSET_SLACK_NS / 2)
#define OFFSET_FOLLOWS 256

typedef enum
{
  UNREPORTED,
  REPORTED_LOST,
  REPORTED
} Status;

typedef struct
{
  uint32_t send_time_us;
  uint32_t rtt_us;
  uint16_t size_bytes;
  uint16_t number; /* at the receiver's side; valid unless UNREPORTED */
  Status status;
} Packet;

/* Feedback that controls a rate comes once in this time at least.  A longer interval may be a pause of the sender, and is
 * believed as far as packets came in it. */
#define SURE_INTERVAL_NS TFRC_NS_PER_S

/* Where feedback comes from, and who follows it */
typedef struct
{
  TfrcSender *sender; /* NULL: the arrivals are noted, and no sender follows yet */
  uint64_t rtt_ns;    /* R as a report in the same compound says it; 0: unknown */
  uint64_t now_ns;
} Source;

struct TfrcArrivals
{
  TfrcReceiver *receiver; /* the receiver's side */
  TfrcReportPace pace;
  Packet packets[TFRC_ARRIVALS_PACKETS]; /* a ring; the place is the packet's index */
  uint64_t sent;                         /* packets: the index of the next one */
  uint16_t next_seq;                     /* transport sequence number of the next one */
  uint32_t model; /* TfrcModel: the equation of the sender, which the first loss interval inverts */
  uint64_t next_unreported; /* index */
  uint16_t next_number;
  uint64_t expirations; /* of the sender's nofeedback timer, when feedback was made last */

  bool has_feedback;   /* the next fields are valid */
  uint32_t reference;  /* reference time of the last feedback of tfrc_arrivals_on_feedback() */
  int64_t listed_ns;   /* the first arrival of the last feedback of tfrc_arrivals_on_list() */
  int64_t peer_ns;     /* this time on the peer's clock, which does not wrap */
  int64_t offset_ns;   /* this clock minus the peer's clock */
  uint64_t now_ns;     /* when the last feedback came */
  uint64_t arrival_ns; /* the last arrival, on this clock */
};

/* ---- life -------------------------------------------------------------- */

/* The losses, the pace and the clock of a receiver say nothing about the next one. */
static void
forget_reporter (TfrcArrivals *arrivals)
{
  tfrc_receiver_begin_anew (arrivals->receiver);
  tfrc_report_pace_init (&arrivals->pace, TFRC_REPORT_PACE_MOST_NS);
  arrivals->has_feedback = false;
  arrivals->arrival_ns = 0;
}

TfrcResult
tfrc_arrivals_new (TfrcArrivals **arrivals)
{
  TfrcArrivals *self;
  TfrcResult result;

  if (arrivals == NULL)
    return TFRC_ERROR_ARGUMENT;
  *arrivals = NULL;
  self = calloc (1, sizeof *self);
  if (self == NULL)
    return TFRC_ERROR_NO_MEMORY;
  result = tfrc_receiver_new (&self->receiver, NULL);
  if (result != TFRC_OK) {
    free (self);
    return result;
  }
  forget_reporter (self);
  *arrivals = self;
  return TFRC_OK;
}

void
tfrc_arrivals_free (TfrcArrivals *arrivals)
{
  if (arrivals != NULL)
    tfrc_receiver_free (arrivals->receiver);
  free (arrivals);
}

uint64_t
tfrc_arrivals_get_interval_ns (const TfrcArrivals *arrivals)
{
  return arrivals != NULL ? tfrc_report_pace_longest_ns (&arrivals->pace) : 0;
}

void
tfrc_arrivals_end (TfrcArrivals *arrivals, TfrcSender *sender)
{
  if (arrivals == NULL || sender == NULL)
    return;
  forget_reporter (arrivals);
  tfrc_sender_leave_reports (sender);
}

TfrcResult
tfrc_arrivals_get_stats_sized (const TfrcArrivals *arrivals, TfrcReceiverStats *stats, size_t size)
{
  return arrivals != NULL ? tfrc_receiver_get_stats_sized (arrivals->receiver, stats, size)
                          : TFRC_ERROR_ARGUMENT;
}

/* ---- what leaves -------------------------------------------------------- */

static Packet *
packet_at (TfrcArrivals *arrivals, uint64_t index)
{
  return &arrivals->packets[index % TFRC_ARRIVALS_PACKETS];
}

void
tfrc_arrivals_on_packet (TfrcArrivals *arrivals, const TfrcData *data)
{
  if (arrivals == NULL || data == NULL)
    return;
  *packet_at (arrivals, arrivals->sent) = (Packet){ .send_time_us = data->send_time_us,
    .rtt_us = data->rtt_us,
    .size_bytes = (uint16_t) data->size_bytes };
  arrivals->sent++;
  arrivals->next_seq = (uint16_t) (data->seq + 1);
  arrivals->model = data->model;
}

void
tfrc_arrivals_cancel (TfrcArrivals *arrivals)
{
  if (arrivals == NULL || arrivals->sent == 0)
    return;
  arrivals->sent--;
  arrivals->next_seq--;
}

/* ---- time -------------------------------------------------------------- */

/* The signed difference of two reference times */
static int64_t
reference_difference (uint32_t to, uint32_t from)
{
  const unsigned unused_bits = 32 - TFRC_WIRE_ARRIVALS_REFERENCE_BITS;

  return (int32_t) ((to - from) << unused_bits) / (1 << unused_bits);
}

static void
read_reference (TfrcArrivals *arrivals, uint32_t reference)
{
  if (arrivals->has_feedback)
    arrivals->peer_ns += reference_difference (reference, arrivals->reference)
        * (int64_t) TFRC_WIRE_ARRIVALS_REFERENCE_NS;
  arrivals->reference = reference;
}

/* The arrivals that feedback has, on the peer's clock */
typedef struct
{
  int64_t first_ns, last_ns;
} Span;

/* Returns the arrivals of the feedback, relative to the reference time. */
static Span
span_of (TfrcWireArrivals wire)
{
  Span span = { 0, 0 };
  bool has_first = false;

  for (unsigned i = 0; i < wire.count; i++) {
    TfrcWireArrivalOf packet = tfrc_wire_next_arrival (&wire);

    span.last_ns += (int64_t) packet.delta * TFRC_WIRE_ARRIVALS_DELTA_NS;
    if (packet.arrived && !has_first)
      span.first_ns = span.last_ns;
    has_first |= packet.arrived;
  }
  return span;
}

/* How far a clock that is ahead is moved back, as so much time has passed since it was compared last */
static int64_t
ahead_step_ns (int64_t off_ns, uint64_t elapsed_ns)
{
  int64_t too_far_ns = off_ns - (int64_t) OFFSET_AHEAD_NS;
  int64_t most_ns = (int64_t) (elapsed_ns / OFFSET_FOLLOWS);

  if (too_far_ns <= 0)
    return 0;
  return too_far_ns < most_ns ? too_far_ns : most_ns;
}

/* Moves the peer's clock to this clock if it is not there already.  A reference time that jumps makes
 * the peer's clock begin at 0 again.
 *
 * last_ns: the last arrival, relative to the reference time */
static void
anchor (TfrcArrivals *arrivals, int64_t last_ns, uint64_t now_ns)
{
  int64_t off_ns = arrivals->peer_ns + last_ns + arrivals->offset_ns - (int64_t) now_ns;

  if (arrivals->has_feedback && off_ns <= (int64_t) OFFSET_SLACK_NS
      && off_ns >= -(int64_t) OFFSET_SLACK_NS) {
    arrivals->offset_ns -= ahead_step_ns (off_ns, tfrc_sub_ns (now_ns, arrivals->now_ns));
    return;
  }
  arrivals->peer_ns = 0;
  arrivals->offset_ns = (int64_t) now_ns - last_ns;
}

/* ---- feedback ----------------------------------------------------------- */

/* Finds the first of `count' packets in a row, which all must have left. */
static TfrcResult
find_first (const TfrcArrivals *arrivals, uint16_t seq, unsigned count, uint64_t *index)
{
  uint16_t age = (uint16_t) (arrivals->next_seq - seq); /* 1: the newest packet */

  if (age == 0 || age > arrivals->sent || count > age)
    return TFRC_ERROR_NOT_SENT;
  if (age > TFRC_ARRIVALS_PACKETS)
    return TFRC_ERROR_STALE;
  *index = arrivals->sent - age;
  return TFRC_OK;
}

/* age_us: the time since the newest packet of the feedback left */
static uint32_t
delay_us (const TfrcFeedback *feedback, uint64_t rtt_ns, uint32_t age_us)
{
  uint32_t rtt_us = (uint32_t) (tfrc_min_ns (rtt_ns, TFRC_MAX_RTT_NS) / TFRC_NS_PER_US);

  if (rtt_us > 0)
    return age_us > rtt_us ? age_us - rtt_us : 0;
  return feedback->delay_us < age_us ? feedback->delay_us : age_us;
}

/* Has the sender follow what the receiver's side has made. */
static void
tell (TfrcArrivals *arrivals, const Source *source, TfrcFeedback *feedback)
{
  uint32_t age_us = tfrc_sender_wire_time_us (source->sender, source->now_ns)
      - feedback->recv_data_us;

  feedback->delay_us = delay_us (feedback, source->rtt_ns, age_us);
  tfrc_sender_follow_reports (source->sender, tfrc_report_pace_longest_ns (&arrivals->pace), false);
  tfrc_sender_on_feedback (source->sender, feedback, source->now_ns);
  arrivals->expirations = tfrc_sender_get_nofeedback_expirations (source->sender);
}

/* As tell(), for feedback about packets before a silence.  At the receiver of a TFRC stream it would have left long
 * ago: it has no sample of R, and X_recv of before the silence does not undo what the nofeedback timer has done since. */
static void
tell_late (TfrcArrivals *arrivals, const Source *source, TfrcFeedback *feedback)
{
  Source late = *source;

  if (late.sender == NULL
      || tfrc_sender_get_nofeedback_expirations (late.sender) != arrivals->expirations)
    return;
  late.rtt_ns = tfrc_sender_get_rtt_ns (late.sender);
  feedback->no_rtt_sample = true;
  tell (arrivals, &late, feedback);
}

/* The timer of the receiver's side expires in the silence before an arrival.  That side is asked at arrivals alone, so
 * that the silence would count as time of X_recv, and what came last before the silence would not be told. */
static void
pass_silence (TfrcArrivals *arrivals, const Source *source, uint64_t until_ns)
{
  TfrcReceiver *receiver = arrivals->receiver;
  TfrcFeedback feedback;

  while (tfrc_receiver_falls_silent (receiver, until_ns)) {
    if (tfrc_receiver_make_feedback (
            receiver, tfrc_receiver_next_feedback_ns (receiver), &feedback))
      tell_late (arrivals, source, &feedback);
  }
}

static void
arrive (TfrcArrivals *arrivals, const Source *source, const Packet *packet, uint64_t arrival_ns)
{
  TfrcData data = { 0 };

  pass_silence (arrivals, source, arrival_ns);
  data.seq = packet->number;
  data.send_time_us = packet->send_time_us;
  data.rtt_us = packet->rtt_us;
  data.size_bytes = packet->size_bytes;
  data.has_tfrc = true;
  data.model = arrivals->model;
  tfrc_receiver_on_data (arrivals->receiver, &data, arrival_ns, NULL);
  arrivals->arrival_ns = tfrc_max_ns (arrivals->arrival_ns, arrival_ns);
}

/* A packet behind one that has been reported, and not reported itself, has no number. */
static void
report_packet (
    TfrcArrivals *arrivals, const Source *source, uint64_t index, bool arrived, uint64_t arrival_ns)
{
  Packet *packet = packet_at (arrivals, index);

  if (packet->status == UNREPORTED) {
    if (index < arrivals->next_unreported)
      return;
    packet->number = arrivals->next_number++;
    packet->status = REPORTED_LOST;
    arrivals->next_unreported = index + 1;
  }
  if (!arrived || packet->status == REPORTED)
    return;
  packet->status = REPORTED;
  arrive (arrivals, source, packet, arrival_ns);
}

/* Returns when a packet arrived, on this clock.  No arrival lies further in the future than the offset of the clocks may
 * be wrong: what comes before the last arrival makes no feedback, so that one false time would end it. */
static uint64_t
believe_arrival (int64_t here_ns, uint64_t now_ns)
{
  return here_ns > 0 ? tfrc_min_ns ((uint64_t) here_ns, tfrc_add_ns (now_ns, OFFSET_SLACK_NS)) : 0;
}

static void
report_packets (
    TfrcArrivals *arrivals, const Source *source, TfrcWireArrivals *wire, uint64_t first)
{
  int64_t here_ns = arrivals->peer_ns + arrivals->offset_ns;

  for (unsigned i = 0; i < wire->count; i++) {
    TfrcWireArrivalOf packet = tfrc_wire_next_arrival (wire);

    here_ns += (int64_t) packet.delta * TFRC_WIRE_ARRIVALS_DELTA_NS;
    report_packet (
        arrivals, source, first + i, packet.arrived, believe_arrival (here_ns, source->now_ns));
  }
}

/* The receiver's side makes feedback when its timer has expired at the last arrival. */
static void
give_feedback (TfrcArrivals *arrivals, const Source *source)
{
  TfrcFeedback feedback;

  if (arrivals->arrival_ns >= tfrc_receiver_next_feedback_ns (arrivals->receiver)
      && tfrc_receiver_make_feedback (arrivals->receiver, arrivals->arrival_ns, &feedback)
      && source->sender != NULL)
    tell (arrivals, source, &feedback);
}

/* Feedback waits for arrivals.  After a pause or an outage the time since the last one is not the receiver's interval,
 * which is at least the time between the arrivals that the feedback has. */
static void
note_pace (TfrcArrivals *arrivals, const Span *span, uint64_t now_ns)
{
  uint64_t elapsed_ns = tfrc_sub_ns (now_ns, arrivals->now_ns);
  uint64_t span_ns = span->last_ns > span->first_ns ? (uint64_t) (span->last_ns - span->first_ns)
                                                    : 0;

  if (arrivals->has_feedback && (elapsed_ns <= SURE_INTERVAL_NS || span_ns >= SURE_INTERVAL_NS))
    tfrc_report_pace_on_report (&arrivals->pace,
        elapsed_ns <= SURE_INTERVAL_NS ? elapsed_ns : tfrc_min_ns (elapsed_ns, span_ns));
  arrivals->has_feedback = true;
  arrivals->now_ns = now_ns;
}

TfrcResult
tfrc_arrivals_on_feedback (TfrcArrivals *arrivals, TfrcSender *sender, const uint8_t *fci,
    size_t fci_bytes, uint64_t rtt_ns, uint64_t now_ns)
{
  const Source source = { sender, rtt_ns, now_ns };
  TfrcWireArrivals wire;
  uint64_t first;
  Span span;
  TfrcResult result;

  if (arrivals == NULL || (fci == NULL && fci_bytes > 0))
    return TFRC_ERROR_ARGUMENT;
  if (tfrc_wire_parse_arrivals (fci, fci_bytes, &wire) != TFRC_WIRE_OK)
    return TFRC_ERROR_RANGE;
  result = find_first (arrivals, wire.base_seq, wire.count, &first);
  if (result != TFRC_OK)
    return result;
  read_reference (arrivals, wire.reference_time);
  span = span_of (wire);
  anchor (arrivals, span.last_ns, now_ns);
  note_pace (arrivals, &span, now_ns);
  report_packets (arrivals, &source, &wire, first);
  give_feedback (arrivals, &source);
  return TFRC_OK;
}

/* ---- feedback that the program has read ---------------------------------- */

static TfrcResult
check_list (const TfrcArrivals *arrivals, const TfrcReportedPacket *list, size_t n)
{
  uint64_t index;
  TfrcResult result;

  for (size_t i = 0; i < n; i++) {
    if (list[i].arrived && list[i].arrival_ns > TFRC_REPORTED_ARRIVAL_MOST_NS)
      return TFRC_ERROR_RANGE;
    result = find_first (arrivals, list[i].seq, 1, &index);
    if (result != TFRC_OK)
      return result;
  }
  return TFRC_OK;
}

/* Feedback about losses alone has no time of the peer's. */
static Span
read_times (TfrcArrivals *arrivals, const TfrcReportedPacket *list, size_t n, uint64_t now_ns)
{
  const TfrcReportedPacket *first = NULL, *last = NULL;

  for (size_t i = 0; i < n; i++) {
    if (!list[i].arrived)
      continue;
    if (first == NULL)
      first = &list[i];
    last = &list[i];
  }
  if (first == NULL)
    return (Span){ 0, 0 };
  if (arrivals->has_feedback)
    arrivals->peer_ns += (int64_t) first->arrival_ns - arrivals->listed_ns;
  arrivals->listed_ns = (int64_t) first->arrival_ns;
  anchor (arrivals, (int64_t) last->arrival_ns - arrivals->listed_ns, now_ns);
  return (Span){ (int64_t) first->arrival_ns, (int64_t) last->arrival_ns };
}

static void
report_list (TfrcArrivals *arrivals, const Source *source, const TfrcReportedPacket *list, size_t n)
{
  uint64_t index;

  for (size_t i = 0; i < n; i++) {
    int64_t here_ns = 0;

    if (find_first (arrivals, list[i].seq, 1, &index) != TFRC_OK)
      continue;
    if (list[i].arrived)
      here_ns = arrivals->peer_ns + arrivals->offset_ns + (int64_t) list[i].arrival_ns
          - arrivals->listed_ns;
    report_packet (
        arrivals, source, index, list[i].arrived, believe_arrival (here_ns, source->now_ns));
  }
}

TfrcResult
tfrc_arrivals_on_list (TfrcArrivals *arrivals, TfrcSender *sender, const TfrcReportedPacket *list,
    size_t n, uint64_t rtt_ns, uint64_t now_ns)
{
  const Source source = { sender, rtt_ns, now_ns };
  TfrcResult result;
  Span span;

  if (arrivals == NULL || list == NULL || n == 0 || n > TFRC_ARRIVALS_PACKETS)
    return TFRC_ERROR_ARGUMENT;
  result = check_list (arrivals, list, n);
  if (result != TFRC_OK)
    return result;
  span = read_times (arrivals, list, n, now_ns);
  note_pace (arrivals, &span, now_ns);
  report_list (arrivals, &source, list, n);
  give_feedback (arrivals, &source);
  return TFRC_OK;
}
