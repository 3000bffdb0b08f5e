/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flows over a simulated link, see simlink.h. */
#include "simlink.h"

#include <string.h>

typedef struct
{
  guint64 arrival_ns;
  SimFlow *flow;
  gboolean is_feedback;
  SimReno *reno; /* sender that gets the ACK, or NULL */
  guint64 reno_seq;
  TfrcData data;
  TfrcFeedback feedback;
} SimPacket;

Sim *
sim_new (const SimLink *link, guint seed)
{
  Sim *sim = g_new0 (Sim, 1);

  sim->link = *link;
  sim->rand = g_rand_new_with_seed (seed);
  sim->on_the_way = g_sequence_new (g_free);
  return sim;
}

void
sim_free (Sim *sim)
{
  guint i;

  for (i = 0; i < sim->n_flows; i++) {
    tfrc_sender_free (sim->flows[i].sender);
    tfrc_receiver_free (sim->flows[i].receiver);
    g_queue_clear (&sim->flows[i].due_us);
  }
  g_sequence_free (sim->on_the_way);
  g_rand_free (sim->rand);
  g_free (sim);
}

SimFlow *
sim_add_flow (Sim *sim, const TfrcSenderConfig *config, guint64 start_ns)
{
  return sim_add_flow_to (sim, config, NULL, start_ns);
}

SimFlow *
sim_add_flow_to (Sim *sim, const TfrcSenderConfig *config,
    const TfrcReceiverConfig *receiver_config, guint64 start_ns)
{
  SimFlow *flow;

  g_assert (sim->n_flows < SIM_MAX_FLOWS);
  flow = &sim->flows[sim->n_flows++];
  g_assert (tfrc_sender_new (&flow->sender, config) == TFRC_OK);
  g_assert (tfrc_receiver_new (&flow->receiver, receiver_config) == TFRC_OK);
  flow->start_ns = start_ns;
  return flow;
}

SimReno *
sim_add_reno (Sim *sim, guint64 start_ns)
{
  g_assert (sim->n_renos < SIM_MAX_FLOWS);
  sim_reno_init (&sim->renos[sim->n_renos], start_ns);
  return &sim->renos[sim->n_renos++];
}

TfrcSenderStats
sim_sender_stats (const SimFlow *flow)
{
  TfrcSenderStats stats;

  tfrc_sender_get_stats (flow->sender, &stats);
  return stats;
}

TfrcReceiverStats
sim_receiver_stats (const SimFlow *flow)
{
  TfrcReceiverStats stats;

  tfrc_receiver_get_stats (flow->receiver, &stats);
  return stats;
}

/* ---- the link ---------------------------------------------------------- */

static gboolean
is_down (const Sim *sim)
{
  return sim->now >= sim->link.down_ns && sim->now < sim->link.up_ns;
}

static gint
compare_arrivals (gconstpointer a, gconstpointer b, gpointer unused)
{
  const SimPacket *pa = a, *pb = b;

  return pa->arrival_ns < pb->arrival_ns ? -1 : pa->arrival_ns > pb->arrival_ns;
}

static SimPacket *
put_on_the_way (Sim *sim, SimFlow *flow, guint64 arrival_ns)
{
  SimPacket *packet = g_new0 (SimPacket, 1);

  packet->arrival_ns = arrival_ns;
  packet->flow = flow;
  g_sequence_insert_sorted (sim->on_the_way, packet, compare_arrivals, NULL);
  return packet;
}

/* Returns the arrival of a packet that leaves the queue at begin_ns. */
static guint64
arrival_ns (Sim *sim, guint64 begin_ns, guint64 jitter_ns, guint64 *last_ns)
{
  guint64 arrival = begin_ns + sim->link.delay_ns;

  if (jitter_ns == 0)
    return arrival;
  arrival += g_rand_double (sim->rand) * jitter_ns;
  if (sim->link.jitter_reorders)
    return arrival;
  *last_ns = MAX (*last_ns, arrival);
  return *last_ns;
}

/* Returns whether the link takes a packet, and sets its arrival. */
static gboolean
takes (Sim *sim, guint64 *arrives_ns)
{
  guint64 service_ns = SIM_WIRE_BYTES * 8 / sim->link.rate_bps * 1e9;
  guint64 *free_ns = &sim->link_free_ns[sim->link_number];
  guint64 begin_ns = MAX (*free_ns, sim->now);

  if (begin_ns - sim->now > (sim->link.queue_packets - 1) * service_ns || is_down (sim)
      || g_rand_double (sim->rand) < sim->link.loss)
    return FALSE;
  *free_ns = begin_ns + service_ns;
  *arrives_ns = arrival_ns (sim, *free_ns, sim->link.jitter_ns, &sim->last_arrival_ns);
  return TRUE;
}

static void
transmit (Sim *sim, SimFlow *flow, const TfrcData *data)
{
  guint64 arrives_ns;
  TfrcData arriving = *data;

  flow->sent++;
  arriving.link = sim->link_number;
  if (sim->loses_data && sim->loses_data (&arriving, sim->user))
    return;
  if (!takes (sim, &arrives_ns)) {
    flow->dropped++;
    return;
  }
  if (g_rand_double (sim->rand) < sim->link.reorder)
    arrives_ns += sim->link.reorder_delay_ns;
  put_on_the_way (sim, flow, arrives_ns)->data = arriving;
  if (sim->link.duplicate > 0 && g_rand_double (sim->rand) < sim->link.duplicate)
    put_on_the_way (sim, flow, arrives_ns + SIM_MS)->data = arriving;
}

/* The receiver of a Reno flow only sends ACKs, so the ACK is the only event. */
static void
transmit_reno (Sim *sim, SimReno *reno)
{
  guint64 seq = sim_reno_send (reno), arrives_ns;
  SimPacket *ack;

  if (!takes (sim, &arrives_ns))
    return;
  ack = put_on_the_way (sim, NULL, arrives_ns + sim->link.delay_ns);
  ack->reno = reno;
  ack->reno_seq = seq;
}

static void
arrive (Sim *sim, const SimPacket *packet)
{
  if (packet->reno) {
    sim_reno_on_ack (packet->reno, packet->reno_seq, sim->now);
  } else if (packet->is_feedback) {
    tfrc_sender_on_feedback (packet->flow->sender, &packet->feedback, sim->now);
  } else {
    packet->flow->received++;
    tfrc_receiver_on_data (packet->flow->receiver, &packet->data, sim->now, NULL);
  }
}

void
sim_switch_link (Sim *sim, const SimLink *link, guint8 number)
{
  sim->link = *link;
  sim->link_number = number;
}

/* ---- a flow ------------------------------------------------------------ */

static gboolean
has_movie (const SimFlow *flow)
{
  return flow->frames != NULL || flow->schedule_ns != NULL;
}

static gboolean
has_packets (const SimFlow *flow)
{
  return !has_movie (flow) || flow->waiting > 0;
}

static guint64
next_frame_ns (const SimFlow *flow)
{
  if (flow->schedule_ns == NULL)
    return flow->start_ns + flow->frames_played * flow->frame_ns;
  if (flow->frames_played == flow->n_scheduled)
    return G_MAXUINT64;
  return flow->start_ns + flow->schedule_ns[flow->frames_played];
}

/* Returns the time at which the sender wakes up for its next packet. */
static guint64
wake_ns (const Sim *sim, const SimFlow *flow)
{
  guint64 due_ns = MAX (flow->start_ns, tfrc_sender_next_send_ns (flow->sender));

  if (flow->grid_ns == 0)
    return due_ns;
  due_ns = MAX (due_ns, sim->now);
  return (due_ns + flow->grid_ns - 1) / flow->grid_ns * flow->grid_ns;
}

static gboolean
is_awake (const Sim *sim, const SimFlow *flow)
{
  return sim->now >= flow->start_ns && (flow->grid_ns == 0 || sim->now % flow->grid_ns == 0);
}

static guint64
next_of_flow (const Sim *sim, const SimFlow *flow)
{
  guint64 next = MIN (
      tfrc_sender_next_timeout_ns (flow->sender), tfrc_receiver_next_feedback_ns (flow->receiver));

  if (has_movie (flow)) {
    guint64 frame_ns = next_frame_ns (flow);

    next = MIN (next, frame_ns);
  }
  if (has_packets (flow))
    next = MIN (next, wake_ns (sim, flow));
  return next;
}

static void
play_frame (SimFlow *flow)
{
  gsize due_us = next_frame_ns (flow) / 1000;
  guint64 frame = flow->frames_played++;
  guint packets = flow->frames ? flow->frames[frame % flow->n_frames] : 1;

  flow->waiting += packets;
  flow->max_waiting = MAX (flow->max_waiting, flow->waiting);
  while (packets-- > 0)
    g_queue_push_tail (&flow->due_us, GSIZE_TO_POINTER (due_us));
}

static void
take_packet (Sim *sim, SimFlow *flow)
{
  gpointer due_us = g_queue_pop_head (&flow->due_us);
  guint64 due_ns = GPOINTER_TO_SIZE (due_us) * G_GUINT64_CONSTANT (1000);

  flow->waiting--;
  flow->max_wait_ns = MAX (flow->max_wait_ns, sim->now - due_ns);
  if (sim->leaves)
    sim->leaves (due_ns, sim->now, sim->user);
}

static void
send_feedback (Sim *sim, SimFlow *flow, TfrcFeedback *feedback)
{
  guint64 arrives_ns;
  SimPacket *packet;

  if (is_down (sim) || (sim->loses_feedback && sim->loses_feedback (feedback, sim->user)))
    return;
  arrives_ns = arrival_ns (sim, sim->now, sim->link.feedback_jitter_ns, &sim->last_feedback_ns);
  if (sim->link.feedback_reorder > 0 && g_rand_double (sim->rand) < sim->link.feedback_reorder)
    arrives_ns += sim->link.reorder_delay_ns;
  packet = put_on_the_way (sim, flow, arrives_ns);
  packet->is_feedback = TRUE;
  packet->feedback = *feedback;
}

static void
serve_flow (Sim *sim, SimFlow *flow)
{
  TfrcFeedback feedback;
  TfrcData data;

  while (has_movie (flow) && next_frame_ns (flow) <= sim->now)
    play_frame (flow);
  tfrc_sender_on_timeout (flow->sender, sim->now);
  if (tfrc_receiver_make_feedback (flow->receiver, sim->now, &feedback))
    send_feedback (sim, flow, &feedback);
  while (is_awake (sim, flow) && has_packets (flow)
      && tfrc_sender_prepare (flow->sender, SIM_SEGMENT_BYTES, sim->now, &data) == TFRC_OK) {
    if (has_movie (flow))
      take_packet (sim, flow);
    transmit (sim, flow, &data);
  }
}

static void
serve_reno (Sim *sim, SimReno *reno)
{
  sim_reno_on_timeout (reno, sim->now);
  while (sim_reno_may_send (reno, sim->now))
    transmit_reno (sim, reno);
}

/* ---- time -------------------------------------------------------------- */

static SimPacket *
next_packet (const Sim *sim)
{
  GSequenceIter *first = g_sequence_get_begin_iter (sim->on_the_way);

  return g_sequence_iter_is_end (first) ? NULL : g_sequence_get (first);
}

static guint64
next_event_ns (const Sim *sim)
{
  const SimPacket *packet = next_packet (sim);
  guint64 next = packet ? packet->arrival_ns : G_MAXUINT64;
  guint i;

  for (i = 0; i < sim->n_flows; i++) {
    guint64 flow_ns = next_of_flow (sim, &sim->flows[i]);

    next = MIN (next, flow_ns);
  }
  for (i = 0; i < sim->n_renos; i++) {
    guint64 reno_ns = sim_reno_next_ns (&sim->renos[i]);

    next = MIN (next, reno_ns);
  }
  return next;
}

void
sim_run_until (Sim *sim, guint64 until_ns)
{
  guint64 next_ns;

  while ((next_ns = next_event_ns (sim)) <= until_ns) {
    const SimPacket *packet;
    guint i;

    sim->now = MAX (sim->now, next_ns);
    while ((packet = next_packet (sim)) && packet->arrival_ns <= sim->now) {
      arrive (sim, packet);
      g_sequence_remove (g_sequence_get_begin_iter (sim->on_the_way));
    }
    for (i = 0; i < sim->n_flows; i++)
      serve_flow (sim, &sim->flows[i]);
    for (i = 0; i < sim->n_renos; i++)
      serve_reno (sim, &sim->renos[i]);
  }
  sim->now = until_ns;
}

void
sim_measure (Sim *sim, guint64 duration_ns, double *shares)
{
  guint64 before[SIM_MAX_FLOWS];
  guint i;

  for (i = 0; i < sim->n_flows; i++)
    before[i] = sim->flows[i].received;
  sim_run_until (sim, sim->now + duration_ns);
  for (i = 0; i < sim->n_flows; i++)
    shares[i] = (sim->flows[i].received - before[i]) * 8e9 * SIM_WIRE_BYTES
        / (sim->link.rate_bps * duration_ns);
}
