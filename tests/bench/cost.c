/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU time of the library, compared with that of sending.  The sender and the receiver may each
 * take at most a tenth of one sendto() of the same packet, with a loss classifier as well.  The cost
 * of a loss must not depend on the number of packets before it.
 *
 * One process measures everything in turns.  The result is the median of many rounds, so that
 * other work on the machine hardly matters. */
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <tfrc/tfrc.h>

#include "cost.h"

#define PACKET_BYTES 1340
#define BATCH 64           /* packets that a socket's buffer can take */
#define LIBRARY_BATCH 1024 /* packets, enough for reading the clock hardly to count */
#define WORST_COST 0.1
#define LOSSES 16 /* that are measured together */
#define WORST_LOSS_RATIO 1.5
#define WORST_CLASSIFIER_RATIO 3.0

/* ---- sendto ------------------------------------------------------------ */

typedef struct
{
  int from, to;
  struct sockaddr_in address;
} Sockets;

static void
open_sockets (Sockets *sockets)
{
  socklen_t size = sizeof sockets->address;

  memset (sockets, 0, sizeof *sockets);
  sockets->from = socket (AF_INET, SOCK_DGRAM, 0);
  sockets->to = socket (AF_INET, SOCK_DGRAM, 0);
  REQUIRE (sockets->from >= 0 && sockets->to >= 0);
  sockets->address.sin_family = AF_INET;
  sockets->address.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  REQUIRE (bind (sockets->to, (struct sockaddr *) &sockets->address, size) == 0);
  REQUIRE (getsockname (sockets->to, (struct sockaddr *) &sockets->address, &size) == 0);
}

static double
cost_of_sendto (const Sockets *sockets)
{
  static char packet[PACKET_BYTES];
  double begin = now_ns (), end;
  int i;

  for (i = 0; i < BATCH; i++)
    REQUIRE (sendto (sockets->from, packet, sizeof packet, 0,
                 (const struct sockaddr *) &sockets->address, sizeof sockets->address)
        == PACKET_BYTES);
  end = now_ns ();
  while (recv (sockets->to, packet, sizeof packet, MSG_DONTWAIT) >= 0)
    ;
  return (end - begin) / BATCH;
}

/* ---- sender ------------------------------------------------------------ */

static TfrcSender *
sender_in_steady_state (uint64_t *now)
{
  TfrcSender *sender;
  TfrcData data;
  TfrcFeedback feedback = { 0 };
  int i;

  REQUIRE (tfrc_sender_new (&sender, NULL) == TFRC_OK);
  feedback.x_recv_Bps = 10000000;
  for (i = 0; i < 20; i++) {
    if (*now < tfrc_sender_next_send_ns (sender))
      *now = tfrc_sender_next_send_ns (sender);
    REQUIRE (tfrc_sender_prepare (sender, SEGMENT_BYTES, *now, &data) == TFRC_OK);
    *now += 50 * MS;
    feedback.recv_data_us = data.send_time_us;
    feedback.p = 0.001;
    REQUIRE (tfrc_sender_on_feedback (sender, &feedback, *now) == TFRC_OK);
  }
  return sender;
}

static double
cost_of_sender (TfrcSender *sender, uint64_t *now)
{
  double begin = now_ns ();
  TfrcData data;
  int i;

  for (i = 0; i < LIBRARY_BATCH; i++) {
    uint64_t next = tfrc_sender_next_send_ns (sender);

    if (*now < next)
      *now = next;
    REQUIRE (tfrc_sender_prepare (sender, SEGMENT_BYTES, *now, &data) == TFRC_OK);
  }
  return (now_ns () - begin) / LIBRARY_BATCH;
}

/* ---- receiver ---------------------------------------------------------- */

typedef struct
{
  TfrcReceiver *receiver;
  TfrcData data;
  uint64_t now;
} Receiving;

static void
start_receiving (Receiving *r, TfrcLossClassifier classifier)
{
  TfrcReceiverConfig config;

  memset (r, 0, sizeof *r);
  tfrc_receiver_config_init (&config);
  config.loss_classifier = classifier;
  REQUIRE (tfrc_receiver_new (&r->receiver, &config) == TFRC_OK);
  r->data.has_tfrc = true;
  r->data.rtt_us = 50000;
  r->data.size_bytes = SEGMENT_BYTES;
}

static inline void
arrive (Receiving *r)
{
  r->now += MS;
  r->data.seq++;
  r->data.send_time_us += 1000;
  REQUIRE (tfrc_receiver_on_data (r->receiver, &r->data, r->now, NULL) == TFRC_OK);
}

static void
serve_timer (Receiving *r)
{
  TfrcFeedback feedback;

  if (tfrc_receiver_next_feedback_ns (r->receiver) <= r->now)
    tfrc_receiver_make_feedback (r->receiver, r->now, &feedback);
}

/* Loses @n packets, each before @distance packets that arrive. */
static void
have_losses (Receiving *r, int n, int distance)
{
  int i;

  while (n-- > 0) {
    r->data.seq++;
    for (i = 0; i < distance; i++) {
      arrive (r);
      serve_timer (r);
    }
  }
}

static double
cost_of_receiver (Receiving *r)
{
  double begin = now_ns ();
  int i;

  for (i = 0; i < LIBRARY_BATCH; i++)
    arrive (r);
  return (now_ns () - begin) / LIBRARY_BATCH;
}

/* Returns the time to process the three packets that confirm a loss, which includes the new loss
 * event and the new p: the mean of LOSSES losses, the first after that many packets.
 *
 * The first loss after many packets costs up to twice as much as the next one although the work is the
 * same, because the processor has forgotten the branches and the caches hold other things.  The mean
 * has a sixteenth of that, which leaves the limit far away.  A search through the packets before the
 * loss, at a nanosecond for each, would make the mean 6 us. */
static double
cost_of_loss (Receiving *r, int packets_before)
{
  double sum = 0;

  have_losses (r, 1, packets_before);
  for (int i = 0; i < LOSSES; i++) {
    TfrcReceiverStats before, after;
    double begin;

    tfrc_receiver_get_stats (r->receiver, &before);
    r->data.seq++;
    begin = now_ns ();
    arrive (r);
    arrive (r);
    arrive (r);
    sum += now_ns () - begin;
    tfrc_receiver_get_stats (r->receiver, &after);
    REQUIRE (after.packets_lost == before.packets_lost + 1);
    REQUIRE (after.loss_events == before.loss_events + 1);
    for (int k = 0; k < 100; k++) {
      arrive (r);
      serve_timer (r);
    }
  }
  return sum / LOSSES;
}

/* ---- measurement ------------------------------------------------------- */

int
main (void)
{
  static double sendto_ns[ROUNDS], sender_ns[ROUNDS], receiver_ns[ROUNDS], classifying_ns[ROUNDS],
      short_ns[ROUNDS], long_ns[ROUNDS];
  Sockets sockets;
  Receiving in_order, classifying, with_short, with_long;
  uint64_t now = 1000 * MS;
  TfrcSender *sender = sender_in_steady_state (&now);
  double sendto_median, sender_median, receiver_median, classifying_median, short_median,
      long_median;
  int i, missed = 0;

  open_sockets (&sockets);
  start_receiving (&in_order, TFRC_LOSS_CLASSIFIER_NONE);
  start_receiving (&classifying, TFRC_LOSS_CLASSIFIER_SPIKE);
  start_receiving (&with_short, TFRC_LOSS_CLASSIFIER_NONE);
  start_receiving (&with_long, TFRC_LOSS_CLASSIFIER_NONE);
  have_losses (&in_order, 20, 1000);
  have_losses (&classifying, 20, 1000);
  have_losses (&with_short, 100, 100);
  have_losses (&with_long, 100, 100);
  for (i = 0; i < ROUNDS; i++) {
    sendto_ns[i] = cost_of_sendto (&sockets);
    sender_ns[i] = cost_of_sender (sender, &now);
    receiver_ns[i] = cost_of_receiver (&in_order);
    classifying_ns[i] = cost_of_receiver (&classifying);
    long_ns[i] = cost_of_loss (&with_long, 100000);
    short_ns[i] = cost_of_loss (&with_short, 100);
  }
  sendto_median = median (sendto_ns, ROUNDS);
  sender_median = median (sender_ns, ROUNDS);
  receiver_median = median (receiver_ns, ROUNDS);
  classifying_median = median (classifying_ns, ROUNDS);
  short_median = median (short_ns, ROUNDS);
  long_median = median (long_ns, ROUNDS);

  printf ("%-52s %6.0f ns\n", "sendto of 1340 bytes", sendto_median);
  printf ("%-52s %6.0f ns\n", "sender: next_send and prepare", sender_median);
  printf ("%-52s %6.0f ns\n", "receiver: on_data in order", receiver_median);
  printf (
      "%-52s %6.0f ns\n", "receiver with a loss classifier: on_data in order", classifying_median);
  printf ("%-52s %6.0f ns\n", "loss after 100 packets", short_median);
  printf ("%-52s %6.0f ns\n", "loss after 100000 packets", long_median);
  missed |= judge ("sender / sendto", sender_median / sendto_median, WORST_COST);
  missed |= judge ("receiver / sendto", receiver_median / sendto_median, WORST_COST);
  missed |= judge (
      "receiver with a loss classifier / sendto", classifying_median / sendto_median, WORST_COST);
  missed |= judge ("receiver with / without a loss classifier",
      classifying_median / receiver_median, WORST_CLASSIFIER_RATIO);
  missed |= judge (
      "loss after 100000 / after 100 packets", long_median / short_median, WORST_LOSS_RATIO);

  tfrc_sender_free (sender);
  tfrc_receiver_free (in_order.receiver);
  tfrc_receiver_free (classifying.receiver);
  tfrc_receiver_free (with_short.receiver);
  tfrc_receiver_free (with_long.receiver);
  close (sockets.from);
  close (sockets.to);
  return missed;
}
