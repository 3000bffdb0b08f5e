/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Feedback of many TFRC receivers without GStreamer: libtfrc behind one socket */
#ifndef BENCH_LIGHT_FEEDBACK_H
#define BENCH_LIGHT_FEEDBACK_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

typedef struct LightFeedback LightFeedback;

/* @socket: a UDP socket.  Each feedback packet leaves @delay_ns after it was made, as if it came over
 * a long way.  Ends the process if there is no memory. */
LightFeedback *light_feedback_new (int socket, uint64_t delay_ns);
void light_feedback_free (LightFeedback *feedback);

/* A packet of RTP or RTCP has come from @from at @arrival_ns, of CLOCK_MONOTONIC.  @stream is below
 * BENCH_MAX_STREAMS. */
void light_feedback_take (LightFeedback *feedback, uint32_t stream, const uint8_t *packet,
    size_t bytes, const struct sockaddr_in *from, uint64_t arrival_ns);

/* Makes and sends what is due.  To be called once a millisecond. */
void light_feedback_send (LightFeedback *feedback, uint64_t now_ns);

#endif
