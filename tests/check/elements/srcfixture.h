/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver, and a peer that sends numbered payloads to it. */
#ifndef SRCFIXTURE_H
#define SRCFIXTURE_H

#include "tfrctest.h"

#define NEVER_IN_A_TEST "latency=3600000 "

/* A receiver, a peer that sends to it, and the payloads */
typedef struct
{
  TestReceiver *receiver;
  TestPeer *peer;
  GBytes *movie;
  const guint8 *ts;
} Fixture;

#define N_PAYLOADS 40

static inline Fixture
fixture_new (const gchar *properties)
{
  Fixture f = { test_receiver_new (properties), test_peer_new (0), test_movie (7 * N_PAYLOADS, 9),
    NULL };

  f.ts = g_bytes_get_data (f.movie, NULL);
  return f;
}

static inline void
fixture_free (Fixture *f)
{
  test_receiver_free (f->receiver);
  test_peer_free (f->peer);
  g_bytes_unref (f->movie);
}

/* Sends the payload with this number; the number is the sequence number too. */
static inline void
send_payload (Fixture *f, guint i)
{
  test_peer_send_data_at (
      f->peer, f->receiver->port, (guint16) (65530 + i), f->ts + i * PAYLOAD_BYTES, PAYLOAD_BYTES);
}

/* Exactly these payloads come out; the list ends with -1. */
static inline void
fail_unless_out (Fixture *f, const gint *numbers)
{
  GByteArray *expected = g_byte_array_new ();
  GBytes *wanted;

  for (; *numbers >= 0; numbers++)
    g_byte_array_append (expected, f->ts + *numbers * PAYLOAD_BYTES, PAYLOAD_BYTES);
  wanted = g_byte_array_free_to_bytes (expected);
  test_receiver_wait_movie (f->receiver, wanted);
  g_bytes_unref (wanted);
}

static inline gboolean
has_discont (Fixture *f, guint i)
{
  gboolean discont;

  g_mutex_lock (&f->receiver->lock);
  discont = g_array_index (f->receiver->buffers, TestBuffer, i).discont;
  g_mutex_unlock (&f->receiver->lock);
  return discont;
}

#endif
