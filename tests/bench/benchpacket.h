/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The packets of the benchmarks: seven null packets of MPEG-TS with a mark in the first one.
 *
 * The mark says which packet this is and when the packet is due.  Sender and receiver run on one
 * machine, so that the mark has the machine's byte order. */
#ifndef BENCH_PACKET_H
#define BENCH_PACKET_H

#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BENCH_PACKET_BYTES 1316
#define BENCH_TS_BYTES 188
#define BENCH_MARK_OFFSET 4 /* behind the header of the first TS packet */
#define BENCH_MARK_MAGIC UINT64_C (0x6b72616d686e6562)
#define BENCH_MAX_STREAMS 4000

typedef struct
{
  uint64_t magic;
  uint64_t due_ns;   /* CLOCK_REALTIME, as the kernel's time stamps of packets; 0: not known */
  uint32_t stream;   /* from 0 */
  uint32_t number;   /* of the packet in the stream */
  uint32_t measured; /* 1: the packet is due in the time that is measured */
  uint32_t check;    /* of the fields before, so that one wrong bit does not go unnoticed */
} BenchMark;

/* Each bit of a field changes the sum. */
static inline uint32_t
bench_mark_check (const BenchMark *mark)
{
  uint64_t folded = mark->magic ^ mark->due_ns;

  return (uint32_t) folded ^ (uint32_t) (folded >> 32) ^ mark->stream ^ mark->number
      ^ mark->measured;
}

/* Fills a packet with this mark, whose check need not be set. */
static inline void
bench_packet_fill (uint8_t *packet, const BenchMark *mark)
{
  static const uint8_t null_packet[] = { 0x47, 0x1f, 0xff, 0x10 };
  BenchMark checked = *mark;
  size_t i;

  checked.check = bench_mark_check (mark);

  memset (packet, 0, BENCH_PACKET_BYTES);
  for (i = 0; i < BENCH_PACKET_BYTES; i += BENCH_TS_BYTES)
    memcpy (packet + i, null_packet, sizeof null_packet);
  memcpy (packet + BENCH_MARK_OFFSET, &checked, sizeof checked);
}

/* Returns whether there is a mark in a payload, without a wrong bit. */
static inline bool
bench_packet_read (const uint8_t *payload, size_t bytes, BenchMark *mark)
{
  if (bytes < BENCH_MARK_OFFSET + sizeof *mark)
    return false;
  memcpy (mark, payload + BENCH_MARK_OFFSET, sizeof *mark);
  return mark->magic == BENCH_MARK_MAGIC && mark->stream < BENCH_MAX_STREAMS
      && mark->check == bench_mark_check (mark);
}

static inline uint64_t
bench_clock_ns (clockid_t clock)
{
  struct timespec now;

  clock_gettime (clock, &now);
  return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

/* Returns CLOCK_REALTIME less CLOCK_MONOTONIC. */
static inline int64_t
bench_realtime_offset_ns (void)
{
  return (int64_t) (bench_clock_ns (CLOCK_REALTIME) - bench_clock_ns (CLOCK_MONOTONIC));
}

/* Lets this process run before others, if it may.  It stands for another host, which a busy machine
 * must not keep from answering. */
static inline void
bench_run_first (void)
{
  const struct sched_param least = { .sched_priority = 1 };

  (void) !sched_setscheduler (0, SCHED_FIFO, &least);
}

/* The time from one packet of a stream to the next */
static inline uint64_t
bench_spacing_ns (uint64_t rate_bps)
{
  return (uint64_t) BENCH_PACKET_BYTES * 8 * 1000000000 / rate_bps;
}

/* The time by which the packets of a stream come later than those of stream 0: less than a spacing,
 * and spread over it like random numbers, the same in every run */
static inline uint64_t
bench_phase_ns (uint32_t stream, uint64_t spacing_ns)
{
  return (uint64_t) ((uint32_t) (stream * UINT32_C (2654435769))) * spacing_ns >> 32;
}

/* Returns whether the standard input has ended, by which a benchmark ends its programs. */
static inline bool
bench_input_has_ended (void)
{
  struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
  char byte;

  return poll (&input, 1, 0) > 0 && read (STDIN_FILENO, &byte, 1) <= 0;
}

#endif
