/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Feedback of many TFRC receivers without GStreamer: libtfrc without a loop of its own */
#ifndef BENCH_LIGHT_FEEDBACK_H
#define BENCH_LIGHT_FEEDBACK_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

typedef struct LightFeedback LightFeedback;

/* Each feedback packet leaves @delay_ns after it was made, as if it came over a long way.  Ends the process if there
 * is no memory. */
LightFeedback *light_feedback_new (uint64_t delay_ns);
void light_feedback_free (LightFeedback *feedback);

/* A packet of RTP or RTCP has come to a UDP socket, by which it is answered, from @from at @arrival_ns, of
 * CLOCK_MONOTONIC.  @from NULL: the socket is connected.  @stream is below BENCH_MAX_STREAMS. */
void light_feedback_take (LightFeedback *feedback, int socket, uint32_t stream,
    const uint8_t *packet, size_t bytes, const struct sockaddr_in *from, uint64_t arrival_ns);

/* Makes and sends what is due.  To be called once a millisecond. */
void light_feedback_send (LightFeedback *feedback, uint64_t now_ns);

#endif
