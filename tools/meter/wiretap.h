/* A socket that sees every IPv4 packet of the wanted kind on an interface. */
#ifndef METER_WIRETAP_H
#define METER_WIRETAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct WireTap WireTap;

/** A packet as it was seen: @a bytes begin with its IP header. */
typedef void (*WireTapFunc) (
    uint64_t time_ns, bool outgoing, const uint8_t *bytes, size_t captured, void *data);

/** Listens on @a interface for UDP packets with at least @a min_udp_bytes of
 * payload; @a all_flows: and for the headers of all others of UDP, TCP and
 * DCCP.  NULL: it cannot, and has said so on stderr. */
WireTap *wire_tap_new (const char *interface, size_t min_udp_bytes, bool all_flows);
void wire_tap_free (WireTap *tap);

/** Becomes readable when there are packets. */
int wire_tap_fd (const WireTap *tap);

/** Hands out what is there, and returns without waiting for more.  False: the
 * socket has failed, which has been said on stderr. */
bool wire_tap_read (WireTap *tap, WireTapFunc func, void *data);

/** Packets that the kernel had no room for, so far. */
uint64_t wire_tap_dropped (WireTap *tap);

#endif
