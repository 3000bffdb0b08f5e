/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lightfeedback.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <tfrc/tfrc.h>
#include <tfrc/wire.h>

#include "benchpacket.h"

#define OWN_SSRC UINT32_C (0x62656e63)
/* At most one packet in 10 ms waits for each stream and each 10 ms of delay; more than that are
 * lost. */
#define MAX_WAITING (BENCH_MAX_STREAMS * 16)

typedef struct
{
  TfrcReceiver *receiver; /* NULL: nothing has come yet */
  uint32_t ssrc;
  int socket;
  struct sockaddr_in address; /* of family AF_UNSPEC: the socket is connected */
} Stream;

typedef struct
{
  uint64_t time_ns;
  int socket;
  struct sockaddr_in address;
  uint16_t bytes;
  uint8_t packet[TFRC_WIRE_MAX_RTCP_BYTES];
} Waiting;

struct LightFeedback
{
  uint64_t delay_ns;
  Stream streams[BENCH_MAX_STREAMS];
  uint32_t n_streams; /* the highest number of a stream, and one */
  Waiting *waiting;   /* a ring: all have the same delay */
  uint32_t first, n_waiting;
};

LightFeedback *
light_feedback_new (uint64_t delay_ns)
{
  LightFeedback *feedback = calloc (1, sizeof *feedback);

  if (feedback == NULL || (feedback->waiting = calloc (MAX_WAITING, sizeof (Waiting))) == NULL)
    exit (3);
  feedback->delay_ns = delay_ns;
  return feedback;
}

void
light_feedback_free (LightFeedback *feedback)
{
  uint32_t i;

  if (feedback == NULL)
    return;
  for (i = 0; i < feedback->n_streams; i++)
    tfrc_receiver_free (feedback->streams[i].receiver);
  free (feedback->waiting);
  free (feedback);
}

void
light_feedback_take (LightFeedback *feedback, int socket, uint32_t number, const uint8_t *packet,
    size_t bytes, const struct sockaddr_in *from, uint64_t arrival_ns)
{
  Stream *stream = &feedback->streams[number];
  TfrcWireData wire;
  TfrcData data;

  if (tfrc_wire_parse_data (packet, bytes, &wire) != TFRC_WIRE_OK || !wire.has_rtt_sendts)
    return;
  if (stream->receiver == NULL && tfrc_receiver_new (&stream->receiver, NULL) != TFRC_OK)
    exit (3);
  if (number >= feedback->n_streams)
    feedback->n_streams = number + 1;
  stream->ssrc = wire.ssrc;
  stream->socket = socket;
  stream->address = from ? *from : (struct sockaddr_in){ .sin_family = AF_UNSPEC };
  memset (&data, 0, sizeof data);
  tfrc_wire_get_data (&wire, &data);
  data.size_bytes = (uint32_t) wire.payload_bytes;
  tfrc_receiver_on_data (stream->receiver, &data, arrival_ns, NULL);
}

static void
make (LightFeedback *feedback, Stream *stream, uint64_t now_ns)
{
  Waiting *waiting;
  TfrcFeedback report;
  TfrcReceiverStats stats;
  TfrcWireState state = { 0 };

  if (stream->receiver == NULL || tfrc_receiver_next_feedback_ns (stream->receiver) > now_ns
      || !tfrc_receiver_make_feedback (stream->receiver, now_ns, &report)
      || feedback->n_waiting == MAX_WAITING)
    return;
  tfrc_receiver_get_stats (stream->receiver, &stats);
  state.highest_seq = (uint32_t) stats.highest_seq;
  state.packets_lost = (uint32_t) stats.packets_lost;
  state.loss_events = report.loss_events;
  state.feedback_number = report.number;
  waiting = &feedback->waiting[(feedback->first + feedback->n_waiting++) % MAX_WAITING];
  waiting->time_ns = now_ns + feedback->delay_ns;
  waiting->socket = stream->socket;
  waiting->address = stream->address;
  waiting->bytes = (uint16_t) tfrc_wire_write_feedback (
      waiting->packet, OWN_SSRC, stream->ssrc, &report, &state);
}

void
light_feedback_send (LightFeedback *feedback, uint64_t now_ns)
{
  uint32_t i;

  for (i = 0; i < feedback->n_streams; i++)
    make (feedback, &feedback->streams[i], now_ns);
  while (feedback->n_waiting > 0 && feedback->waiting[feedback->first].time_ns <= now_ns) {
    const Waiting *waiting = &feedback->waiting[feedback->first];

    /* A packet that cannot be sent is lost, as in a network. */
    (void) !sendto (waiting->socket, waiting->packet, waiting->bytes, MSG_DONTWAIT,
        waiting->address.sin_family == AF_UNSPEC ? NULL
                                                 : (const struct sockaddr *) &waiting->address,
        waiting->address.sin_family == AF_UNSPEC ? 0 : sizeof waiting->address);
    feedback->first = (feedback->first + 1) % MAX_WAITING;
    feedback->n_waiting--;
  }
}
