/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sink's own outbox with its deadline (gst/queue/outbox.h) for a simulation in C++: what waits,
 * what is dropped and what leaves next are decided by the code of the element. */
#ifndef SIM_VOD_OUTBOX_H
#define SIM_VOD_OUTBOX_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SimOutbox SimOutbox;

/* What a packet is worth, as gst/queue/importance.h has it; its 'class' is no name in C++. */
typedef struct
{
  uint8_t kind;
  uint32_t picture;
  uint32_t group;
} SimImportance;

/* What the sink knows of the path. rtt_ns: 0 if not measured. used_until_ns: up to when sending time is
 * used (tfrc_sender_get_used_until_ns()). queueing_ns: what packets wait on the path. */
typedef struct
{
  double drain_rate_Bps;
  uint64_t rtt_ns;
  uint64_t used_until_ns;
  uint64_t queueing_ns;
} SimPath;

/* delay_ns: the player's, as the property playout-delay says it. ahead_ns, ahead_bytes: how far
   * packets may run ahead, as a receiver tells it in its first report. */
SimOutbox *sim_outbox_new (uint64_t delay_ns, uint64_t ahead_ns, uint64_t ahead_bytes);
void sim_outbox_free (SimOutbox *outbox);

/* Tells what the sink knows of the path before it looks at its queue, which it does after each
 * call; takes what may leave, and drops what cannot be in time. Returns whether unused sending time
 * has to be made up for (tfrc_sender_spend_credit()). */
bool sim_outbox_update (SimOutbox *outbox, const SimPath *path, uint64_t now_ns);

/* Queues a packet. */
void sim_outbox_push (SimOutbox *outbox, const SimImportance *importance, uint32_t payload_bytes,
    uint64_t due_ns, uint64_t now_ns);

/* Returns when sim_outbox_update() has a packet to take; UINT64_MAX: never. */
uint64_t sim_outbox_due_ns (const SimOutbox *outbox);

/* Says which packet leaves next. Returns false if none waits. */
bool sim_outbox_peek (const SimOutbox *outbox, uint32_t *payload_bytes, uint64_t *due_ns);

/* That packet leaves. */
void sim_outbox_pop (SimOutbox *outbox, uint64_t now_ns);

/* How many packets have been dropped so far. */
uint64_t sim_outbox_dropped (const SimOutbox *outbox);

#ifdef __cplusplus
}
#endif
#endif
