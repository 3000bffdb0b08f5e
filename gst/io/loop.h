/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The I/O loops of the process: the thread of each receives for its streams and calls each of them
 * at its deadlines.  Up to 300 streams share one loop and one thread.
 *
 * A new stream joins the loop with the least load: one that is not busy before one that is
 * (looplimits.h), then one with fewer streams.  If even this loop is busy or has 300 streams, a further
 * loop starts, up to TFRC_THREADS in the environment or one for each processor (looplimits.h).
 * All sockets of one stream are on one loop, so that the callbacks of a stream come one after the
 * other.  Callbacks of other streams may run at the same time.  A stream never changes its loop.
 *
 * Each wake-up of the thread costs CPU.  So the loop serves deadlines on a grid: deadlines in the
 * same cell share a wake-up.  A cell is 50 us wide or more, with more streams in the loop up to 1 ms.
 * If all streams are patient, it grows sooner, up to 4 ms.
 * The loop serves no deadline early.  A thread that sets a deadline sets a timer if the loop would sleep
 * for too long, so that the loop wakes up once, at the deadline.
 *
 * Packets are read as soon as they come, unless they come often (looppace.h): then the loop reads
 * once in a cell.  A socket of a sink is read up to a limit in each millisecond (looppace.h).
 *
 * After fork(2) the child has no loop, and new streams of the child get loops of their own.  A socket
 * that the child has inherited is on the parent's loop: the child must not use its GstTfrcIo, nor free
 * it.
 *
 * The thread starts with the first stream of the loop and ends with the last.  The thread runs under
 * SCHED_FIFO at the lowest priority if the process may do so, unless TFRC_REALTIME=0 is in the
 * environment.  A thread that is so busy that other threads could not run becomes an ordinary
 * thread, and stays so.
 *
 * A stream has one deadline, which is the earliest of these:
 *
 *   deadline of a sink's stream               the table of timers in gst/flow/sendflow.c
 *
 * The deadline of a source's stream is the earliest of the timers of its flow, which
 * gst/flow/receiveflow.c has in a table, and of those of the stream itself: statistics, a group of
 * packets is to leave, the old socket of a migration is idle. */
#ifndef GST_TFRC_LOOP_H
#define GST_TFRC_LOOP_H

#include "socket.h"
#include "turnstile.h"

G_BEGIN_DECLS

/** A deadline that never comes. */
#define GST_TFRC_IO_NEVER G_MAXUINT64

/** A registered socket, with its callbacks and its deadline. */
typedef struct _GstTfrcIo GstTfrcIo;

/** The functions that the loop calls on its own thread, one function at a time in each loop,
 * without a lock held.  The functions must not block, and must not call gst_tfrc_io_new() or
 * gst_tfrc_io_free().  All are needed. */
typedef struct
{
  /** @a n >= 1 packets have arrived; they are valid during the call.
   * @return the stream's next deadline, or GST_TFRC_IO_NEVER */
  guint64 (*packets) (
      gpointer user_data, const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns);

  /** The deadline has passed.
   * @return the next deadline, or GST_TFRC_IO_NEVER.  A deadline that has passed, too, is served
   *   after all other streams have had their turn. */
  guint64 (*deadline) (gpointer user_data, guint64 now_ns);

  /** An ICMP error has come for a packet to @a destination.
   * @param error the errno for it (ECONNREFUSED: the port is closed; ETIME: the TTL was too small);
   *   the stream goes on.
   *   ESHUTDOWN: the socket was shut down, and nothing more will come */
  void (*error) (gpointer user_data, gint error, const GstTfrcAddress *destination);
} GstTfrcIoCallbacks;

/** Registers a socket, without a deadline.
 *
 * @param fd a non-blocking datagram socket; the caller's, who keeps the socket open until
 *   gst_tfrc_io_free() and does not register it twice
 * @param beside a socket of the same stream, on whose loop the new one goes, and which is not freed
 *   before this returns; NULL: the loop with the least load
 * @param callbacks copied
 * @return to be freed with gst_tfrc_io_free(), or NULL with @a error set
 *   (G_IO_ERROR)
 *
 * Callbacks may come before this returns.  Any thread but that of a loop. */
GstTfrcIo *gst_tfrc_io_new (gint fd, const GstTfrcIo *beside, const GstTfrcIoCallbacks *callbacks,
    gpointer user_data, GError **error);

/** Sets the deadline.
 * @param deadline_ns monotonic time; GST_TFRC_IO_NEVER: none.  A deadline that has passed is
 *   served as soon as the grid allows
 *
 * When a callback of this socket returns, the earliest of the deadline that it returns and of
 * those that were set meanwhile counts.
 *
 * Any thread, also that of a loop, and also with locks held that the callbacks take. */
void gst_tfrc_io_set_deadline (GstTfrcIo *io, guint64 deadline_ns);

/** Says whether the stream can be served late: by up to 4 ms instead of 1 ms.  The cells of a loop are
 * wider if all of its streams can.  A new one cannot.
 *
 * Any thread, also that of a loop, and also with locks held that the callbacks take. */
void gst_tfrc_io_set_patient (GstTfrcIo *io, gboolean patient);

/** Says that little should come to this socket, such as feedback: the loop reads no more than
 * GST_TFRC_READ_BUDGET packets and ICMP errors in a millisecond (looppace.h).  A new one has no limit.
 *
 * Any thread, also that of a loop, and also with locks held that the callbacks take. */
void gst_tfrc_io_limit_reads (GstTfrcIo *io);

/** Returns the turnstile of the streams of a loop, which lasts until gst_tfrc_io_free().  Any thread. */
GstTfrcTurnstile *gst_tfrc_io_get_turnstile (GstTfrcIo *io);

/** Removes the socket: waits for a callback that runs; afterwards there is none.  With the last
 * socket of a loop it also waits until the thread has ended.  NULL is allowed.
 *
 * Any thread but that of a loop; without a lock held that a callback takes. */
void gst_tfrc_io_free (GstTfrcIo *io);

/** Returns whether the thread of any loop exists. */
gboolean gst_tfrc_io_loop_running (void);

/** Returns how many sockets all loops have: the more there are, the more it pays to do work together.
 *
 * Any thread, also with locks held. */
guint gst_tfrc_io_count_streams (void);

/** Of one loop, counted since its thread started, or of all loops that run; all zero if none runs. */
typedef struct
{
  guint loops; /**< that run */
  guint streams;
  guint64 slop_ns; /**< width of the grid; of all loops: the widest */
  guint64 wakeups;
  guint64 deadlines;          /**< served */
  guint64 packets;            /**< received */
  gboolean realtime;          /**< a thread has SCHED_FIFO */
  gboolean realtime_given_up; /**< a thread had SCHED_FIFO, and was too busy (looppace.h) */
} GstTfrcIoLoopStats;

/** Returns the statistics of all loops together.  Any thread. */
void gst_tfrc_io_loop_get_stats (GstTfrcIoLoopStats *stats);

/** Returns the statistics of each loop, in no particular order.
 * @param stats for @a max loops
 * @return how many there are, at most @a max
 *
 * Any thread. */
guint gst_tfrc_io_loop_get_each_stats (GstTfrcIoLoopStats *stats, guint max);

G_END_DECLS
#endif
