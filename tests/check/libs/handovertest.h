/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A flow that changes from one simulated link to another. The setting is that of "Fast link
 * adaptation for TFRC": 5 Mbit/s on both links, round-trip times of 54 and 144 ms, queues of one
 * bandwidth-delay product. */
#ifndef HANDOVERTEST_H
#define HANDOVERTEST_H

#include "closeto.h"
#include "simlink.h"

#define SHORT_MS 27 /* one way */
#define LONG_MS 72
#define RATE_BPS 5e6
#define LAST_MODE TFRC_HANDOVER_MODE_PAPER

typedef struct
{
  Sim *sim;
  SimFlow *flow;
  guint64 dropped, received; /* packets until the handover */
  guint64 changed_ns;
} HandoverTest;

static inline SimLink
link_of (double rate_bps, guint delay_ms)
{
  SimLink link = { .rate_bps = rate_bps, .delay_ns = delay_ms * SIM_MS };

  link.queue_packets = 2e-3 * delay_ms * rate_bps / (8 * SIM_WIRE_BYTES) + 1.5;
  return link;
}

/* @phase moves the start, and with it all that follows. Send times wrap while the receiver
 * moves. */
static inline void
handover_test_init (HandoverTest *t, const SimLink *link, TfrcHandoverMode mode, guint phase)
{
  TfrcReceiverConfig config;
  TfrcSenderConfig sender_config;

  tfrc_receiver_config_init (&config);
  config.handover_mode = mode;
  tfrc_sender_config_init (&sender_config);
  sender_config.clock_offset_us = -(guint32) 30050000;
  memset (t, 0, sizeof *t);
  t->sim = sim_new (link, phase);
  t->flow = sim_add_flow (t->sim, &sender_config, phase * 137 * SIM_MS);
  tfrc_receiver_free (t->flow->receiver);
  fail_unless_equals_int (tfrc_receiver_new (&t->flow->receiver, &config), TFRC_OK);
}

static inline void
handover_test_clear (HandoverTest *t)
{
  sim_free (t->sim);
}

/* The network moves the receiver to another link. The receiver is not told. */
static inline void
change_link (HandoverTest *t, const SimLink *link, guint8 number)
{
  sim_switch_link (t->sim, link, number);
  t->changed_ns = t->sim->now;
  t->dropped = t->flow->dropped;
  t->received = t->flow->received;
}

static inline void
tell (HandoverTest *t, double bandwidth_bps, gboolean suppress_echo)
{
  TfrcHandover handover = { .link = t->sim->link_number,
    .bandwidth_Bps = bandwidth_bps / 8 * SIM_SEGMENT_BYTES / SIM_WIRE_BYTES,
    .suppress_echo = suppress_echo };

  fail_unless_equals_int (
      tfrc_receiver_start_handover (t->flow->receiver, &handover, t->sim->now), TFRC_OK);
}

static inline void
hand_over (HandoverTest *t, const SimLink *link)
{
  change_link (t, link, t->sim->link_number + 1);
  tell (t, 0, FALSE);
}

static inline void
run_for (HandoverTest *t, guint64 ms)
{
  sim_run_until (t->sim, t->sim->now + ms * SIM_MS);
}

static inline guint
drops (const HandoverTest *t)
{
  return t->flow->dropped - t->dropped;
}

/* The throughput since the handover, in bit/s with all headers */
static inline double
throughput_bps (const HandoverTest *t)
{
  return (t->flow->received - t->received) * 8.0 * SIM_WIRE_BYTES
      / ((t->sim->now - t->changed_ns) / 1e9);
}

static inline guint
completed (const HandoverTest *t)
{
  return sim_receiver_stats (t->flow).handovers_completed;
}

#endif
