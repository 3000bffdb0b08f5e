/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the fuzz targets of both sessions: addresses, and random numbers that are the same
 * in every run. */
#ifndef SESSIONEVENTS_H
#define SESSIONEVENTS_H

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <tfrc/wire.h>

#include "gst/io/datagrams.h"
#include "gst/common/events.h"
#include "events.h"

#define SECOND UINT64_C (1000000000)

/* Far more rounds than a session needs when it behaves; more rounds mean an endless loop */
#define MAX_ROUNDS 64

static uint64_t random_state;

static inline uint64_t
next_random (void)
{
  random_state = random_state * UINT64_C (6364136223846793005) + UINT64_C (1442695040888963407);
  return random_state >> 32;
}

/* These two functions replace those of the libraries. */
__attribute__ ((visibility ("default"))) guint32
g_random_int (void)
{
  return (guint32) next_random ();
}

__attribute__ ((visibility ("default"))) ssize_t
getrandom (void *buffer, size_t size, unsigned flags)
{
  uint8_t *bytes = buffer;

  for (size_t i = 0; i < size; i++)
    bytes[i] = (uint8_t) next_random ();
  return (ssize_t) size;
}

#define N_ADDRESSES 7

/* Address 0 is the peer's first address.  Address 1 is another port of that host.  Address 6 is
 * multicast, so no sender has it. */
static inline GstTfrcAddress
make_address (unsigned number)
{
  static const uint8_t hosts[N_ADDRESSES] = { 1, 1, 2, 3, 4, 5, 0 };
  struct sockaddr_in v4 = { 0 };
  GstTfrcAddress address;

  v4.sin_family = AF_INET;
  v4.sin_port = htons (number == 1 ? 5005 : 5004);
  v4.sin_addr.s_addr = number == 6 ? htonl (0xe0000001) : htonl (0xc0000200 + hosts[number]);
  gst_tfrc_address_from_sockaddr (&address, (struct sockaddr *) &v4, sizeof v4);
  return address;
}

/* Takes all events. Returns whether one of this kind was among them. */
static inline gboolean
take_events (GstTfrcEvents *events, GstTfrcEventKind kind)
{
  gboolean found = FALSE;
  GstTfrcEvent event;

  while (gst_tfrc_events_take (events, &event))
    found |= event.kind == kind;
  return found;
}

#endif
