/* Flows over a simulated link, see simlink.h. */
#include "simlink.h"

#include <string.h>

typedef struct
{
  guint64 arrival_ns;
  SimFlow *flow;
  gboolean is_feedback;
  TfrcData data;
  TfrcFeedback feedback;
} SimPacket;

Sim *
sim_new (const SimLink * link, guint seed)
{
  Sim *sim = g_new0 (Sim, 1);

  sim->link = *link;
  sim->rand = g_rand_new_with_seed (seed);
  sim->on_the_way = g_sequence_new (g_free);
  return sim;
}

void
sim_free (Sim * sim)
{
  guint i;

  for (i = 0; i < sim->n_flows; i++) {
    tfrc_sender_free (sim->flows[i].sender);
    tfrc_receiver_free (sim->flows[i].receiver);
    g_queue_clear (&sim->flows[i].due_ms);
  }
  g_sequence_free (sim->on_the_way);
  g_rand_free (sim->rand);
  g_free (sim);
}

SimFlow *
sim_add_flow (Sim * sim, const TfrcSenderConfig * config, guint64 start_ns)
{
  SimFlow *flow;

  g_assert (sim->n_flows < SIM_MAX_FLOWS);
  flow = &sim->flows[sim->n_flows++];
  g_assert (tfrc_sender_new (&flow->sender, config) == TFRC_OK);
  g_assert (tfrc_receiver_new (&flow->receiver, NULL) == TFRC_OK);
  flow->start_ns = start_ns;
  return flow;
}

TfrcSenderStats
sim_sender_stats (const SimFlow * flow)
{
  TfrcSenderStats stats;

  tfrc_sender_get_stats (flow->sender, &stats);
  return stats;
}

TfrcReceiverStats
sim_receiver_stats (const SimFlow * flow)
{
  TfrcReceiverStats stats;

  tfrc_receiver_get_stats (flow->receiver, &stats);
  return stats;
}

/* ---- the link ---------------------------------------------------------- */

static gboolean
is_down (const Sim * sim)
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
put_on_the_way (Sim * sim, SimFlow * flow, guint64 arrival_ns)
{
  SimPacket *packet = g_new0 (SimPacket, 1);

  packet->arrival_ns = arrival_ns;
  packet->flow = flow;
  g_sequence_insert_sorted (sim->on_the_way, packet, compare_arrivals, NULL);
  return packet;
}

static void
transmit (Sim * sim, SimFlow * flow, const TfrcData * data)
{
  guint64 service_ns = SIM_WIRE_BYTES * 8 / sim->link.rate_bps * 1e9;
  guint64 *free_ns = &sim->link_free_ns[sim->link_number];
  guint64 begin_ns = MAX (*free_ns, sim->now), arrival_ns;
  TfrcData arriving = *data;

  flow->sent++;
  arriving.link = sim->link_number;
  if (sim->loses_data && sim->loses_data (&arriving, sim->user))
    return;
  if (begin_ns - sim->now > (sim->link.queue_packets - 1) * service_ns
      || is_down (sim) || g_rand_double (sim->rand) < sim->link.loss) {
    flow->dropped++;
    return;
  }
  *free_ns = begin_ns + service_ns;
  arrival_ns = *free_ns + sim->link.delay_ns;
  if (g_rand_double (sim->rand) < sim->link.reorder)
    arrival_ns += sim->link.reorder_delay_ns;
  put_on_the_way (sim, flow, arrival_ns)->data = arriving;
  if (sim->link.duplicate > 0
      && g_rand_double (sim->rand) < sim->link.duplicate)
    put_on_the_way (sim, flow, arrival_ns + SIM_MS)->data = arriving;
}

static void
arrive (Sim * sim, const SimPacket * packet)
{
  if (packet->is_feedback) {
    tfrc_sender_on_feedback (packet->flow->sender, &packet->feedback, sim->now);
  } else {
    packet->flow->received++;
    tfrc_receiver_on_data (packet->flow->receiver, &packet->data, sim->now,
        NULL);
  }
}

void
sim_switch_link (Sim * sim, const SimLink * link, guint8 number)
{
  sim->link = *link;
  sim->link_number = number;
}

/* ---- a flow ------------------------------------------------------------ */

static gboolean
has_packets (const SimFlow * flow)
{
  return flow->frames == NULL || flow->waiting > 0;
}

static guint64
next_frame_ns (const SimFlow * flow)
{
  return flow->start_ns + flow->frames_played * flow->frame_ns;
}

static guint64
next_of_flow (const SimFlow * flow)
{
  guint64 next = MIN (tfrc_sender_next_timeout_ns (flow->sender),
      tfrc_receiver_next_feedback_ns (flow->receiver));

  if (flow->frames)
    next = MIN (next, next_frame_ns (flow));
  if (has_packets (flow))
    next = MIN (next, MAX (flow->start_ns,
            tfrc_sender_next_send_ns (flow->sender)));
  return next;
}

static void
play_frame (SimFlow * flow)
{
  guint64 due_ms = next_frame_ns (flow) / SIM_MS;
  guint packets = flow->frames[flow->frames_played++ % flow->n_frames];

  flow->waiting += packets;
  flow->max_waiting = MAX (flow->max_waiting, flow->waiting);
  while (packets-- > 0)
    g_queue_push_tail (&flow->due_ms, GSIZE_TO_POINTER (due_ms));
}

static void
take_packet (SimFlow * flow, guint64 now)
{
  guint64 due_ns = GPOINTER_TO_SIZE (g_queue_pop_head (&flow->due_ms)) * SIM_MS;

  flow->waiting--;
  flow->max_wait_ns = MAX (flow->max_wait_ns, now - due_ns);
}

static void
send_feedback (Sim * sim, SimFlow * flow, TfrcFeedback * feedback)
{
  guint64 delay_ns = sim->link.delay_ns;
  SimPacket *packet;

  if (is_down (sim) || (sim->loses_feedback
          && sim->loses_feedback (feedback, sim->user)))
    return;
  if (sim->link.feedback_reorder > 0
      && g_rand_double (sim->rand) < sim->link.feedback_reorder)
    delay_ns += sim->link.reorder_delay_ns;
  packet = put_on_the_way (sim, flow, sim->now + delay_ns);
  packet->is_feedback = TRUE;
  packet->feedback = *feedback;
}

static void
serve_flow (Sim * sim, SimFlow * flow)
{
  TfrcFeedback feedback;
  TfrcData data;

  while (flow->frames && next_frame_ns (flow) <= sim->now)
    play_frame (flow);
  tfrc_sender_on_timeout (flow->sender, sim->now);
  if (tfrc_receiver_make_feedback (flow->receiver, sim->now, &feedback))
    send_feedback (sim, flow, &feedback);
  while (sim->now >= flow->start_ns && has_packets (flow)
      && tfrc_sender_prepare (flow->sender, SIM_SEGMENT_BYTES, sim->now,
          &data) == TFRC_OK) {
    if (flow->frames)
      take_packet (flow, sim->now);
    transmit (sim, flow, &data);
  }
}

/* ---- time -------------------------------------------------------------- */

static SimPacket *
next_packet (const Sim * sim)
{
  GSequenceIter *first = g_sequence_get_begin_iter (sim->on_the_way);

  return g_sequence_iter_is_end (first) ? NULL : g_sequence_get (first);
}

static guint64
next_event_ns (const Sim * sim)
{
  const SimPacket *packet = next_packet (sim);
  guint64 next = packet ? packet->arrival_ns : G_MAXUINT64;
  guint i;

  for (i = 0; i < sim->n_flows; i++)
    next = MIN (next, next_of_flow (&sim->flows[i]));
  return next;
}

void
sim_run_until (Sim * sim, guint64 until_ns)
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
  }
  sim->now = until_ns;
}

void
sim_measure (Sim * sim, guint64 duration_ns, double *shares)
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
