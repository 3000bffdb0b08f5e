/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The network between a sender and a receiver, as a host of its own: the sender sends to the wire's
 * port, and the receiver is sent to from another port of the wire.  A thread passes the packets on.
 * A test can look at each packet, delay all, treat their ECN fields badly, and add packets from a
 * third address. */
#ifndef TEST_WIRE_H
#define TEST_WIRE_H

#include <gst/check/gstcheck.h>

#include <tfrc/wire.h>

#include "gst/io/socket.h"

typedef struct _TestWire TestWire;

/* Sees a packet before it is passed on, on the wire's thread.  Returns whether the packet is passed
 * on. */
typedef gboolean (*TestWireTap) (
    TestWire *wire, gboolean to_receiver, const guint8 *data, gsize size, gpointer user);

/* What becomes of packets with ECT */
typedef enum
{
  TEST_WIRE_PASSES_ECT,
  TEST_WIRE_BLEACHES_ECT,
  TEST_WIRE_DROPS_ECT,
  TEST_WIRE_SETS_CE,    /* on one in 20 with ECT */
  TEST_WIRE_SETS_ALL_CE /* on all, with or without ECT */
} TestWireEcn;

/* A third host sees a packet that has come to it. */
typedef void (*TestWireListener) (
    TestWire *wire, const GstTfrcAddress *from, const guint8 *data, gsize size, gpointer user);

struct _TestWire
{
  gint port; /* where the sender has to send */

  /* The rest is the wire's own. */
  gint near, far, third; /* sockets: to the sender, to the receiver, of the third host */
  GstTfrcAddress sender, receiver;
  guint delay_ms;    /* of each packet that is passed on */
  GQueue under_way;  /* of packets with a delay */
  gint first_us_set; /* atomic */
  gint64 first_us;   /* when the first packet of the sender came */
  GMutex lock;       /* of the tap */
  TestWireTap tap;
  TestWireListener listener;
  gpointer user;
  gint ecn;                 /* atomic; TestWireEcn */
  gint ect_packets;         /* atomic; with ECT, that have come to the wire */
  gint ect_rtcp;            /* atomic; of these RTCP */
  gint ect_tos, others_tos; /* atomic; of the last packet of the sender with ECT, and without */
  gint ends;                /* atomic */
  GThread *thread;
};

/* @delay_ms: of each direction */
TestWire *test_wire_new (gint receiver_port, guint delay_ms);
void test_wire_free (TestWire *wire);

/* NULL: nobody looks. */
void test_wire_set_tap (TestWire *wire, TestWireTap tap, TestWireListener listener, gpointer user);

/* What becomes of packets with ECT from now on; at first they pass. */
void test_wire_set_ecn (TestWire *wire, TestWireEcn ecn);

/* The third host sends to one of the ends.  On the wire's thread. */
void test_wire_send_as_third (TestWire *wire, gboolean to_receiver, const guint8 *data, gsize size);

/* Passes on a packet as if it had come now.  On the wire's thread. */
void test_wire_pass (TestWire *wire, gboolean to_receiver, const guint8 *data, gsize size);

#endif
