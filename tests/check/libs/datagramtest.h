/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets between sockets of a test. */
#ifndef DATAGRAMTEST_H
#define DATAGRAMTEST_H

#include <poll.h>
#include <string.h>

#include "gst/common/clock.h"
#include "testnet.h"

#define TIMEOUT_MS 20000 /* the time is reached only if the test fails */

static GstTfrcReceiveBatch *batch;

static inline void
setup (void)
{
  batch = gst_tfrc_receive_batch_new ();
}

static inline void
teardown (void)
{
  gst_tfrc_receive_batch_free (batch);
}

static inline void
send_text (gint fd, const GstTfrcAddress *to, const gchar *text)
{
  GstTfrcSendItem item = { .data = (const guint8 *) text, .size = strlen (text) };
  gint error;

  fail_unless_equals_int (gst_tfrc_socket_send (fd, to, NULL, &item, 1, &error), 1);
  fail_unless_equals_int (error, 0);
}

static inline void
wait_for (gint fd, gshort events)
{
  struct pollfd pollfd = { fd, events, 0 };

  fail_unless_equals_int (poll (&pollfd, 1, TIMEOUT_MS), 1);
  fail_unless (pollfd.revents & events);
}

static inline const GstTfrcReceivedPacket *
receive_one (gint fd)
{
  const GstTfrcReceivedPacket *packets;
  guint64 now_ns;

  wait_for (fd, POLLIN);
  fail_unless_equals_int (gst_tfrc_receive_batch_read (batch, fd, 0, &packets, &now_ns), 1);
  fail_unless (packets->arrival_ns <= now_ns);
  fail_unless (now_ns <= gst_tfrc_clock_now_ns ());
  return packets;
}

static inline void
assert_text (const GstTfrcReceivedPacket *packet, const gchar *text)
{
  fail_unless_equals_int (packet->size, strlen (text));
  fail_unless (memcmp (packet->data, text, packet->size) == 0);
}

/* The errors that a socket has told */
typedef struct
{
  guint n;
  gint error;
  GstTfrcAddress destination;
} SeenError;

/* For gst_tfrc_socket_read_errors(): notes the last error and counts. */
static inline void
note_error (gpointer user_data, gint error, const GstTfrcAddress *destination)
{
  SeenError *seen = user_data;

  seen->n++;
  seen->error = error;
  seen->destination = *destination;
}

#endif
