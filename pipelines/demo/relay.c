/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The path of the demo, in user space: each port is the entry of a bottleneck of its own, and all of them are alike.
 *
 *   demo-relay [OPTION...] ENTRY:RECEIVER...      two ports of 127.0.0.1
 *
 * A packet to ENTRY waits in a drop-tail queue for the link, takes half of the round-trip time, is lost with a
 * probability, and reaches RECEIVER.  What RECEIVER sends back has only the delay.  For a part of the time a model of
 * one greedy TCP flow (Reno, experiments/simlink/simreno.h) shares queue, link and losses.  Times count from the
 * first packet of the movie.
 *
 * The program ends with its standard input, and prints a line of JSON for each bottleneck then.  start_ns is when the
 * first packet of the movie came, CLOCK_REALTIME. */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <glib.h>

#include "simreno.h"

#define MAX_PATHS 8
#define MAX_BYTES 2048
#define MOVIE_BYTES 1316 /* seven packets of a transport stream, at the end of a datagram */
#define TS_BYTES 188
#define UDP_HEADER_BYTES 28 /* and IPv4's */
#define TCP_BYTES 1500
#define SECOND_NS G_GUINT64_CONSTANT (1000000000)

typedef struct
{
  guint64 due_ns;
  guint64 tcp; /* number of a packet of the TCP flow, or of the one that it ACKs; 0: the stream's */
  gsize size;
  guint8 bytes[];
} Packet;

typedef struct
{
  int front, back; /* sockets, towards the sender and the receiver */
  struct sockaddr_in sender, receiver;
  GQueue leaving;            /* times at which the packets in the queue have left it, guint64 */
  GQueue forward, backwards; /* of Packet, on the way */
  guint64 free_ns;           /* when the link has sent what is in its queue */
  GRand *chance;
  gint64 start_ns; /* of the movie, CLOCK_REALTIME; 0: not yet */
  SimReno reno;
  guint64 tcp_begin_ns, tcp_end_ns;
  guint packets, dropped, lost;             /* of the stream, towards the receiver */
  guint tcp_packets, tcp_dropped, tcp_lost; /* of the TCP flow */
} Path;

static gint rate_kbps = 2000, queue_packets = 25, rtt_ms = 40, seed = 1;
static gint tcp_begin_s = 0, tcp_end_s = 0;
static gdouble loss_percent = 0;
static Path paths[MAX_PATHS];
static gint n_paths;

static guint64
now_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (guint64) now.tv_sec * SECOND_NS + (guint64) now.tv_nsec;
}

static guint64
one_way_ns (void)
{
  return (guint64) rtt_ms * SECOND_NS / 2000;
}

static Packet *
new_packet (guint64 tcp, const guint8 *bytes, gsize size)
{
  Packet *packet = g_malloc (sizeof *packet + size);

  *packet = (Packet){ .tcp = tcp, .size = size };
  if (size > 0)
    memcpy (packet->bytes, bytes, size);
  return packet;
}

/* ---- the bottleneck --------------------------------------------------------- */

static gboolean
queue_is_full (Path *path, guint64 now)
{
  guint64 *leaves;

  while ((leaves = g_queue_peek_head (&path->leaving)) != NULL && *leaves <= now)
    g_free (g_queue_pop_head (&path->leaving));
  return g_queue_get_length (&path->leaving) >= (guint) queue_packets;
}

/* Takes the packet. */
static void
enter_link (Path *path, Packet *packet, gsize wire_bytes, guint64 now, guint *dropped, guint *lost)
{
  if (queue_is_full (path, now)) {
    ++*dropped;
    g_free (packet);
    return;
  }
  path->free_ns = MAX (path->free_ns, now) + (guint64) wire_bytes * 8000000 / (guint64) rate_kbps;
  g_queue_push_tail (&path->leaving, g_memdup2 (&path->free_ns, sizeof path->free_ns));
  if (g_rand_double (path->chance) * 100 < loss_percent) {
    ++*lost;
    g_free (packet);
    return;
  }
  packet->due_ns = path->free_ns + one_way_ns ();
  g_queue_push_tail (&path->forward, packet);
}

static gboolean
is_movie (const guint8 *bytes, gsize size)
{
  const guint8 *movie = bytes + size - MOVIE_BYTES;

  return size >= MOVIE_BYTES && movie[0] == 0x47 && movie[TS_BYTES] == 0x47;
}

static void
start_movie (Path *path, guint64 now)
{
  path->start_ns = g_get_real_time () * 1000;
  path->tcp_begin_ns = now + (guint64) tcp_begin_s * SECOND_NS;
  path->tcp_end_ns = now + (guint64) tcp_end_s * SECOND_NS;
  sim_reno_init (&path->reno, path->tcp_begin_ns);
}

static void
take_packets (Path *path, gboolean forward)
{
  guint8 bytes[MAX_BYTES];
  struct sockaddr_in from;
  socklen_t length = sizeof from;
  ssize_t size;

  while ((size = recvfrom (forward ? path->front : path->back, bytes, sizeof bytes, MSG_DONTWAIT,
              (struct sockaddr *) &from, &length))
          > 0
      || (size < 0 && errno == ECONNREFUSED)) {
    guint64 now = now_ns ();
    Packet *packet;

    if (size < 0)
      continue; /* the ICMP error of an end that is not there */
    packet = new_packet (0, bytes, (gsize) size);
    if (!forward) {
      packet->due_ns = now + one_way_ns ();
      g_queue_push_tail (&path->backwards, packet);
      continue;
    }
    path->sender = from;
    if (path->start_ns == 0 && is_movie (bytes, (gsize) size))
      start_movie (path, now);
    path->packets++;
    enter_link (path, packet, (gsize) size + UDP_HEADER_BYTES, now, &path->dropped, &path->lost);
  }
}

/* ---- the TCP flow ----------------------------------------------------------- */

static gboolean
tcp_is_on (const Path *path, guint64 now)
{
  return path->start_ns != 0 && now >= path->tcp_begin_ns && now < path->tcp_end_ns;
}

static void
run_tcp (Path *path, guint64 now)
{
  if (!tcp_is_on (path, now))
    return;
  sim_reno_on_timeout (&path->reno, now);
  while (sim_reno_may_send (&path->reno, now)) {
    path->tcp_packets++;
    enter_link (path, new_packet (sim_reno_send (&path->reno), NULL, 0), TCP_BYTES, now,
        &path->tcp_dropped, &path->tcp_lost);
  }
}

/* ---- delivery --------------------------------------------------------------- */

static void
deliver (Path *path, gboolean forward, const Packet *packet, guint64 now)
{
  const struct sockaddr_in *to = forward ? &path->receiver : &path->sender;

  if (packet->tcp == 0) {
    /* An end that has gone refuses packets. */
    (void) !sendto (forward ? path->back : path->front, packet->bytes, packet->size, 0,
        (const struct sockaddr *) to, sizeof *to);
  } else if (forward) {
    Packet *ack = new_packet (packet->tcp, NULL, 0);

    ack->due_ns = packet->due_ns + one_way_ns ();
    g_queue_push_tail (&path->backwards, ack);
  } else {
    sim_reno_on_ack (&path->reno, packet->tcp, now);
  }
}

/* @return the time of the next packet that is due, G_MAXUINT64: none is under way */
static guint64
deliver_due (Path *path, gboolean forward, guint64 now)
{
  GQueue *queue = forward ? &path->forward : &path->backwards;
  Packet *packet;

  while ((packet = g_queue_peek_head (queue)) != NULL && packet->due_ns <= now) {
    g_queue_pop_head (queue);
    deliver (path, forward, packet, now);
    g_free (packet);
  }
  return packet ? packet->due_ns : G_MAXUINT64;
}

/* @return the time at which the path has something to do again */
static guint64
run_path (Path *path)
{
  guint64 now = now_ns (), next;

  next = deliver_due (path, TRUE, now);
  next = MIN (next, deliver_due (path, FALSE, now));
  run_tcp (path, now);
  if (tcp_is_on (path, now))
    next = MIN (next, MIN (sim_reno_next_ns (&path->reno), path->tcp_end_ns));
  else if (path->start_ns != 0 && now < path->tcp_begin_ns)
    next = MIN (next, path->tcp_begin_ns);
  /* What TCP has just sent is due later than anything else. */
  return g_queue_is_empty (&path->forward) ? next : MIN (next, now + one_way_ns ());
}

/* ---- the program ------------------------------------------------------------ */

static int
open_socket (guint port)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons ((guint16) port) };
  int fd = socket (AF_INET, SOCK_DGRAM, 0), size = 1 << 20;

  address.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  if (fd < 0 || bind (fd, (struct sockaddr *) &address, sizeof address) != 0) {
    g_printerr ("demo-relay: port %u: %s\n", port, g_strerror (errno));
    exit (EXIT_FAILURE);
  }
  setsockopt (fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  return fd;
}

static gboolean
open_path (const gchar *ports)
{
  Path *path = &paths[n_paths++];
  guint entry, receiver;

  if (sscanf (ports, "%u:%u", &entry, &receiver) != 2 || entry > 65535 || receiver > 65535)
    return FALSE;
  path->front = open_socket (entry);
  path->back = open_socket (0);
  path->receiver = (struct sockaddr_in){ .sin_family = AF_INET,
    .sin_port = htons ((guint16) receiver),
    .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  path->sender = path->receiver; /* nobody gets anything back before the sender has sent */
  path->chance = g_rand_new_with_seed ((guint32) seed);
  return TRUE;
}

static void
wait_for_packets (guint64 next)
{
  struct pollfd fds[2 * MAX_PATHS + 1];
  guint64 now = now_ns (), wait = next > now ? next - now : 0;
  struct timespec limit = { .tv_sec = (time_t) (wait / SECOND_NS),
    .tv_nsec = (long) (wait % SECOND_NS) };

  for (gint i = 0; i < n_paths; i++) {
    fds[2 * i] = (struct pollfd){ .fd = paths[i].front, .events = POLLIN };
    fds[2 * i + 1] = (struct pollfd){ .fd = paths[i].back, .events = POLLIN };
  }
  fds[2 * n_paths] = (struct pollfd){ .fd = STDIN_FILENO, .events = POLLIN };
  (void) !ppoll (fds, (nfds_t) (2 * n_paths + 1), &limit, NULL);
}

static gboolean
input_has_ended (void)
{
  struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
  char bytes[64];

  return poll (&input, 1, 0) > 0 && read (STDIN_FILENO, bytes, sizeof bytes) <= 0;
}

static void
report (const Path *path)
{
  g_print ("{\"start_ns\": %" G_GINT64_FORMAT ", \"packets\": %u, \"dropped\": %u, \"lost\": %u, "
           "\"tcp_packets\": %u, \"tcp_dropped\": %u, \"tcp_lost\": %u}\n",
      path->start_ns, path->packets, path->dropped, path->lost, path->tcp_packets,
      path->tcp_dropped, path->tcp_lost);
}

int
main (int argc, char **argv)
{
  static const GOptionEntry entries[] = {
    { "rate", 0, 0, G_OPTION_ARG_INT, &rate_kbps, "of the link in kbit/s (2000)", "KBPS" },
    { "queue", 0, 0, G_OPTION_ARG_INT, &queue_packets, "that wait for the link (25)", "PACKETS" },
    { "rtt", 0, 0, G_OPTION_ARG_INT, &rtt_ms, "round-trip time (40)", "MS" },
    { "loss", 0, 0, G_OPTION_ARG_DOUBLE, &loss_percent, "random loss (0)", "PERCENT" },
    { "seed", 0, 0, G_OPTION_ARG_INT, &seed, "of the random loss (1)", "N" },
    { "tcp-begin", 0, 0, G_OPTION_ARG_INT, &tcp_begin_s, "of the TCP flow (0)", "S" },
    { "tcp-end", 0, 0, G_OPTION_ARG_INT, &tcp_end_s, "of the TCP flow; 0: there is none", "S" },
    { 0 },
  };
  GOptionContext *context = g_option_context_new ("ENTRY:RECEIVER...");
  gboolean good;

  g_option_context_add_main_entries (context, entries, NULL);
  good = g_option_context_parse (context, &argc, &argv, NULL) && argc > 1 && argc <= MAX_PATHS + 1
      && rate_kbps > 0 && queue_packets > 0 && rtt_ms > 0;
  for (gint i = 1; good && i < argc; i++)
    good = open_path (argv[i]);
  if (!good) {
    g_printerr ("%s", g_option_context_get_help (context, TRUE, NULL));
    return 2;
  }
  g_print ("ready\n");
  fflush (stdout);
  while (!input_has_ended ()) {
    guint64 next = now_ns () + SECOND_NS;

    for (gint i = 0; i < n_paths; i++) {
      take_packets (&paths[i], TRUE);
      take_packets (&paths[i], FALSE);
      next = MIN (next, run_path (&paths[i]));
    }
    wait_for_packets (next);
  }
  for (gint i = 0; i < n_paths; i++)
    report (&paths[i]);
  return 0;
}
