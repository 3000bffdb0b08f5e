/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TFRC and TCP flows over one simulated drop-tail link, in virtual time.  For tests, and for
 * experiments that need no larger network. */
#ifndef SIMLINK_H
#define SIMLINK_H

#include <glib.h>
#include <tfrc/tfrc.h>

#include "simreno.h"

G_BEGIN_DECLS

#define SIM_MS (G_GUINT64_CONSTANT (1000000))
#define SIM_SECOND (1000 * SIM_MS)
#define SIM_MAX_FLOWS 4

/* Every packet is full: 1316 bytes of RTP payload, plus the headers of RTP, UDP and IP */
#define SIM_SEGMENT_BYTES 1316
#define SIM_WIRE_BYTES (SIM_SEGMENT_BYTES + 24 + 28)

/* The link to the receiver.  Feedback and ACKs take delay_ns, are not queued, and are lost only
 * while the link is down.  Jitter is an extra delay of each packet, uniform from 0 on. */
typedef struct
{
  double rate_bps;
  guint queue_packets;        /* including the packet in service */
  guint64 delay_ns;           /* one way */
  guint64 jitter_ns;          /* of data: the largest extra delay */
  guint64 feedback_jitter_ns; /* the same for feedback */
  gboolean jitter_reorders;   /* else no packet overtakes another by jitter */
  double loss;                /* probability that a packet is lost */
  double reorder;             /* probability that a packet is delayed */
  double feedback_reorder;    /* probability that feedback is delayed */
  guint64 reorder_delay_ns;   /* extra delay of those packets */
  double duplicate;           /* probability that a packet arrives twice */
  guint64 down_ns, up_ns;     /* no packet gets through between these times */
} SimLink;

typedef struct
{
  TfrcSender *sender;
  TfrcReceiver *receiver;
  guint64 start_ns;
  guint64 grid_ns; /* the sender sends only at multiples of this time; 0: at any time */

  /* The data to send: a movie that loops forever (frames), or packets at given times, once
   * (schedule_ns).  If both are NULL, there is always data. */
  const guint *frames; /* number of packets of each frame */
  guint n_frames;
  guint64 frame_ns;           /* between frames */
  const guint64 *schedule_ns; /* times after start_ns; each packet is a frame */
  guint n_scheduled;

  guint64 frames_played;
  guint64 waiting; /* packets in the sender's buffer */
  guint64 max_waiting;
  guint64 max_wait_ns;             /* longest time from a frame until its packet left */
  GQueue due_us;                   /* due time of each waiting packet's frame */
  guint64 sent, dropped, received; /* packets */
} SimFlow;

typedef struct
{
  SimLink link;
  guint8 link_number;        /* of the link in use, as data packets carry it */
  guint64 link_free_ns[256]; /* when the last queued packet leaves the link */
  SimFlow flows[SIM_MAX_FLOWS];
  guint n_flows;
  SimReno renos[SIM_MAX_FLOWS];
  guint n_renos;
  guint64 now;

  /* Called for each packet of feedback or data before it enters the link; may change the packet.
   * TRUE: it is lost.  NULL: only the link loses packets. */
  gboolean (*loses_feedback) (TfrcFeedback *feedback, gpointer user);
  gboolean (*loses_data) (TfrcData *data, gpointer user);
  /* Called when a packet of a movie leaves the sender */
  void (*leaves) (guint64 due_ns, guint64 now_ns, gpointer user);
  gpointer user;
  GRand *rand;
  GSequence *on_the_way;                     /* SimPacket */
  guint64 last_arrival_ns, last_feedback_ns; /* of packets with jitter */
} Sim;

Sim *sim_new (const SimLink *link, guint seed);
void sim_free (Sim *sim);

/* config may be NULL for the default configuration */
SimFlow *sim_add_flow (Sim *sim, const TfrcSenderConfig *config, guint64 start_ns);
SimFlow *sim_add_flow_to (Sim *sim, const TfrcSenderConfig *config,
    const TfrcReceiverConfig *receiver_config, guint64 start_ns);

SimReno *sim_add_reno (Sim *sim, guint64 start_ns);

/* From now on, packets and feedback use another link, which may have been in use before.
 * Packets under way still arrive over the last link. */
void sim_switch_link (Sim *sim, const SimLink *link, guint8 number);

void sim_run_until (Sim *sim, guint64 until_ns);

/* Runs for this time.  Sets the share of the link's rate that each flow has got in that time. */
void sim_measure (Sim *sim, guint64 duration_ns, double *shares);

TfrcSenderStats sim_sender_stats (const SimFlow *flow);
TfrcReceiverStats sim_receiver_stats (const SimFlow *flow);

G_END_DECLS

#endif
