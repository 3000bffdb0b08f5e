/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ports and their flows, see gst/port/port.h: datagrams over loopback sockets, with flows that note
 * what they are told. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "gst/port/port.h"
#include "teststream.h"

#define N_FLOWS 1000
#define N_CLIENTS 4 /* flows are spread over as many addresses */

#define RTP_BYTES 12

/* A flow that answers each datagram with one of the same bytes */
typedef struct
{
  GstTfrcFlow flow;
  GstTfrcAddress peer;
  guint32 ssrc;
  guint datagrams, wrong; /* that have come; of another SSRC */
  guint answers;          /* that are still to leave */
  guint max_answers;      /* between two calls of on_time(); 0: all */
  guint answered;         /* since the last call of on_time() */
  guint left, failed, unsealed, not_tried;
  guint refuse_seal; /* answers that cannot be sealed */
  guint errors;
  guint times;
  guint64 due_ns;
} EchoFlow;

static GstTfrcPort *port;
static GstTfrcTenant tenant, other_tenant;
static EchoFlow flows[N_FLOWS], strangers;
static gint clients[N_CLIENTS];
static GstTfrcAddress client_addresses[N_CLIENTS], port_address;
static GCond changed;
static guint served, emitted;

/* ---- the flow ------------------------------------------------------------ */

static void
on_datagrams (GstTfrcFlow *flow, const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns)
{
  EchoFlow *self = (EchoFlow *) flow;

  for (guint i = 0; i < n; i++) {
    self->datagrams++;
    self->answers++;
    self->wrong += GST_READ_UINT32_BE (packets[i].data + 8) != self->ssrc;
  }
}

static void
on_time (GstTfrcFlow *flow, guint64 now_ns)
{
  EchoFlow *self = (EchoFlow *) flow;

  self->times++;
  self->answered = 0;
  if (now_ns >= self->due_ns)
    self->due_ns = G_MAXUINT64;
}

static void
on_error (GstTfrcFlow *flow, gint error, const GstTfrcAddress *destination, gboolean by_rtcp_port,
    guint64 now_ns)
{
  ((EchoFlow *) flow)->errors++;
}

static guint64
deadline (const GstTfrcFlow *flow)
{
  const EchoFlow *self = (const EchoFlow *) flow;

  return self->answers > 0 ? 0 : self->due_ns;
}

static gsize
refuse (gpointer user, guint8 *datagram, gsize size)
{
  return 0;
}

static void
poll_answers (GstTfrcFlow *flow, guint64 now_ns, GstTfrcPolled *polled)
{
  EchoFlow *self = (EchoFlow *) flow;
  GstTfrcDatagram *datagram;
  guint8 *room;

  while (self->answers > 0 && (self->max_answers == 0 || self->answered < self->max_answers)
      && (room = gst_tfrc_polled_get_room (polled))) {
    memset (room, 0, RTP_BYTES);
    GST_WRITE_UINT32_BE (room + 8, self->ssrc);
    datagram = gst_tfrc_polled_add_control (polled, RTP_BYTES, &self->peer);
    if (self->refuse_seal > 0) {
      self->refuse_seal--;
      datagram->seal = refuse;
    }
    self->answers--;
    self->answered++;
  }
}

static void
on_sent (GstTfrcFlow *flow, const GstTfrcPolled *polled, guint64 now_ns)
{
  EchoFlow *self = (EchoFlow *) flow;

  for (guint i = 0; i < polled->n; i++) {
    switch (polled->datagrams[i].result) {
      case GST_TFRC_DATAGRAM_LEFT:
        self->left++;
        break;
      case GST_TFRC_DATAGRAM_FAILED:
        self->failed++;
        break;
      case GST_TFRC_DATAGRAM_UNSEALED:
        self->unsealed++;
        break;
      case GST_TFRC_DATAGRAM_NOT_TRIED:
        self->not_tried++;
        break;
    }
  }
}

static const GstTfrcFlowClass echo_class = { on_datagrams, on_time, on_error, deadline,
  poll_answers, on_sent, NULL };

static void
init_flow (EchoFlow *flow, const GstTfrcAddress *peer, guint32 ssrc)
{
  memset (flow, 0, sizeof *flow);
  gst_tfrc_flow_init (&flow->flow, &echo_class);
  flow->peer = *peer;
  flow->ssrc = ssrc;
  flow->due_ns = G_MAXUINT64;
}

/* ---- the owner --------------------------------------------------------------- */

static gboolean
on_served (gpointer owner, guint64 now_ns)
{
  served++;
  g_cond_broadcast (&changed);
  return TRUE;
}

static guint64
owner_deadline (gpointer owner)
{
  return G_MAXUINT64;
}

static void
on_emit (gpointer owner)
{
  gst_tfrc_port_lock (port);
  emitted++;
  g_cond_broadcast (&changed);
  gst_tfrc_port_unlock (port);
}

/* Each flow has a last answer. */
static void
on_leaving (gpointer unused)
{
  for (guint i = 0; i < N_FLOWS; i++)
    if (flows[i].flow.klass)
      flows[i].answers = 1;
}

static const GstTfrcPortOwner owner_methods = { NULL, on_served, owner_deadline, on_emit,
  on_leaving };

/* ---- set-up -------------------------------------------------------------------- */

static void
setup (void)
{
  GstTfrcSocketConfig config = GST_TFRC_SOCKET_CONFIG_INIT;
  GError *error = NULL;

  config.bind_address = "127.0.0.1";
  memset (flows, 0, sizeof flows);
  served = emitted = 0;
  g_cond_init (&changed);
  gst_tfrc_tenant_init (&tenant, &owner_methods, NULL);
  port = gst_tfrc_port_new (&config, &tenant, &error);
  g_assert_no_error (error);
  port_address = test_address ("127.0.0.1", gst_tfrc_port_get_number (port));
  for (guint i = 0; i < N_CLIENTS; i++)
    clients[i] = test_open_socket ("127.0.0.1", &client_addresses[i]);
  fail_unless (gst_tfrc_port_start (port, &tenant, FALSE, &error));
}

static void
teardown (void)
{
  if (port) {
    gst_tfrc_port_leave (port, &tenant);
    gst_tfrc_port_unref (port);
  }
  for (guint i = 0; i < N_CLIENTS; i++)
    close (clients[i]);
  g_cond_clear (&changed);
}

/* Flow i has its peer at client i % N_CLIENTS, and SSRC i + 1. */
static void
add_flows (guint n)
{
  gst_tfrc_port_lock (port);
  for (guint i = 0; i < n; i++) {
    init_flow (&flows[i], &client_addresses[i % N_CLIENTS], i + 1);
    gst_tfrc_port_add_flow (port, &tenant, &flows[i].flow);
    gst_tfrc_port_bind (port, &flows[i].flow, &flows[i].peer, i + 1);
  }
  gst_tfrc_port_unlock (port);
}

static void
send_from (guint client, guint32 ssrc)
{
  guint8 datagram[RTP_BYTES] = { 0x80, 33 };
  GstTfrcSendItem item = { .data = datagram, .size = sizeof datagram };
  gint error;

  GST_WRITE_UINT32_BE (datagram + 8, ssrc);
  fail_unless_equals_int (
      gst_tfrc_socket_send (clients[client], &port_address, NULL, &item, 1, &error), 1);
}

/* Waits, with the lock, until something is true. */
#define wait_until(condition) \
  G_STMT_START \
  { \
    guint64 end_ns = gst_tfrc_clock_now_ns () + TEST_TIMEOUT_US * 1000; \
    while (!(condition)) { \
      gst_tfrc_port_wait (port, &changed, end_ns); \
      fail_unless (gst_tfrc_clock_now_ns () < end_ns, "waited in vain for " #condition); \
    } \
  } \
  G_STMT_END

/* ---- tests ------------------------------------------------------------------------ */

GST_START_TEST (each_of_a_thousand_flows_gets_its_own_datagrams)
{
  add_flows (N_FLOWS);
  /* As many at a time as the socket's buffer certainly takes */
  for (guint i = 0; i < N_FLOWS; i++) {
    send_from (i % N_CLIENTS, i + 1);
    if (i % 50 < 49 && i + 1 < N_FLOWS)
      continue;
    gst_tfrc_port_lock (port);
    wait_until (flows[i].left == 1);
    gst_tfrc_port_unlock (port);
  }
  gst_tfrc_port_lock (port);
  fail_unless_equals_int (gst_tfrc_port_get_foreign (port), 0);
  for (guint i = 0; i < N_FLOWS; i++) {
    /* The flow of the last datagram may be served before those of others in its batch. */
    wait_until (flows[i].left > 0);
    fail_unless_equals_int (flows[i].datagrams, 1);
    fail_unless_equals_int (flows[i].wrong, 0);
    fail_unless_equals_int (flows[i].left, 1);
  }
  gst_tfrc_port_unlock (port);
}

GST_END_TEST;

GST_START_TEST (a_deadline_serves_only_the_flow_that_is_due)
{
  guint before[3];

  add_flows (3);
  gst_tfrc_port_lock (port);
  wait_until (flows[0].times > 0 && flows[1].times > 0 && flows[2].times > 0);
  for (guint i = 0; i < 3; i++)
    before[i] = flows[i].times;
  flows[1].due_ns = gst_tfrc_clock_now_ns ();
  gst_tfrc_port_reschedule (port, &flows[1].flow);
  wait_until (flows[1].due_ns == G_MAXUINT64);
  fail_unless_equals_int (flows[0].times, before[0]);
  fail_unless_equals_int (flows[1].times, before[1] + 1);
  fail_unless_equals_int (flows[2].times, before[2]);
  gst_tfrc_port_unlock (port);
}

GST_END_TEST;

GST_START_TEST (another_ssrc_goes_to_the_flow_at_the_address_and_another_address_to_strangers)
{
  add_flows (1);
  gst_tfrc_port_lock (port);
  init_flow (&strangers, &client_addresses[1], 7);
  gst_tfrc_port_add_flow (port, &tenant, &strangers.flow);
  gst_tfrc_port_set_strangers (port, &strangers.flow);
  gst_tfrc_port_unlock (port);

  send_from (0, 99);
  send_from (1, 7);
  gst_tfrc_port_lock (port);
  wait_until (flows[0].datagrams == 1 && strangers.datagrams == 1);
  fail_unless_equals_int (flows[0].wrong, 1);
  fail_unless_equals_int (strangers.wrong, 0);
  gst_tfrc_port_unlock (port);
}

GST_END_TEST;

GST_START_TEST (the_second_flow_at_an_address_follows_when_the_first_is_unbound)
{
  add_flows (N_CLIENTS + 1);
  gst_tfrc_port_lock (port);
  gst_tfrc_port_unbind (port, &flows[0].flow, &client_addresses[0], 1);
  gst_tfrc_port_unlock (port);
  send_from (0, 1);
  gst_tfrc_port_lock (port);
  wait_until (flows[N_CLIENTS].datagrams == 1);
  fail_unless_equals_int (flows[0].datagrams, 0);
  gst_tfrc_port_unlock (port);
}

GST_END_TEST;

/* Nobody is served for a datagram of no flow; the second datagram shows that the first has been dealt with. */
GST_START_TEST (datagrams_of_no_flow_are_counted)
{
  add_flows (1);
  send_from (2, 5);
  send_from (0, 1);
  gst_tfrc_port_lock (port);
  wait_until (flows[0].datagrams == 1);
  fail_unless_equals_int (gst_tfrc_port_get_foreign (port), 1);
  gst_tfrc_port_unlock (port);
}

GST_END_TEST;

/* The kernel queues the errors in the order in which the datagrams left, so that the second one shows
 * that the first has been dealt with. */
GST_START_TEST (an_icmp_error_is_told_to_the_flow_at_the_destination_alone)
{
  GstTfrcAddress closed[2];

  for (guint i = 0; i < 2; i++)
    close (test_open_socket ("127.0.0.1", &closed[i]));
  add_flows (2);
  gst_tfrc_port_lock (port);
  gst_tfrc_port_unbind (port, &flows[0].flow, &flows[0].peer, 1);
  gst_tfrc_port_bind (port, &flows[0].flow, &closed[1], 1);
  for (guint i = 0; i < 2; i++) {
    guint left = flows[0].left;

    flows[0].peer = closed[i];
    flows[0].answers = 1;
    gst_tfrc_port_serve_soon (port, &flows[0].flow);
    wait_until (flows[0].left > left);
  }
  wait_until (flows[0].errors > 0);
  fail_unless_equals_int (flows[0].errors, 1);
  fail_unless_equals_int (flows[1].errors, 0);
  gst_tfrc_port_unlock (port);
}

GST_END_TEST;

GST_START_TEST (a_removed_flow_gets_no_more_calls)
{
  guint times;

  add_flows (2);
  gst_tfrc_port_lock (port);
  wait_until (flows[0].times > 0 && flows[1].times > 0);
  gst_tfrc_port_unlock (port);
  gst_tfrc_port_lock (port);
  gst_tfrc_port_unbind (port, &flows[0].flow, &flows[0].peer, 1);
  gst_tfrc_port_remove_flow (port, &flows[0].flow);
  times = flows[0].times;
  gst_tfrc_port_unlock (port);
  gst_tfrc_port_leave (port, &tenant);
  g_clear_pointer (&port, gst_tfrc_port_unref);
  fail_unless_equals_int (flows[0].times, times);
  fail_unless_equals_int (flows[0].left, 0);
  fail_unless_equals_int (flows[1].left, 1);
}

GST_END_TEST;

/* Flow 0 belongs to the tenant that leaves, and flow 1 to the one that stays. */
static void
add_flow_of_each_tenant (void)
{
  add_flows (1);
  gst_tfrc_tenant_init (&other_tenant, &owner_methods, NULL);
  gst_tfrc_port_lock (port);
  gst_tfrc_port_join (port, &other_tenant);
  init_flow (&flows[1], &client_addresses[1], 2);
  gst_tfrc_port_add_flow (port, &other_tenant, &flows[1].flow);
  gst_tfrc_port_bind (port, &flows[1].flow, &flows[1].peer, 2);
  wait_until (flows[0].times > 0 && flows[1].times > 0);
  gst_tfrc_port_unlock (port);
}

GST_START_TEST (the_last_words_of_one_that_leaves_leave_and_the_others_go_on)
{
  guint times;

  add_flow_of_each_tenant ();
  gst_tfrc_port_leave (port, &tenant);
  fail_unless_equals_int (flows[0].left, 1);
  gst_tfrc_port_unref (port);
  times = flows[0].times;
  gst_tfrc_port_lock (port);
  gst_tfrc_port_unbind (port, &flows[0].flow, &flows[0].peer, 1);
  gst_tfrc_port_unlock (port);
  send_from (0, 1);
  send_from (1, 2);
  gst_tfrc_port_lock (port);
  wait_until (flows[1].datagrams == 1);
  fail_unless_equals_int (flows[0].datagrams, 0);
  fail_unless_equals_int (flows[0].times, times);
  gst_tfrc_port_unlock (port);
  gst_tfrc_port_leave (port, &other_tenant);
  g_clear_pointer (&port, gst_tfrc_port_unref);
}

GST_END_TEST;

GST_START_TEST (a_dismissed_flow_is_served_once_more)
{
  guint times, left;

  add_flow_of_each_tenant ();
  gst_tfrc_port_lock (port);
  left = flows[0].left;
  times = flows[0].times;
  flows[0].answers = 1;
  gst_tfrc_port_dismiss_flow (port, &flows[0].flow);
  wait_until (flows[0].left == left + 1);
  flows[0].answers = 1;
  gst_tfrc_port_serve_soon (port, &flows[0].flow);
  gst_tfrc_port_unlock (port);
  send_from (1, 2);
  gst_tfrc_port_lock (port);
  wait_until (flows[1].left == 1);
  fail_unless_equals_int (flows[0].left, left + 1);
  fail_unless_equals_int (flows[0].times, times + 1);
  gst_tfrc_port_unlock (port);
  gst_tfrc_port_leave (port, &other_tenant);
  gst_tfrc_port_unref (port);
}

GST_END_TEST;

static gpointer
leave_with (gpointer one)
{
  gst_tfrc_port_leave (port, one);
  return NULL;
}

GST_START_TEST (two_that_leave_at_once_end_the_port)
{
  GThread *thread;

  add_flow_of_each_tenant ();
  thread = g_thread_new ("leaves", leave_with, &other_tenant);
  gst_tfrc_port_leave (port, &tenant);
  g_thread_join (thread);
  gst_tfrc_port_unref (port);
  g_clear_pointer (&port, gst_tfrc_port_unref);
}

GST_END_TEST;

GST_START_TEST (a_control_datagram_that_cannot_be_sealed_stops_no_other)
{
  add_flows (1);
  gst_tfrc_port_lock (port);
  flows[0].answers = 3;
  flows[0].refuse_seal = 1;
  gst_tfrc_port_serve_soon (port, &flows[0].flow);
  wait_until (flows[0].left + flows[0].unsealed == 3);
  fail_unless_equals_int (flows[0].unsealed, 1);
  fail_unless_equals_int (flows[0].left, 2);
  gst_tfrc_port_unlock (port);
}

GST_END_TEST;

GST_START_TEST (more_than_one_poll_holds_leaves_in_the_same_turn)
{
  guint times;

  add_flows (1);
  gst_tfrc_port_lock (port);
  wait_until (flows[0].times > 0);
  times = flows[0].times;
  flows[0].answers = 3 * GST_TFRC_POLL_CONTROL + 1;
  gst_tfrc_port_serve_soon (port, &flows[0].flow);
  wait_until (flows[0].answers == 0 && flows[0].left == 3 * GST_TFRC_POLL_CONTROL + 1);
  fail_unless_equals_int (flows[0].times, times + 1);
  gst_tfrc_port_unlock (port);
}

GST_END_TEST;

GST_START_TEST (a_flow_that_limits_itself_goes_on_in_its_next_turn)
{
  add_flows (2);
  gst_tfrc_port_lock (port);
  wait_until (flows[0].times > 0);
  flows[0].times = 0;
  flows[0].answers = 5;
  flows[0].max_answers = 2;
  gst_tfrc_port_serve_soon (port, &flows[0].flow);
  wait_until (flows[0].left == 5);
  fail_unless_equals_int (flows[0].times, 3);
  gst_tfrc_port_unlock (port);
}

GST_END_TEST;

GST_START_TEST (the_application_is_told_without_the_lock)
{
  add_flows (1);
  send_from (0, 1);
  gst_tfrc_port_lock (port);
  wait_until (flows[0].left == 1 && emitted > 0); /* on_emit() takes the lock */
  gst_tfrc_port_unlock (port);
}

GST_END_TEST;

static guint64
timer_ns (gconstpointer flow)
{
  return deadline (flow);
}

GST_START_TEST (the_earliest_timer_of_a_table_has_its_name)
{
  static const GstTfrcFlowTimer timers[] = { { "answer", timer_ns }, { "again", timer_ns } };
  GstTfrcNextTimer next;

  init_flow (&flows[0], &client_addresses[0], 1);
  next = gst_tfrc_flow_timers_next (&flows[0].flow, timers, 2);
  fail_unless_equals_uint64 (next.due_ns, G_MAXUINT64);
  fail_unless (next.name == NULL);
  flows[0].due_ns = 5;
  next = gst_tfrc_flow_timers_next (&flows[0].flow, timers, 2);
  fail_unless_equals_uint64 (next.due_ns, 5);
  fail_unless_equals_string (next.name, "answer");
}

GST_END_TEST;

static Suite *
port_suite (void)
{
  Suite *suite = suite_create ("port");
  TCase *tc = tcase_create ("port");

  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, each_of_a_thousand_flows_gets_its_own_datagrams);
  tcase_add_test (tc, a_deadline_serves_only_the_flow_that_is_due);
  tcase_add_test (
      tc, another_ssrc_goes_to_the_flow_at_the_address_and_another_address_to_strangers);
  tcase_add_test (tc, the_second_flow_at_an_address_follows_when_the_first_is_unbound);
  tcase_add_test (tc, datagrams_of_no_flow_are_counted);
  tcase_add_test (tc, an_icmp_error_is_told_to_the_flow_at_the_destination_alone);
  tcase_add_test (tc, a_removed_flow_gets_no_more_calls);
  tcase_add_test (tc, the_last_words_of_one_that_leaves_leave_and_the_others_go_on);
  tcase_add_test (tc, a_dismissed_flow_is_served_once_more);
  tcase_add_test (tc, two_that_leave_at_once_end_the_port);
  tcase_add_test (tc, a_control_datagram_that_cannot_be_sealed_stops_no_other);
  tcase_add_test (tc, more_than_one_poll_holds_leaves_in_the_same_turn);
  tcase_add_test (tc, a_flow_that_limits_itself_goes_on_in_its_next_turn);
  tcase_add_test (tc, the_application_is_told_without_the_lock);
  tcase_add_test (tc, the_earliest_timer_of_a_table_has_its_name);
  suite_add_tcase (suite, tc);
  return suite;
}

GST_CHECK_MAIN (port);
