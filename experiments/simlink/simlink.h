/* TFRC and TCP flows over one simulated drop-tail link, in virtual time.  The
 * simulator of tests and of experiments that need no more of a network. */
#ifndef SIMLINK_H
#define SIMLINK_H

#include <glib.h>
#include <tfrc/tfrc.h>

#include "simreno.h"

G_BEGIN_DECLS

#define SIM_MS (G_GUINT64_CONSTANT (1000000))
#define SIM_SECOND (1000 * SIM_MS)
#define SIM_MAX_FLOWS 4

/* Every packet is full: 1316 bytes of RTP payload, and what the headers of
 * RTP, UDP and IP add */
#define SIM_SEGMENT_BYTES 1316
#define SIM_WIRE_BYTES (SIM_SEGMENT_BYTES + 24 + 28)

/* The way to the receiver; feedback and ACKs take delay_ns, are never queued,
 * and are lost only while the link is down.  Jitter is another delay for each
 * packet, uniform from 0 on, and none overtakes another. */
typedef struct
{
  double rate_bps;
  guint queue_packets;        /* together with the one in service */
  guint64 delay_ns;           /* one way */
  guint64 jitter_ns;          /* of data: at most so much longer */
  guint64 feedback_jitter_ns; /* of feedback */
  double loss;                /* probability that a packet is lost */
  double reorder;             /* ... that it is delayed */
  double feedback_reorder;    /* ... and the same of feedback */
  guint64 reorder_delay_ns;   /* ... by so much */
  double duplicate;           /* ... that it arrives a second time */
  guint64 down_ns, up_ns;     /* from .. to nothing gets through */
} SimLink;

typedef struct
{
  TfrcSender *sender;
  TfrcReceiver *receiver;
  guint64 start_ns;

  /* What there is to send: a movie, for ever from its beginning, or packets at
   * times of their own, once; both NULL: always something */
  const guint *frames; /* packets of each */
  guint n_frames;
  guint64 frame_ns;           /* between frames */
  const guint64 *schedule_ns; /* from start_ns on, each packet a frame */
  guint n_scheduled;

  guint64 frames_played;
  guint64 waiting; /* packets in the sender's buffer */
  guint64 max_waiting;
  guint64 max_wait_ns;             /* from its frame until a packet left */
  GQueue due_us;                   /* when the frame of each waiting packet was */
  guint64 sent, dropped, received; /* packets */
} SimFlow;

typedef struct
{
  SimLink link;
  guint8 link_number;        /* of the link in use, as data has it */
  guint64 link_free_ns[256]; /* when the last packet queued will have left */
  SimFlow flows[SIM_MAX_FLOWS];
  guint n_flows;
  SimReno renos[SIM_MAX_FLOWS];
  guint n_renos;
  guint64 now;

  /* Called for what is put on the way, which they may change; NULL: nothing
   * but what the link does */
  gboolean (*loses_feedback) (TfrcFeedback *feedback, gpointer user);
  gboolean (*loses_data) (TfrcData *data, gpointer user);
  /* Called when a packet of a movie leaves the sender */
  void (*leaves) (guint64 due_ns, guint64 now_ns, gpointer user);
  gpointer user;
  GRand *rand;
  GSequence *on_the_way;                     /* SimPacket */
  guint64 last_arrival_ns, last_feedback_ns; /* of those with jitter */
} Sim;

Sim *sim_new (const SimLink *link, guint seed);
void sim_free (Sim *sim);

/* NULL: the default configuration */
SimFlow *sim_add_flow (Sim *sim, const TfrcSenderConfig *config, guint64 start_ns);
SimFlow *sim_add_flow_to (Sim *sim, const TfrcSenderConfig *config,
    const TfrcReceiverConfig *receiver_config, guint64 start_ns);

SimReno *sim_add_reno (Sim *sim, guint64 start_ns);

/* From now on packets and feedback go over another link, which may have been
 * in use before; what is on the way still arrives over the last one. */
void sim_switch_link (Sim *sim, const SimLink *link, guint8 number);

void sim_run_until (Sim *sim, guint64 until_ns);

/* Runs for that time; returns the share of the link's rate that each flow has
 * got meanwhile. */
void sim_measure (Sim *sim, guint64 duration_ns, double *shares);

TfrcSenderStats sim_sender_stats (const SimFlow *flow);
TfrcReceiverStats sim_receiver_stats (const SimFlow *flow);

G_END_DECLS

#endif
