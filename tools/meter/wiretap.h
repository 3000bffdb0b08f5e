/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A socket that sees every wanted IPv4 packet on an interface */
#ifndef METER_WIRETAP_H
#define METER_WIRETAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct WireTap WireTap;

/** A captured packet; @a bytes begin with its IP header. */
typedef void (*WireTapFunc) (
    uint64_t time_ns, bool outgoing, const uint8_t *bytes, size_t captured, void *data);

/** Listens on @a interface for UDP packets with at least @a min_udp_bytes of payload.  With @a
 * all_flows also for the headers of all other packets of UDP, TCP and DCCP.  Returns NULL, with
 * a message on stderr, on failure. */
WireTap *wire_tap_new (const char *interface, size_t min_udp_bytes, bool all_flows);
void wire_tap_free (WireTap *tap);

/** Returns a descriptor that is readable when there are packets. */
int wire_tap_fd (const WireTap *tap);

/** Passes all packets that are there to @a func, and returns without waiting for more.  Returns
 * false, with a message on stderr, if the socket has failed. */
bool wire_tap_read (WireTap *tap, WireTapFunc func, void *data);

/** Returns the number of packets so far that the kernel had no room for. */
uint64_t wire_tap_dropped (WireTap *tap);

#endif
