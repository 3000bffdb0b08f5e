/* The process-wide I/O loop: one thread that receives for all streams and calls
 * each at its deadlines.
 *
 * What costs is waking up, so deadlines are served on a grid of a few tens of
 * microseconds, which grows with the number of streams: those that fall into
 * the same cell share a wake-up.  No deadline is served early.
 *
 * After a fork the child's streams get a loop of their own.  Those that it has
 * inherited get no calls there, and can only be freed.
 *
 * The thread starts with the first stream and ends with the last.  It runs
 * under SCHED_FIFO at the lowest priority where the process may do so, unless
 * TFRC_REALTIME=0 is in the environment.  When it is so busy that others could not
 * run, it becomes an ordinary thread, for as long as it lives. */
#ifndef GST_TFRC_LOOP_H
#define GST_TFRC_LOOP_H

#include "socket.h"

G_BEGIN_DECLS

/** A deadline that never comes. */
#define GST_TFRC_IO_NEVER G_MAXUINT64

/** One stream's place in the loop. */
typedef struct _TfrcIo GstTfrcIo;

/** What the loop calls, on its own thread, one at a time, without a lock held.
 * They must not block, and not call gst_tfrc_io_new() or gst_tfrc_io_free().  All are
 * needed. */
typedef struct
{
  /** @a n >= 1 packets have arrived; they are valid during the call.
   * @return the stream's next deadline, or GST_TFRC_IO_NEVER */
  guint64 (*packets) (
      gpointer user_data, const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns);

  /** The deadline has passed.
   * @return the next one, or GST_TFRC_IO_NEVER.  If that has passed too, it is
   *   served after all other streams have had their turn. */
  guint64 (*deadline) (gpointer user_data, guint64 now_ns);

  /** ICMP told about a packet to @a destination, with the errno that stands
   * for it (ECONNREFUSED: nobody has the port open).  The stream goes on.
   * ESHUTDOWN: somebody has shut the socket down, nothing more will arrive. */
  void (*error) (gpointer user_data, gint error, const GstTfrcAddress *destination);
} GstTfrcIoCallbacks;

/** Adds a stream, without a deadline.
 *
 * @param fd a non-blocking datagram socket; it stays the caller's, stays open
 *   until gst_tfrc_io_free(), and is in no other stream
 * @param callbacks copied
 * @return to be freed with gst_tfrc_io_free(), or NULL with @a error set
 *   (G_IO_ERROR)
 *
 * Callbacks may come before this returns.  Any thread but the loop's. */
GstTfrcIo *gst_tfrc_io_new (
    gint fd, const GstTfrcIoCallbacks *callbacks, gpointer user_data, GError **error);

/** Sets the deadline, monotonic time; GST_TFRC_IO_NEVER for none.  One that has
 * passed is served as soon as the grid allows.
 *
 * While a callback of this stream runs, the one it returns and all that were
 * set meanwhile count, and the earliest of them wins.
 *
 * Any thread, also the loop's, and also with locks held that the callbacks
 * take. */
void gst_tfrc_io_set_deadline (GstTfrcIo *io, guint64 deadline_ns);

/** Removes the stream: waits for a callback that runs, and afterwards none
 * does.  With the last stream it also waits until the thread has ended.  NULL
 * is allowed.
 *
 * Any thread but the loop's; without a lock held that a callback takes. */
void gst_tfrc_io_free (GstTfrcIo *io);

/** Tells whether the loop's thread exists. */
gboolean gst_tfrc_io_loop_running (void);

/** Counted since the thread started; all zero if it does not run. */
typedef struct
{
  guint streams;
  guint64 slop_ns; /**< width of the grid */
  guint64 wakeups;
  guint64 deadlines;          /**< served */
  guint64 packets;            /**< received */
  gboolean realtime;          /**< the thread has SCHED_FIFO */
  gboolean realtime_given_up; /**< it had, and was too busy, see
                                 * busyguard.h */
} GstTfrcIoLoopStats;

void gst_tfrc_io_loop_get_stats (GstTfrcIoLoopStats *stats);

G_END_DECLS
#endif
