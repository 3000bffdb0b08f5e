/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls to a sender that listens: the callers' table (gst/strangers). callpackets.c has the packets. */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "gst/strangers/callers.h"
#include "testnet.h"

#define MS GST_MSECOND
#define S GST_SECOND
#define SSRC 0x11223344
#define OWN_SSRC 0x55667788
#define NUMBER 0x0a0b0c0d
#define MAX_CALLERS 3

static const guint8 secret[GST_TFRC_SECRET_BYTES] = { 42 };
static GstTfrcCallers *o;
static guint64 now;

static void
setup (void)
{
  now = 1000 * S;
  o = gst_tfrc_callers_new (secret, OWN_SSRC, MAX_CALLERS);
}

static void
teardown (void)
{
  gst_tfrc_callers_free (o);
}

static void
check (void)
{
  const gchar *broken = gst_tfrc_callers_check (o);

  fail_unless (broken == NULL, "%s", broken);
}

static GstTfrcReceivedPacket
received (guint8 *data, gsize size, const GstTfrcAddress *from)
{
  GstTfrcReceivedPacket packet = { .data = data, .size = size, .from = from };

  packet.local = test_address ("192.0.2.99", 0);
  packet.arrival_ns = packet.read_ns = now;
  return packet;
}

typedef struct
{
  GstTfrcAddress address;
  GstTfrcCallPacket packet;
  GstTfrcAnswerPacket answer; /* the last one */
  GstTfrcCaller caller;
  guint64 replaced;
} Phone;

static Phone
phone_of (const gchar *host, guint16 port, const gchar *stream_id)
{
  Phone phone = { .address = test_address (host, port),
    .packet = { .ssrc = SSRC + port, .number = NUMBER + port } };

  g_strlcpy (phone.packet.stream_id, stream_id, sizeof phone.packet.stream_id);
  return phone;
}

static Phone
phone_at (guint16 port, const gchar *stream_id)
{
  return phone_of ("198.51.100.7", port, stream_id);
}

static GstTfrcCallersResult
send_call (Phone *phone)
{
  guint8 data[GST_TFRC_CALL_MAX_BYTES];
  GstTfrcReceivedPacket packet = received (
      data, gst_tfrc_call_packet_write (data, &phone->packet), &phone->address);
  GstTfrcCallersResult result = gst_tfrc_callers_on_packet (
      o, &packet, now, &phone->caller, &phone->replaced);

  check ();
  return result;
}

/* Returns whether an answer leaves, which goes to this phone. */
static gboolean
hears_answer (Phone *phone)
{
  guint8 data[GST_TFRC_ANSWER_MAX_BYTES];
  GstTfrcAddress to, local;
  gsize size = gst_tfrc_callers_write (o, data, &to, &local);

  if (size == 0)
    return FALSE;
  fail_unless (gst_tfrc_address_equal (&to, &phone->address));
  fail_unless (gst_tfrc_answer_packet_parse (data, size, &phone->answer));
  fail_unless_equals_int (phone->answer.ssrc, OWN_SSRC);
  fail_unless_equals_int (phone->answer.number, phone->packet.number);
  return TRUE;
}

static void
get_cookie (Phone *phone)
{
  fail_unless_equals_int (send_call (phone), GST_TFRC_CALLERS_NOTHING);
  fail_unless (hears_answer (phone));
  fail_unless_equals_int (phone->answer.kind, GST_TFRC_ANSWER_COOKIE);
  memcpy (phone->packet.cookie, phone->answer.cookie, sizeof phone->packet.cookie);
}

static Phone
waiting_of (const gchar *host, guint16 port)
{
  Phone phone = phone_of (host, port, "film");

  get_cookie (&phone);
  fail_unless_equals_int (send_call (&phone), GST_TFRC_CALLERS_NEW);
  return phone;
}

static Phone
waiting_at (guint16 port)
{
  return waiting_of ("198.51.100.7", port);
}

/* So many hosts that none of them reaches its share of the places to wait */
static const gchar *
host_of (guint i)
{
  static const gchar *const hosts[] = { "198.51.100.7", "198.51.100.8", "2001:db8::1",
    "2001:db8:1::1", "2001:db8:1:1::1" };

  return hosts[i % G_N_ELEMENTS (hosts)];
}

static guint
n_waiting (void)
{
  GstTfrcCallersStats stats;

  gst_tfrc_callers_get_stats (o, &stats);
  return stats.waiting;
}

static guint
n_accepted (void)
{
  GstTfrcCallersStats stats;

  gst_tfrc_callers_get_stats (o, &stats);
  return stats.accepted;
}

/* ---- the table of callers ------------------------------------------------------------- */

GST_START_TEST (test_a_call_without_a_cookie_gets_a_smaller_answer_and_leaves_nothing)
{
  guint8 call[GST_TFRC_CALL_MAX_BYTES], answer[GST_TFRC_ANSWER_MAX_BYTES];
  Phone phone = phone_at (1, "");
  GstTfrcAddress to, local;

  fail_unless_equals_int (send_call (&phone), GST_TFRC_CALLERS_NOTHING);
  fail_unless (gst_tfrc_callers_write (o, answer, &to, &local)
      <= gst_tfrc_call_packet_write (call, &phone.packet));
  fail_unless_equals_int (n_waiting (), 0);
}

GST_END_TEST;

/* As many as the network could have lost: the callers that are there matter more. */
GST_START_TEST (test_a_flood_of_calls_gets_few_cookies)
{
  guint answers = 0;

  for (guint i = 0; i < 100000; i++) { /* in a second */
    Phone phone = phone_at ((guint16) (1 + i % 60000), "");

    send_call (&phone);
    answers += hears_answer (&phone);
    now += S / 100000;
  }
  fail_unless (answers >= GST_TFRC_CALLERS_COOKIES_PER_S
          && answers <= GST_TFRC_CALLERS_COOKIES_PER_S + GST_TFRC_CALLERS_COOKIES_BURST,
      "%u answers", answers);
  now += S;
  for (guint i = 0; i < GST_TFRC_CALLERS_COOKIES_BURST; i++) {
    Phone phone = phone_at ((guint16) (1 + i), "");

    get_cookie (&phone);
  }
}

GST_END_TEST;

/* R is never too short. */
GST_START_TEST (test_a_proven_call_tells_how_long_its_cookie_was_on_the_way)
{
  static const guint64 rtts_ns[] = { 0, 50000, 20 * MS, 200 * MS, 9 * S };

  for (guint i = 0; i < G_N_ELEMENTS (rtts_ns); i++) {
    Phone phone = phone_at ((guint16) (1 + i), "film");
    GstTfrcCaller caller;

    now += 7654321;
    get_cookie (&phone);
    now += rtts_ns[i];
    fail_unless_equals_int (send_call (&phone), GST_TFRC_CALLERS_NEW);
    now += S;
    send_call (&phone); /* repeated, which changes nothing */
    fail_unless (gst_tfrc_callers_accept (o, phone.caller.id, &caller));
    fail_unless (caller.rtt_ns >= MAX (1, rtts_ns[i]) && caller.rtt_ns < rtts_ns[i] + (1 << 20),
        "%" G_GUINT64_FORMAT " after %" G_GUINT64_FORMAT, caller.rtt_ns, rtts_ns[i]);
    fail_unless (hears_answer (&phone));
    gst_tfrc_callers_forget (o, caller.id);
  }
}

GST_END_TEST;

/* Not one bit of the time, nor of the hash, can be another. */
GST_START_TEST (test_a_cookie_whose_time_was_changed_is_none)
{
  Phone phone = phone_at (1, "film");

  get_cookie (&phone);
  now += 20 * MS;
  for (guint bit = 0; bit < 8 * sizeof phone.packet.cookie; bit++) {
    Phone liar = phone;

    liar.packet.cookie[bit / 8] ^= (guint8) (1 << bit % 8);
    fail_unless_equals_int (send_call (&liar), GST_TFRC_CALLERS_NOTHING);
    fail_unless (hears_answer (&liar));
    fail_unless_equals_int (liar.answer.kind, GST_TFRC_ANSWER_COOKIE);
  }
  fail_unless_equals_int (send_call (&phone), GST_TFRC_CALLERS_NEW);
}

GST_END_TEST;

/* The time in the cookie begins anew after 2^36 ns. */
GST_START_TEST (test_an_old_cookie_is_none_when_its_time_seems_to_be_now)
{
  Phone phone = phone_at (1, "film");

  get_cookie (&phone);
  now += G_GUINT64_CONSTANT (1) << 36;
  fail_unless_equals_int (send_call (&phone), GST_TFRC_CALLERS_NOTHING);
}

GST_END_TEST;

GST_START_TEST (test_a_cookie_is_good_for_one_address_for_ten_seconds)
{
  Phone phone = phone_at (1, "film"), other = phone_at (2, "film");

  get_cookie (&phone);
  memcpy (other.packet.cookie, phone.packet.cookie, sizeof other.packet.cookie);
  fail_unless_equals_int (send_call (&other), GST_TFRC_CALLERS_NOTHING);
  fail_unless (hears_answer (&other));
  fail_unless_equals_int (other.answer.kind, GST_TFRC_ANSWER_COOKIE);
  now += 11 * S;
  fail_unless_equals_int (send_call (&phone), GST_TFRC_CALLERS_NOTHING);
  fail_unless (hears_answer (&phone));
  fail_unless_equals_int (phone.answer.kind, GST_TFRC_ANSWER_COOKIE);
}

GST_END_TEST;

GST_START_TEST (test_a_caller_waits_for_the_decision_and_hears_it)
{
  Phone phone = waiting_at (1);
  GstTfrcCaller caller;

  fail_unless_equals_string (phone.caller.stream_id, "film");
  fail_unless_equals_int (phone.caller.ssrc, SSRC + 1);
  fail_unless (!hears_answer (&phone));
  fail_unless_equals_int (send_call (&phone), GST_TFRC_CALLERS_NOTHING); /* asks again */
  fail_unless (!hears_answer (&phone));
  fail_unless (gst_tfrc_callers_accept (o, phone.caller.id, &caller));
  check ();
  fail_unless (hears_answer (&phone));
  fail_unless_equals_int (phone.answer.kind, GST_TFRC_ANSWER_ACCEPTED);
  fail_unless (!gst_tfrc_callers_accept (o, phone.caller.id, &caller));
  send_call (&phone); /* the answer was lost */
  fail_unless (hears_answer (&phone));
  fail_unless_equals_int (phone.answer.kind, GST_TFRC_ANSWER_ACCEPTED);
}

GST_END_TEST;

GST_START_TEST (test_a_refusal_is_repeated_for_five_seconds_and_then_decided_anew)
{
  Phone phone = waiting_at (1);
  GstTfrcCaller caller;

  fail_unless (gst_tfrc_callers_refuse (o, phone.caller.id, "no such film", now, &caller));
  check ();
  fail_unless (hears_answer (&phone));
  fail_unless_equals_int (phone.answer.kind, GST_TFRC_ANSWER_REFUSED);
  fail_unless_equals_string (phone.answer.reason, "no such film");
  now += GST_TFRC_CALLERS_REFUSED_NS - 1;
  gst_tfrc_callers_on_time (o, now);
  fail_unless_equals_int (send_call (&phone), GST_TFRC_CALLERS_NOTHING);
  fail_unless (hears_answer (&phone));
  fail_unless_equals_string (phone.answer.reason, "no such film");
  fail_unless_equals_uint64 (gst_tfrc_callers_next_ns (o), now + 1);
  now++;
  gst_tfrc_callers_on_time (o, now);
  check ();
  fail_unless_equals_int (send_call (&phone), GST_TFRC_CALLERS_NEW);
}

GST_END_TEST;

GST_START_TEST (test_callers_beyond_the_maximum_are_told_that_there_is_no_room)
{
  Phone phones[MAX_CALLERS], late = phone_at (99, "film");
  GstTfrcCaller caller;

  for (guint i = 0; i < MAX_CALLERS; i++)
    phones[i] = waiting_at ((guint16) (i + 1));
  gst_tfrc_callers_accept (o, phones[0].caller.id, &caller);
  hears_answer (&phones[0]);
  get_cookie (&late);
  fail_unless_equals_int (send_call (&late), GST_TFRC_CALLERS_FULL);
  fail_unless (hears_answer (&late));
  fail_unless_equals_int (late.answer.kind, GST_TFRC_ANSWER_REFUSED);
  fail_unless (strstr (late.answer.reason, "no room") != NULL);
  gst_tfrc_callers_forget (o, phones[0].caller.id);
  now += GST_TFRC_CALLERS_REFUSED_NS;
  gst_tfrc_callers_on_time (o, now);
  fail_unless_equals_int (send_call (&late), GST_TFRC_CALLERS_NEW);
}

GST_END_TEST;

GST_START_TEST (test_another_program_at_the_port_of_a_caller_takes_its_place)
{
  Phone phone = waiting_at (1), next;
  GstTfrcCaller caller;

  gst_tfrc_callers_accept (o, phone.caller.id, &caller);
  hears_answer (&phone);
  next = phone;
  next.packet.ssrc++;
  fail_unless_equals_int (send_call (&next), GST_TFRC_CALLERS_NEW);
  fail_unless_equals_uint64 (next.replaced, phone.caller.id);
  fail_unless (next.caller.id != phone.caller.id);
  fail_unless_equals_int (n_accepted (), 0);
}

GST_END_TEST;

/* Otherwise one port asks without end, each time about a caller that does not wait any more when the answer comes. */
GST_START_TEST (test_a_port_is_asked_about_once_at_a_time)
{
  Phone phone = waiting_at (1), next = phone;
  GstTfrcCaller caller;

  for (guint i = 0; i < 1000; i++) {
    next.packet.ssrc++;
    fail_unless_equals_int (send_call (&next), GST_TFRC_CALLERS_NOTHING);
    fail_unless_equals_uint64 (next.replaced, 0);
    fail_unless (!hears_answer (&next));
  }
  fail_unless (gst_tfrc_callers_refuse (o, phone.caller.id, "not now", now, &caller));
  hears_answer (&phone);
  fail_unless_equals_int (send_call (&next), GST_TFRC_CALLERS_NEW);
  fail_unless_equals_uint64 (next.replaced, 0); /* no caller has gone */
  fail_unless_equals_int (n_waiting (), 1);
}

GST_END_TEST;

/* What an application remembers of a listener that has ended names no caller of the next one. */
GST_START_TEST (test_no_call_has_the_id_of_a_call_of_another_listener)
{
  Phone first = waiting_at (1), second;

  teardown ();
  setup ();
  second = waiting_at (2);
  fail_unless (second.caller.id != first.caller.id);
  fail_unless (gst_tfrc_callers_find_waiting (o, first.caller.id) == NULL);
}

GST_END_TEST;

static void
calls_again_and_is_accepted (Phone *phone)
{
  get_cookie (phone);
  fail_unless (send_call (phone) == GST_TFRC_CALLERS_AGAIN && hears_answer (phone));
  fail_unless_equals_int (phone->answer.kind, GST_TFRC_ANSWER_ACCEPTED);
}

GST_START_TEST (test_an_accepted_caller_is_found_where_it_has_moved_to)
{
  Phone phone = waiting_at (1);
  GstTfrcCaller caller;

  gst_tfrc_callers_accept (o, phone.caller.id, &caller);
  hears_answer (&phone);
  phone.address = test_address ("203.0.113.5", 40000);
  gst_tfrc_callers_move (o, phone.caller.id, &phone.address);
  check ();
  calls_again_and_is_accepted (&phone);
}

GST_END_TEST;

/* As when a server starts again, whose viewers all call at once: there will be room, and the caller calls again. */
GST_START_TEST (test_a_caller_waits_while_as_many_wait_as_may)
{
  Phone earliest, late = phone_at (20000, "film");
  GstTfrcCaller caller;

  gst_tfrc_callers_set_max (o, G_MAXUINT16);
  earliest = waiting_at (1);
  for (guint i = 1; i < GST_TFRC_CALLERS_WAITING; i++) {
    now += S / GST_TFRC_CALLERS_COOKIES_PER_S;
    waiting_of (host_of (i), (guint16) (i + 1));
  }
  get_cookie (&late);
  fail_unless_equals_int (send_call (&late), GST_TFRC_CALLERS_NOTHING);
  fail_unless (!hears_answer (&late));
  gst_tfrc_callers_accept (o, earliest.caller.id, &caller);
  hears_answer (&earliest);
  fail_unless_equals_int (send_call (&late), GST_TFRC_CALLERS_NEW);
}

GST_END_TEST;

/* With all the addresses that its network gives it, if it has IPv6. */
GST_START_TEST (test_one_host_leaves_room_for_others)
{
  static const gchar *const own[] = { "2001:db8::1", "2001:db8::2" };
  Phone earliest, further = phone_of (own[0], 20000, "film");
  GstTfrcCaller caller;

  gst_tfrc_callers_set_max (o, G_MAXUINT16);
  earliest = waiting_of (own[0], 1);
  for (guint i = 1; i < GST_TFRC_CALLERS_WAITING_OF_HOST; i++)
    waiting_of (own[i % 2], (guint16) (i + 1));
  get_cookie (&further);
  fail_unless_equals_int (send_call (&further), GST_TFRC_CALLERS_NOTHING);
  fail_unless (!hears_answer (&further));
  waiting_of ("2001:db8:0:1::1", 1);
  waiting_of ("198.51.100.7", 1);
  gst_tfrc_callers_accept (o, earliest.caller.id, &caller);
  hears_answer (&earliest);
  fail_unless_equals_int (send_call (&further), GST_TFRC_CALLERS_NEW);
}

GST_END_TEST;

/* Ten thousand callers with addresses of their own, none of which is decided. */
GST_START_TEST (test_a_flood_of_proven_calls_stays_within_its_bounds)
{
  GstTfrcCallersStats stats;

  gst_tfrc_callers_set_max (o, G_MAXUINT16);
  for (guint i = 1; i <= 10000; i++) {
    Phone phone = phone_of (host_of (i), (guint16) i, "film");

    now += S / GST_TFRC_CALLERS_COOKIES_PER_S;
    get_cookie (&phone);
    send_call (&phone);
    hears_answer (&phone);
  }
  gst_tfrc_callers_get_stats (o, &stats);
  fail_unless_equals_int (stats.waiting, GST_TFRC_CALLERS_WAITING);
  fail_unless_equals_uint64 (stats.refused, 0);
}

GST_END_TEST;

/* Whoever calls from many ports and is refused at each would take memory for each. */
GST_START_TEST (test_no_more_than_256_refusals_are_remembered)
{
  Phone phones[GST_TFRC_CALLERS_REFUSED + 1];
  GstTfrcCallersStats stats;
  GstTfrcCaller caller;

  for (guint i = 0; i < G_N_ELEMENTS (phones); i++) {
    phones[i] = waiting_at ((guint16) (1 + i));
    fail_unless (gst_tfrc_callers_refuse (o, phones[i].caller.id, "no such film", now, &caller));
    check ();
    fail_unless (hears_answer (&phones[i]));
  }
  gst_tfrc_callers_get_stats (o, &stats);
  fail_unless_equals_uint64 (stats.refused, GST_TFRC_CALLERS_REFUSED + 1);
  /* the second one's refusal is remembered; the oldest one's is not, so that it is decided anew */
  fail_unless_equals_int (send_call (&phones[1]), GST_TFRC_CALLERS_NOTHING);
  fail_unless (hears_answer (&phones[1]));
  fail_unless_equals_int (phones[1].answer.kind, GST_TFRC_ANSWER_REFUSED);
  fail_unless_equals_int (send_call (&phones[0]), GST_TFRC_CALLERS_NEW);
}

GST_END_TEST;

/* A turn of the port sends them all. Calls beyond that come again. */
GST_START_TEST (test_no_more_than_64_answers_wait_to_leave)
{
  Phone phones[GST_TFRC_CALLERS_ANSWERS + 1];

  for (guint i = 0; i < G_N_ELEMENTS (phones); i++) {
    phones[i] = phone_at ((guint16) (1 + i), "film");
    fail_unless_equals_int (send_call (&phones[i]), GST_TFRC_CALLERS_NOTHING);
  }
  for (guint i = 0; i < GST_TFRC_CALLERS_ANSWERS; i++)
    fail_unless (hears_answer (&phones[i]));
  fail_if (hears_answer (&phones[GST_TFRC_CALLERS_ANSWERS]));
  get_cookie (&phones[GST_TFRC_CALLERS_ANSWERS]);
}

GST_END_TEST;

/* It has to hear that there is none, instead of calling in vain until somebody leaves. */
GST_START_TEST (test_a_host_of_many_callers_is_told_that_there_is_no_room)
{
  Phone further = phone_at (20000, "film");

  gst_tfrc_callers_set_max (o, GST_TFRC_CALLERS_WAITING_OF_HOST);
  for (guint i = 0; i < GST_TFRC_CALLERS_WAITING_OF_HOST; i++)
    waiting_at ((guint16) (1 + i));
  get_cookie (&further);
  fail_unless_equals_int (send_call (&further), GST_TFRC_CALLERS_FULL);
  fail_unless (hears_answer (&further));
  fail_unless_equals_int (further.answer.kind, GST_TFRC_ANSWER_REFUSED);
}

GST_END_TEST;

/* A host with two addresses has lost the first while the decision was made. */
GST_START_TEST (test_the_decision_leaves_from_where_the_last_call_has_come_to)
{
  const GstTfrcAddress other = test_address ("192.0.2.98", 0);
  guint8 data[GST_TFRC_CALL_MAX_BYTES];
  GstTfrcReceivedPacket packet;
  GstTfrcAddress to, local;
  Phone phone = waiting_at (1);
  GstTfrcCaller caller;

  packet = received (data, gst_tfrc_call_packet_write (data, &phone.packet), &phone.address);
  packet.local = other;
  fail_unless_equals_int (gst_tfrc_callers_on_packet (o, &packet, now, &caller, &phone.replaced),
      GST_TFRC_CALLERS_NOTHING);
  fail_unless (gst_tfrc_callers_accept (o, phone.caller.id, &caller));
  fail_unless (gst_tfrc_address_equal (&caller.local, &other));
  fail_unless (gst_tfrc_callers_write (o, data, &to, &local) > 0);
  fail_unless (gst_tfrc_address_equal (&local, &other));
}

GST_END_TEST;

/* The other one has returned a cookie there. */
GST_START_TEST (test_a_caller_does_not_move_to_where_another_one_is)
{
  Phone phones[] = { waiting_at (1), waiting_at (2), waiting_at (3) };
  GstTfrcCaller caller;

  for (guint i = 0; i < 2; i++) {
    fail_unless (gst_tfrc_callers_accept (o, phones[i].caller.id, &caller));
    fail_unless (hears_answer (&phones[i]));
  }
  gst_tfrc_callers_move (o, phones[0].caller.id, &phones[1].address);
  gst_tfrc_callers_move (o, phones[0].caller.id, &phones[2].address);
  check ();
  fail_unless_equals_int (n_accepted (), 2);
  fail_unless_equals_int (n_waiting (), 1);
  for (guint i = 0; i < 2; i++) {
    fail_unless_equals_int (send_call (&phones[i]), GST_TFRC_CALLERS_AGAIN);
    fail_unless (hears_answer (&phones[i]));
  }
}

GST_END_TEST;

/* Its stream is not there yet, so that nobody can have seen where the stream has moved to. */
GST_START_TEST (test_a_caller_that_waits_does_not_move)
{
  const GstTfrcAddress other = test_address ("203.0.113.5", 40000);
  Phone phone = waiting_at (1);
  GstTfrcCaller caller;

  gst_tfrc_callers_move (o, phone.caller.id, &other);
  check ();
  fail_unless (gst_tfrc_callers_accept (o, phone.caller.id, &caller));
  fail_unless (gst_tfrc_address_equal (&caller.address, &phone.address));
  fail_unless (hears_answer (&phone));
}

GST_END_TEST;

/* The decision about the one that was refused there is about another caller. */
GST_START_TEST (test_a_caller_moves_to_where_another_one_was_refused)
{
  Phone phone = waiting_at (1), refused = waiting_at (2);
  GstTfrcCaller caller;

  fail_unless (gst_tfrc_callers_accept (o, phone.caller.id, &caller));
  fail_unless_equals_uint64 (gst_tfrc_callers_next_ns (o), 0);
  fail_unless (hears_answer (&phone));
  fail_unless (gst_tfrc_callers_refuse (o, refused.caller.id, "no such film", now, &caller));
  fail_unless (hears_answer (&refused));
  phone.address = refused.address;
  gst_tfrc_callers_move (o, phone.caller.id, &phone.address);
  check ();
  calls_again_and_is_accepted (&phone);
  fail_unless_equals_uint64 (gst_tfrc_callers_next_ns (o), G_MAXUINT64);
}

GST_END_TEST;

/* Whoever sends them gets nothing, and statistics tell of them. */
GST_START_TEST (test_a_call_that_was_cut_or_is_malformed_is_counted_and_not_answered)
{
  Phone phone = phone_at (1, "film");
  guint8 data[GST_TFRC_CALL_MAX_BYTES];
  gsize size = gst_tfrc_call_packet_write (data, &phone.packet);
  GstTfrcReceivedPacket packet = received (data, size, &phone.address);
  GstTfrcCallersStats stats;

  packet.truncated = TRUE;
  fail_unless_equals_int (
      gst_tfrc_callers_on_packet (o, &packet, now, &phone.caller, &phone.replaced),
      GST_TFRC_CALLERS_NOTHING);
  packet = received (data, size - 4, &phone.address);
  fail_unless_equals_int (
      gst_tfrc_callers_on_packet (o, &packet, now, &phone.caller, &phone.replaced),
      GST_TFRC_CALLERS_NOTHING);
  fail_unless (!hears_answer (&phone));
  get_cookie (&phone);
  gst_tfrc_callers_get_stats (o, &stats);
  fail_unless_equals_uint64 (stats.calls, 3);
  fail_unless_equals_uint64 (stats.malformed, 2);
}

GST_END_TEST;

/* The caller takes no other. */
GST_START_TEST (test_the_decision_has_the_number_of_the_last_call)
{
  Phone phone = waiting_at (1);
  GstTfrcCaller caller;

  for (guint i = 0; i < 2; i++) {
    phone.packet.number++;
    send_call (&phone);
    gst_tfrc_callers_accept (o, phone.caller.id, &caller);
    fail_unless (hears_answer (&phone));
    fail_unless_equals_int (phone.answer.kind, GST_TFRC_ANSWER_ACCEPTED);
  }
}

GST_END_TEST;

static Suite *
calls_suite (void)
{
  Suite *suite = suite_create ("calls");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, test_a_call_without_a_cookie_gets_a_smaller_answer_and_leaves_nothing);
  tcase_add_test (tcase, test_a_flood_of_calls_gets_few_cookies);
  tcase_add_test (tcase, test_a_proven_call_tells_how_long_its_cookie_was_on_the_way);
  tcase_add_test (tcase, test_a_cookie_whose_time_was_changed_is_none);
  tcase_add_test (tcase, test_an_old_cookie_is_none_when_its_time_seems_to_be_now);
  tcase_add_test (tcase, test_a_cookie_is_good_for_one_address_for_ten_seconds);
  tcase_add_test (tcase, test_a_caller_waits_for_the_decision_and_hears_it);
  tcase_add_test (tcase, test_a_refusal_is_repeated_for_five_seconds_and_then_decided_anew);
  tcase_add_test (tcase, test_no_more_than_256_refusals_are_remembered);
  tcase_add_test (tcase, test_no_more_than_64_answers_wait_to_leave);
  tcase_add_test (tcase, test_a_host_of_many_callers_is_told_that_there_is_no_room);
  tcase_add_test (tcase, test_the_decision_leaves_from_where_the_last_call_has_come_to);
  tcase_add_test (tcase, test_a_caller_does_not_move_to_where_another_one_is);
  tcase_add_test (tcase, test_a_caller_that_waits_does_not_move);
  tcase_add_test (tcase, test_callers_beyond_the_maximum_are_told_that_there_is_no_room);
  tcase_add_test (tcase, test_another_program_at_the_port_of_a_caller_takes_its_place);
  tcase_add_test (tcase, test_a_port_is_asked_about_once_at_a_time);
  tcase_add_test (tcase, test_no_call_has_the_id_of_a_call_of_another_listener);
  tcase_add_test (tcase, test_an_accepted_caller_is_found_where_it_has_moved_to);
  tcase_add_test (tcase, test_a_caller_waits_while_as_many_wait_as_may);
  tcase_add_test (tcase, test_one_host_leaves_room_for_others);
  tcase_add_test (tcase, test_a_flood_of_proven_calls_stays_within_its_bounds);
  tcase_add_test (tcase, test_a_caller_moves_to_where_another_one_was_refused);
  tcase_add_test (tcase, test_a_call_that_was_cut_or_is_malformed_is_counted_and_not_answered);
  tcase_add_test (tcase, test_the_decision_has_the_number_of_the_last_call);
  return suite;
}

GST_CHECK_MAIN (calls);
