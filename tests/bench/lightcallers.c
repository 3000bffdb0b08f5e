/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lightcallers.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "arrivaltime.h"
#include "benchpacket.h"

#define AGAIN_NS UINT64_C (1000000000) /* between two calls of a caller that gets nothing */
#define CALLS_AT_ONCE 4 /* in each millisecond: calls come over time, as those of people do */
#define BATCH 16
#define PACKET_BYTES 2048
#define SOCKET_BYTES (1024 * 1024)

/* The call and its answer, docs/wire-format.md */
#define CALL_BYTES 28
#define ANSWER_BYTES 28
#define COOKIE_BYTES 8
static const uint8_t call_head[] = { 0x85, 204, 0, CALL_BYTES / 4 - 1 };
static const uint8_t answer_head[] = { 0x86, 204 };
enum
{
  SSRC_AT = 4,
  NAME_AT = 8,
  NUMBER_AT = 12,
  CALL_COOKIE_AT = 16,
  ANSWER_KIND_AT = 16,
  ANSWER_COOKIE_AT = 20
};

typedef struct
{
  int socket;
  bool has_data;
  uint64_t call_ns; /* when it calls next */
  uint8_t call[CALL_BYTES];
} Caller;

struct LightCallers
{
  uint32_t n;
  int epoll;
  Caller callers[];
};

static void
fail (const char *what)
{
  perror (what);
  exit (1);
}

static int
open_socket (const struct sockaddr_in *sender)
{
  int fd = socket (AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1,
      bytes = SOCKET_BYTES;

  if (fd < 0 || connect (fd, (const struct sockaddr *) sender, sizeof *sender) != 0
      || setsockopt (fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0)
    fail ("a caller's socket");
  if (setsockopt (fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0)
    setsockopt (fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  return fd;
}

static void
write_call (Caller *self, uint32_t number)
{
  memcpy (self->call, call_head, sizeof call_head);
  memcpy (self->call + SSRC_AT, "call", 4);
  memcpy (self->call + NAME_AT, "TFRC", 4);
  memcpy (self->call + NUMBER_AT, &number, sizeof number);
}

LightCallers *
light_callers_new (uint32_t n, const char *address, uint16_t port)
{
  LightCallers *self = calloc (1, sizeof *self + n * sizeof (Caller));
  struct sockaddr_in sender = { .sin_family = AF_INET, .sin_port = htons (port) };
  struct rlimit files = { n + 64, n + 64 };
  uint32_t i;

  (void) !setrlimit (RLIMIT_NOFILE, &files);
  if (self == NULL)
    exit (3);
  if (inet_pton (AF_INET, address, &sender.sin_addr) != 1
      || (self->epoll = epoll_create1 (EPOLL_CLOEXEC)) < 0)
    fail (address);
  self->n = n;
  for (i = 0; i < n; i++) {
    struct epoll_event event = { .events = EPOLLIN, .data.u32 = i };

    self->callers[i].socket = open_socket (&sender);
    write_call (&self->callers[i], i + 1);
    if (epoll_ctl (self->epoll, EPOLL_CTL_ADD, self->callers[i].socket, &event) != 0)
      fail ("epoll_ctl");
  }
  return self;
}

void
light_callers_free (LightCallers *self)
{
  uint32_t i;

  if (self == NULL)
    return;
  for (i = 0; i < self->n; i++)
    close (self->callers[i].socket);
  close (self->epoll);
  free (self);
}

int
light_callers_socket (const LightCallers *self, uint32_t caller)
{
  return self->callers[caller].socket;
}

/* A cookie is called with at once. */
static void
on_answer (Caller *self, const uint8_t *packet, size_t bytes)
{
  if (bytes != ANSWER_BYTES || packet[ANSWER_KIND_AT] != 0 || packet[ANSWER_KIND_AT + 1] != 0)
    return;
  memcpy (self->call + CALL_COOKIE_AT, packet + ANSWER_COOKIE_AT, COOKIE_BYTES);
  self->call_ns = 0;
}

static void
receive_from (Caller *self, uint32_t number, LightCallersTake take, void *user)
{
  static uint8_t packets[BATCH][PACKET_BYTES];
  static union
  {
    struct cmsghdr aligned;
    uint8_t bytes[128];
  } controls[BATCH];
  struct iovec parts[BATCH];
  struct mmsghdr messages[BATCH];
  int i, n;

  memset (messages, 0, sizeof messages);
  for (i = 0; i < BATCH; i++) {
    parts[i] = (struct iovec){ packets[i], PACKET_BYTES };
    messages[i].msg_hdr.msg_iov = &parts[i];
    messages[i].msg_hdr.msg_iovlen = 1;
    messages[i].msg_hdr.msg_control = &controls[i];
    messages[i].msg_hdr.msg_controllen = sizeof controls[i];
  }
  n = recvmmsg (self->socket, messages, BATCH, MSG_DONTWAIT, NULL);
  for (i = 0; i < n; i++) {
    if (messages[i].msg_len >= sizeof answer_head
        && memcmp (packets[i], answer_head, sizeof answer_head) == 0) {
      on_answer (self, packets[i], messages[i].msg_len);
      continue;
    }
    self->has_data = true;
    take (user, number, packets[i], messages[i].msg_len, bench_arrival_ns (&messages[i].msg_hdr));
  }
}

void
light_callers_receive (LightCallers *self, LightCallersTake take, void *user)
{
  struct epoll_event events[256];
  int i, n;

  do {
    n = epoll_wait (self->epoll, events, 256, 0);
    for (i = 0; i < n; i++)
      receive_from (&self->callers[events[i].data.u32], events[i].data.u32, take, user);
  } while (n == 256);
}

void
light_callers_call (LightCallers *self, uint64_t now_ns)
{
  uint32_t i, calls = 0;

  for (i = 0; i < self->n && calls < CALLS_AT_ONCE; i++) {
    Caller *caller = &self->callers[i];

    if (caller->has_data || caller->call_ns > now_ns)
      continue;
    caller->call_ns = now_ns + AGAIN_NS;
    calls++;
    /* A call that cannot be sent is lost, as in a network. */
    (void) !send (caller->socket, caller->call, CALL_BYTES, MSG_DONTWAIT);
  }
}
