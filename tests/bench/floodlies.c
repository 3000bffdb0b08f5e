/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "floodlies.h"

#include <math.h>
#include <netinet/udp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <tfrc/wire.h>

#include "benchpacket.h"

#define OWN_SSRC UINT32_C (0x6d616c69)
#define BATCH 64         /* as many as the kernel cuts apart */
#define LIE_BYTES 64     /* of feedback with state */
#define AHEAD_US 1000000 /* of the newest packet: not sent yet, however late this is read */
#define TICK_NS 1000000
#define MAX_DUE_S 0.003   /* a thread that had no processor for longer catches up no more */
#define MAX_ARRIVALS 1024 /* a power of two */

typedef struct
{
  uint64_t time_ns;
  uint32_t send_time_us;
} Arrival;

/* What is known of the victim */
typedef struct
{
  struct sockaddr_in address;
  uint32_t ssrc;
  uint16_t first_seq;
  uint32_t packets; /* have come */
  Arrival arrivals[MAX_ARRIVALS];
} Victim;

struct FloodLies
{
  int socket;
  uint64_t delay_ns, pps;
  bool is_aside, has_thread;
  struct sockaddr_in aside;
  pthread_t thread;
  pthread_mutex_t lock; /* of all that follows but the last three */
  Victim victim;
  uint32_t number; /* of the last feedback */
  bool has_to_end;
  uint64_t next_ns, started_ns, sent;
};

FloodLies *
flood_lies_new (int socket, uint64_t delay_ns, uint64_t pps, const struct sockaddr_in *aside)
{
  FloodLies *lies = calloc (1, sizeof *lies);
  pthread_mutexattr_t attributes;

  if (lies == NULL)
    exit (3);
  lies->socket = socket;
  lies->delay_ns = delay_ns;
  lies->pps = pps;
  lies->is_aside = aside != NULL;
  if (aside != NULL)
    lies->aside = *aside;
  /* The thread that answers has real-time priority, and must not wait for that of the flood. */
  pthread_mutexattr_init (&attributes);
  pthread_mutexattr_setprotocol (&attributes, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init (&lies->lock, &attributes);
  pthread_mutexattr_destroy (&attributes);
  return lies;
}

void
flood_lies_free (FloodLies *lies)
{
  if (lies == NULL)
    return;
  pthread_mutex_destroy (&lies->lock);
  free (lies);
}

void
flood_lies_take (FloodLies *lies, const uint8_t *packet, size_t bytes,
    const struct sockaddr_in *from, uint64_t arrival_ns)
{
  Victim *victim = &lies->victim;
  TfrcWireData wire;

  if (tfrc_wire_parse_data (packet, bytes, &wire) != TFRC_WIRE_OK || !wire.has_rtt_sendts)
    return;
  pthread_mutex_lock (&lies->lock);
  if (victim->packets == 0)
    victim->first_seq = wire.seq;
  victim->arrivals[victim->packets++ % MAX_ARRIVALS] = (Arrival){ arrival_ns, wire.send_time_us };
  victim->address = *from;
  victim->ssrc = wire.ssrc;
  pthread_mutex_unlock (&lies->lock);
}

/* ---- feedback ------------------------------------------------------------ */

/* Fills in the newest packet that came a round-trip time ago.  Returns false if there is none. */
static bool
name_packet (FloodLies *lies, uint64_t now_ns, TfrcFeedback *report)
{
  const Victim *victim = &lies->victim;
  uint32_t i, known = victim->packets < MAX_ARRIVALS ? victim->packets : MAX_ARRIVALS;

  for (i = 1; i <= known; i++) {
    const Arrival *arrival = &victim->arrivals[(victim->packets - i) % MAX_ARRIVALS];
    uint64_t age_ns = now_ns - arrival->time_ns;

    if (age_ns < lies->delay_ns)
      continue;
    report->recv_data_us = arrival->send_time_us;
    report->delay_us = (uint32_t) ((age_ns - lies->delay_ns) / 1000);
    return true;
  }
  return false;
}

static size_t
write_feedback (FloodLies *lies, TfrcFeedback *report, uint8_t *buffer)
{
  const Victim *victim = &lies->victim;
  TfrcWireState state = { 0 };

  report->has_state = true;
  state.highest_seq = victim->first_seq + victim->packets - 1;
  state.packets_lost = (uint32_t) (victim->packets * FLOOD_LIES_P);
  state.loss_events = report->loss_events = state.packets_lost;
  state.feedback_number = report->number = ++lies->number;
  return tfrc_wire_write_feedback (buffer, OWN_SSRC, victim->ssrc, report, &state);
}

void
flood_lies_send_losses (FloodLies *lies, uint64_t now_ns)
{
  uint8_t buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcFeedback report = { .p = FLOOD_LIES_P, .x_recv_Bps = UINT32_MAX };
  size_t bytes;

  if (now_ns < lies->next_ns)
    return;
  pthread_mutex_lock (&lies->lock);
  if (name_packet (lies, now_ns, &report)) {
    lies->next_ns = now_ns + lies->delay_ns;
    bytes = write_feedback (lies, &report, buffer);
    (void) !sendto (lies->socket, buffer, bytes, MSG_DONTWAIT,
        (const struct sockaddr *) &lies->victim.address, sizeof lies->victim.address);
  }
  pthread_mutex_unlock (&lies->lock);
}

/* ---- the flood ----------------------------------------------------------- */

/* Writes a packet of LIE_BYTES. */
static void
write_challenge (uint32_t value, uint8_t *buffer)
{
  uint8_t data[TFRC_WIRE_PATH_DATA_BYTES] = { 0 };

  memcpy (data, &value, sizeof value);
  tfrc_wire_write_path_challenge (buffer, LIE_BYTES, OWN_SSRC, data);
}

static void
write_garbage (uint32_t value, uint8_t *buffer)
{
  size_t i;

  for (i = 0; i < LIE_BYTES; i++)
    buffer[i] = (uint8_t) ((value = value * 1664525 + 1013904223) >> 24);
}

static void
write_false_feedback (FloodLies *lies, bool is_optimistic, uint64_t now_ns, uint8_t *buffer)
{
  TfrcFeedback report = { .x_recv_Bps = UINT32_MAX };

  name_packet (lies, now_ns, &report);
  if (is_optimistic) {
    report.recv_data_us += (uint32_t) (lies->delay_ns / 1000) + AHEAD_US;
    report.delay_us = 0;
  }
  write_feedback (lies, &report, buffer);
}

static void
write_lie (FloodLies *lies, uint32_t turn, uint64_t now_ns, uint8_t *buffer)
{
  switch (turn % 4) {
    case 0:
      write_garbage (turn, buffer);
      break;
    case 1:
      write_challenge (turn, buffer);
      break;
    default:
      write_false_feedback (lies, turn % 4 == 2, now_ns, buffer);
  }
}

/* Sends @bytes as packets of LIE_BYTES.  The kernel cuts them apart at the other end of a veth pair, so
 * that a flood costs little here.  Returns whether they have left. */
static bool
send_cut (int fd, const struct sockaddr_in *to, const uint8_t *packets, size_t bytes)
{
  const uint16_t segment = LIE_BYTES;
  union
  {
    struct cmsghdr header;
    uint8_t bytes[CMSG_SPACE (sizeof segment)];
  } control = { .header = { .cmsg_len = CMSG_LEN (sizeof segment),
                    .cmsg_level = SOL_UDP,
                    .cmsg_type = UDP_SEGMENT } };
  struct iovec part = { (void *) packets, bytes };
  struct msghdr message = { .msg_name = (void *) to,
    .msg_namelen = sizeof *to,
    .msg_iov = &part,
    .msg_iovlen = 1,
    .msg_control = &control,
    .msg_controllen = sizeof control };

  memcpy (CMSG_DATA (&control.header), &segment, sizeof segment);
  return sendmsg (fd, &message, 0) >= 0;
}

/* Returns how many of @n packets have left. */
static unsigned
send_lies (FloodLies *lies, unsigned n)
{
  uint8_t packets[BATCH * LIE_BYTES];
  struct sockaddr_in to;
  uint64_t now_ns = bench_clock_ns (CLOCK_MONOTONIC);
  unsigned i;

  pthread_mutex_lock (&lies->lock);
  to = lies->is_aside ? lies->aside : lies->victim.address;
  for (i = 0; i < n; i++)
    write_lie (lies, (uint32_t) lies->sent + i, now_ns, packets + i * LIE_BYTES);
  pthread_mutex_unlock (&lies->lock);
  return send_cut (lies->socket, &to, packets, n * LIE_BYTES) ? n : 0;
}

static bool
has_to_end (FloodLies *lies)
{
  bool end;

  pthread_mutex_lock (&lies->lock);
  end = lies->has_to_end;
  pthread_mutex_unlock (&lies->lock);
  return end;
}

/* The flood is no part of the host that feedback comes from: it runs as an ordinary thread. */
static void *
flood (void *data)
{
  const struct timespec tick = { .tv_nsec = TICK_NS };
  const struct sched_param ordinary = { .sched_priority = 0 };
  FloodLies *lies = data;
  uint64_t last_ns = lies->started_ns;
  double due = 0;

  (void) !sched_setscheduler (0, SCHED_OTHER, &ordinary);
  while (!has_to_end (lies)) {
    uint64_t now_ns = bench_clock_ns (CLOCK_MONOTONIC);
    unsigned n;

    due += (double) lies->pps * (double) (now_ns - last_ns) / 1e9;
    due = fmin (due, MAX_DUE_S * (double) lies->pps + 1);
    last_ns = now_ns;
    if (lies->pps > 0 && due < 1) {
      clock_nanosleep (CLOCK_MONOTONIC, 0, &tick, NULL);
      continue;
    }
    n = send_lies (lies, lies->pps > 0 && due < BATCH ? (unsigned) due : BATCH);
    lies->sent += n;
    due -= n;
  }
  return NULL;
}

void
flood_lies_start (FloodLies *lies)
{
  lies->started_ns = bench_clock_ns (CLOCK_MONOTONIC);
  if (pthread_create (&lies->thread, NULL, flood, lies) != 0)
    exit (3);
  lies->has_thread = true;
}

double
flood_lies_stop (FloodLies *lies)
{
  if (!lies->has_thread)
    return 0;
  pthread_mutex_lock (&lies->lock);
  lies->has_to_end = true;
  pthread_mutex_unlock (&lies->lock);
  pthread_join (lies->thread, NULL);
  lies->has_thread = false;
  return (double) lies->sent * 1e9 / (double) (bench_clock_ns (CLOCK_MONOTONIC) - lies->started_ns);
}
