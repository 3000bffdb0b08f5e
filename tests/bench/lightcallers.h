/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Many callers of one sender that listens, each with a port of its own, without GStreamer */
#ifndef BENCH_LIGHT_CALLERS_H
#define BENCH_LIGHT_CALLERS_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

typedef struct LightCallers LightCallers;

/* A packet has come to a caller. @time_ns: the kernel's, of CLOCK_REALTIME */
typedef void (*LightCallersTake) (
    void *user, uint32_t caller, const uint8_t *packet, size_t bytes, uint64_t time_ns);

/* @address: the sender's, in dotted form. Ends the process if there is no memory or no socket. */
LightCallers *light_callers_new (uint32_t n, const char *address, uint16_t port);
void light_callers_free (LightCallers *callers);

/* A caller's socket, which is connected to the sender. */
int light_callers_socket (const LightCallers *callers, uint32_t caller);

/* Takes all that has come. Answers to calls are the callers' own. */
void light_callers_receive (LightCallers *callers, LightCallersTake take, void *user);

/* Calls again for all that no data has come to. To be called once a millisecond. */
void light_callers_call (LightCallers *callers, uint64_t now_ns);

#endif
