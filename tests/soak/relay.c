/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The network of the soak test: one UDP relay for many streams, each with a link of its own.
 *
 *   soak-relay --address=ADDRESS --streams=N --seed=N
 *
 * Packets to ADDRESS:21000+i go to 127.0.0.1:21000+i, and what comes back goes to the last sender.
 * Commands come on the standard input, one a line; streams count from 0:
 *
 *   link I KBPS DELAY_MS LOSS REORDERED DUPLICATED DAMAGED FORGED   probabilities from 0 to 1
 *   down I | up I       the link loses all packets, or no longer
 *   rebind I            the sender's address, as the receiver sees it, changes
 *   report              prints a line of JSON: how many packets each link has damaged or forged so far
 *
 * A forged packet is an unprotected repair to the receiver, or an unprotected request for repairs to the sender, with
 * the addresses and SSRCs of the stream.
 *
 * The program ends when its input ends. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <glib.h>

#include "../bench/benchpacket.h"

#define FIRST_PORT 21000
#define MAX_BYTES 2048
#define MAX_EVENTS 64
#define MOVIE_HEADER_BYTES 24                         /* with the first element */
#define REPAIR_HEADER_BYTES 30                        /* with the third, and the original number */
#define QUEUE_NS (100 * G_GUINT64_CONSTANT (1000000)) /* longest wait in the link's queue */
#define REORDERED_NS (15 * G_GUINT64_CONSTANT (1000000))

typedef struct
{
  double kbps, delay_ms, loss, reordered, duplicated, damaged, forged;
  gboolean down;
  guint64 free_ns; /* when the link has sent what is in its queue */
} Link;

typedef struct
{
  guint number;
  int front, back; /* sockets */
  struct sockaddr_in sender, receiver;
  Link link;
  guint damaged;    /* packets to the receiver, also forged ones */
  guint8 movie[12]; /* the RTP header of the newest packet of the movie; all zero: none */
} Stream;

typedef struct
{
  guint64 due_ns;
  Stream *stream;
  gboolean forward; /* to the receiver */
  gsize size;
  guint8 bytes[];
} Datagram;

static gchar *front_address = NULL;
static gint n_streams = 20, seed = 1;
static Stream *streams;
static GSequence *waiting; /* of Datagram, by time */
static GRand *chance;
static int epoll_fd;

static guint64
now_ns (void)
{
  return (guint64) g_get_monotonic_time () * 1000;
}

static gboolean
happens (double probability)
{
  return g_rand_double (chance) < probability;
}

static struct sockaddr_in
address_of (guint32 host, guint port)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons ((guint16) port) };

  address.sin_addr.s_addr = htonl (host);
  return address;
}

/* The event's number is twice the stream's, and one more for the receiver's side. */
static int
open_socket (guint32 host, guint port, guint event)
{
  struct sockaddr_in address = address_of (host, port);
  struct epoll_event wanted = { .events = EPOLLIN, .data.u32 = event };
  int fd = socket (AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0), size = 1 << 20;

  if (fd < 0 || bind (fd, (struct sockaddr *) &address, sizeof address) != 0)
    g_error ("port %u: %s", port, g_strerror (errno));
  setsockopt (fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  if (epoll_ctl (epoll_fd, EPOLL_CTL_ADD, fd, &wanted) != 0)
    g_error ("epoll_ctl: %s", g_strerror (errno));
  return fd;
}

/* ---- the links ------------------------------------------------------------ */

static gint
compare_times (gconstpointer a, gconstpointer b, gpointer data)
{
  guint64 first = ((const Datagram *) a)->due_ns, second = ((const Datagram *) b)->due_ns;

  return first < second ? -1 : first > second;
}

static void
add_datagram (Stream *stream, gboolean forward, const guint8 *bytes, gsize size, guint64 due_ns)
{
  Datagram *datagram = g_malloc (sizeof *datagram + size);

  *datagram = (Datagram){ .due_ns = due_ns, .stream = stream, .forward = forward, .size = size };
  memcpy (datagram->bytes, bytes, size);
  g_sequence_insert_sorted (waiting, datagram, compare_times, NULL);
}

/* Damages the payload or the header.  The receiver's kernel does not notice, as the relay sends the
 * packet anew. */
static void
damage (Stream *stream, guint8 *bytes, gsize size)
{
  bytes[g_rand_int_range (chance, 0, (gint32) size)] ^= (guint8) (1
      << g_rand_int_range (chance, 0, 8));
  stream->damaged++;
}

static void
put_u16 (guint8 *bytes, guint number)
{
  bytes[0] = (guint8) (number >> 8);
  bytes[1] = (guint8) number;
}

/* A number near the newest one of the movie */
static guint
near_newest (const Stream *stream, gint32 first, gint32 end)
{
  return (guint) (stream->movie[2] << 8 | stream->movie[3])
      + (guint) g_rand_int_range (chance, first, end);
}

static gboolean
is_movie (const guint8 *bytes, gsize size)
{
  return size > MOVIE_HEADER_BYTES && bytes[0] == 0x90 && (bytes[1] & 0x7f) == 33
      && bytes[16] == 0x16;
}

/* A repair as in docs/wire-format.md, with what is in the packet that passes, and numbers that could almost be
 * true. */
static void
forge_repair (Stream *stream, const guint8 *bytes, gsize size, guint64 due_ns)
{
  gsize header_bytes = 16 + 4 * (gsize) (bytes[14] << 8 | bytes[15]);
  guint8 forged[MAX_BYTES + REPAIR_HEADER_BYTES];

  if (!is_movie (bytes, size) || header_bytes > size)
    return;
  memcpy (forged, bytes, MOVIE_HEADER_BYTES);
  forged[1] = 97;
  put_u16 (forged + 2, (guint) g_rand_int_range (chance, 0, 65536));
  forged[11] |= 1;
  put_u16 (forged + 14, 3);
  forged[24] = 0x31;
  put_u16 (forged + 25, near_newest (stream, -50, 4));
  forged[27] = 0;
  put_u16 (forged + 28, near_newest (stream, -200, 200));
  memcpy (forged + REPAIR_HEADER_BYTES, bytes + header_bytes, size - header_bytes);
  add_datagram (stream, TRUE, forged, REPAIR_HEADER_BYTES + size - header_bytes, due_ns);
  stream->damaged++;
}

/* A generic NACK of the receiver that has sent this feedback */
static void
forge_request (Stream *stream, const guint8 *bytes, gsize size, guint64 due_ns)
{
  guint8 forged[16] = { 0x81, 205, 0, 3 };

  if (size < 8 || bytes[1] != 205)
    return;
  memcpy (forged + 4, bytes + 4, 4);
  memcpy (forged + 8, stream->movie + 8, 4);
  put_u16 (forged + 12, near_newest (stream, -200, 20));
  put_u16 (forged + 14, (guint) g_rand_int_range (chance, 0, 65536));
  add_datagram (stream, FALSE, forged, sizeof forged, due_ns);
}

static void
carry_forward (Stream *stream, guint8 *bytes, gsize size)
{
  Link *link = &stream->link;
  guint64 now = now_ns (), due;

  if (link->down || happens (link->loss))
    return;
  link->free_ns = MAX (link->free_ns, now);
  if (link->free_ns - now > QUEUE_NS)
    return;
  link->free_ns += (guint64) ((double) size * 8e6 / link->kbps);
  due = link->free_ns + (guint64) (link->delay_ms / 2 * 1e6);
  if (happens (link->reordered))
    due += REORDERED_NS;
  if (happens (link->duplicated))
    add_datagram (stream, TRUE, bytes, size, due);
  if (is_movie (bytes, size))
    memcpy (stream->movie, bytes, sizeof stream->movie);
  if (happens (link->forged))
    forge_repair (stream, bytes, size, due);
  if (happens (link->damaged))
    damage (stream, bytes, size);
  add_datagram (stream, TRUE, bytes, size, due);
}

static void
carry_back (Stream *stream, const guint8 *bytes, gsize size)
{
  guint64 due_ns = now_ns () + (guint64) (stream->link.delay_ms / 2 * 1e6);

  if (stream->link.down || happens (stream->link.loss))
    return;
  add_datagram (stream, FALSE, bytes, size, due_ns);
  if (happens (stream->link.forged))
    forge_request (stream, bytes, size, due_ns);
}

static void
deliver (const Datagram *datagram)
{
  Stream *stream = datagram->stream;
  const struct sockaddr_in *to = datagram->forward ? &stream->receiver : &stream->sender;

  /* A receiver that was killed refuses packets. */
  (void) !sendto (datagram->forward ? stream->back : stream->front, datagram->bytes, datagram->size,
      0, (const struct sockaddr *) to, sizeof *to);
}

/* @return milliseconds until the next datagram is due, -1: none waits */
static int
deliver_due (void)
{
  guint64 now = now_ns ();
  GSequenceIter *first;

  while (!g_sequence_iter_is_end (first = g_sequence_get_begin_iter (waiting))) {
    Datagram *datagram = g_sequence_get (first);

    if (datagram->due_ns > now)
      return (int) ((datagram->due_ns - now) / 1000000) + 1;
    deliver (datagram);
    g_sequence_remove (first);
  }
  return -1;
}

static void
take_packets (guint event)
{
  Stream *stream = &streams[event / 2];
  gboolean forward = event % 2 == 0;
  struct sockaddr_in from;
  guint8 bytes[MAX_BYTES];

  for (;;) {
    socklen_t length = sizeof from;
    ssize_t size = recvfrom (forward ? stream->front : stream->back, bytes, sizeof bytes, 0,
        (struct sockaddr *) &from, &length);

    /* An ICMP error of a receiver that was killed comes as ECONNREFUSED. */
    if (size < 0 && errno == ECONNREFUSED)
      continue;
    if (size <= 0)
      return;
    if (forward) {
      stream->sender = from;
      carry_forward (stream, bytes, (gsize) size);
    } else {
      carry_back (stream, bytes, (gsize) size);
    }
  }
}

/* ---- commands ------------------------------------------------------------- */

static void
report (void)
{
  g_print ("[");
  for (gint i = 0; i < n_streams; i++)
    g_print ("%s%u", i ? "," : "", streams[i].damaged);
  g_print ("]\n");
}

static void
rebind (Stream *stream)
{
  close (stream->back);
  stream->back = open_socket (INADDR_LOOPBACK, 0, stream->number * 2 + 1);
}

static void
obey (const char *line)
{
  char word[16] = "";
  guint number = 0;
  Link set = { 0 };
  int found = sscanf (line, "%15s %u %lf %lf %lf %lf %lf %lf %lf", word, &number, &set.kbps,
      &set.delay_ms, &set.loss, &set.reordered, &set.duplicated, &set.damaged, &set.forged);

  if (g_str_equal (word, "report")) {
    report ();
    return;
  }
  if (found < 2 || number >= (guint) n_streams)
    g_error ("not a command: %s", line);
  if (g_str_equal (word, "link") && found == 9 && set.kbps > 0) {
    set.down = streams[number].link.down;
    streams[number].link = set;
  } else if (g_str_equal (word, "down") || g_str_equal (word, "up")) {
    streams[number].link.down = g_str_equal (word, "down");
  } else if (g_str_equal (word, "rebind")) {
    rebind (&streams[number]);
  } else {
    g_error ("not a command: %s", line);
  }
}

/* @return FALSE at the end of the input */
static gboolean
take_commands (void)
{
  static GString *text = NULL;
  char bytes[4096];
  ssize_t size = read (STDIN_FILENO, bytes, sizeof bytes);
  char *end;

  if (size <= 0)
    return size < 0 && errno == EAGAIN;
  if (text == NULL)
    text = g_string_new (NULL);
  g_string_append_len (text, bytes, size);
  while ((end = strchr (text->str, '\n')) != NULL) {
    *end = '\0';
    obey (text->str);
    g_string_erase (text, 0, end - text->str + 1);
  }
  return TRUE;
}

static void
open_streams (void)
{
  struct epoll_event input = { .events = EPOLLIN, .data.u32 = G_MAXUINT32 };
  struct in_addr front;

  if (inet_aton (front_address, &front) == 0)
    g_error ("not an address: %s", front_address);
  epoll_fd = epoll_create1 (0);
  fcntl (STDIN_FILENO, F_SETFL, O_NONBLOCK);
  if (epoll_fd < 0 || epoll_ctl (epoll_fd, EPOLL_CTL_ADD, STDIN_FILENO, &input) != 0)
    g_error ("epoll: %s", g_strerror (errno));
  streams = g_new0 (Stream, n_streams);
  for (gint i = 0; i < n_streams; i++) {
    Stream *stream = &streams[i];

    stream->number = (guint) i;
    stream->link = (Link){ .kbps = 2000, .delay_ms = 40 };
    stream->receiver = address_of (INADDR_LOOPBACK, FIRST_PORT + (guint) i);
    stream->front = open_socket (ntohl (front.s_addr), FIRST_PORT + (guint) i, (guint) i * 2);
    stream->back = open_socket (INADDR_LOOPBACK, 0, (guint) i * 2 + 1);
  }
}

int
main (int argc, char **argv)
{
  static const GOptionEntry entries[] = {
    { "address", 0, 0, G_OPTION_ARG_STRING, &front_address, "to listen at", "ADDRESS" },
    { "streams", 0, 0, G_OPTION_ARG_INT, &n_streams, "number of streams", "N" },
    { "seed", 0, 0, G_OPTION_ARG_INT, &seed, "of the random numbers", "N" },
    { 0 },
  };
  GOptionContext *context = g_option_context_new (NULL);
  gboolean more = TRUE;
  GError *error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || front_address == NULL
      || n_streams < 1)
    g_error ("%s", error ? error->message : "--address is needed, and at least one stream");
  chance = g_rand_new_with_seed ((guint32) seed);
  waiting = g_sequence_new (g_free);
  open_streams ();
  bench_run_first ();
  setvbuf (stdout, NULL, _IOLBF, 0);
  g_print ("ready\n");
  while (more) {
    struct epoll_event events[MAX_EVENTS];
    int n = epoll_wait (epoll_fd, events, MAX_EVENTS, deliver_due ());

    for (int i = 0; i < n; i++) {
      if (events[i].data.u32 == G_MAXUINT32)
        more = more && take_commands ();
      else
        take_packets (events[i].data.u32);
    }
  }
  return 0;
}
