/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What ICMP says about the MTU of a path is not believed. The test uses a network namespace, which
 * needs privileges. */
#include "icmptest.h"

#define SPOOFED_MTU 600
#define PACKET_BYTES 1360 /* bytes of UDP payload */

/* ---- options ------------------------------------------------------------ */

static gint
option (gint fd, gint level, gint name)
{
  gint value = -1;
  socklen_t len = sizeof value;

  fail_unless (getsockopt (fd, level, name, &value, &len) == 0);
  return value;
}

GST_START_TEST (sockets_of_each_kind_ignore_the_mtu_in_icmp_messages)
{
  gint v4 = test_open_socket ("127.0.0.1", NULL);
  gint both = test_open_socket (NULL, NULL);

  fail_unless_equals_int (option (v4, IPPROTO_IP, IP_MTU_DISCOVER), IP_PMTUDISC_OMIT);
  fail_unless_equals_int (option (both, IPPROTO_IP, IP_MTU_DISCOVER), IP_PMTUDISC_OMIT);
  if (test_host_has_ipv6 ())
    fail_unless_equals_int (option (both, IPPROTO_IPV6, IPV6_MTU_DISCOVER), IPV6_PMTUDISC_OMIT);
  close (v4);
  close (both);
}

GST_END_TEST;

/* ---- a forged message --------------------------------------------------- */

/* Returns the number of fragments that this namespace has made. */
static guint64
count_fragments (void)
{
  gchar *text = NULL, **lines, **names, **values;
  guint64 n = G_MAXUINT64;

  fail_unless (g_file_get_contents ("/proc/thread-self/net/snmp", &text, NULL, NULL));
  lines = g_strsplit (text, "\n", 3);
  names = g_strsplit (lines[0], " ", -1);
  values = g_strsplit (lines[1], " ", -1);
  for (guint i = 0; names[i] && values[i]; i++) {
    if (g_str_equal (names[i], "FragCreates"))
      n = g_ascii_strtoull (values[i], NULL, 10);
  }
  fail_if (n == G_MAXUINT64);
  g_strfreev (values);
  g_strfreev (names);
  g_strfreev (lines);
  g_free (text);
  return n;
}

/* Sends the message that a router would send if a packet between these addresses was too large. */
static void
forge_fragmentation_needed (const GstTfrcAddress *from, const GstTfrcAddress *to)
{
  struct
  {
    struct icmphdr icmp;
    struct iphdr ip;
    struct udphdr udp;
  } message = { 0 };
  gint fd = socket (AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);

  fail_unless (fd >= 0);
  message.icmp.type = ICMP_DEST_UNREACH;
  message.icmp.code = ICMP_FRAG_NEEDED;
  message.icmp.un.frag.mtu = htons (SPOOFED_MTU);
  message.ip.version = 4;
  message.ip.ihl = 5;
  message.ip.tot_len = htons (28 + PACKET_BYTES);
  message.ip.ttl = 64;
  message.ip.protocol = IPPROTO_UDP;
  message.ip.saddr = from->u.v4.sin_addr.s_addr;
  message.ip.daddr = to->u.v4.sin_addr.s_addr;
  message.udp.source = from->u.v4.sin_port;
  message.udp.dest = to->u.v4.sin_port;
  message.udp.len = htons (8 + PACKET_BYTES);
  message.ip.check = checksum ((const guint16 *) &message.ip, sizeof message.ip / 2);
  message.icmp.checksum = checksum ((const guint16 *) &message, sizeof message / 2);
  fail_unless (sendto (fd, &message, sizeof message, 0, &from->u.any, from->len) == sizeof message);
  close (fd);
}

/* Sends a packet before and after the forged message.
 * @return the number of fragments that were made */
static guint64
fragments_after_forgery (gint fd, const GstTfrcAddress *from)
{
  static guint8 data[PACKET_BYTES];
  const GstTfrcSendItem item = { .data = data, .size = sizeof data };
  guint64 before = count_fragments ();
  GstTfrcAddress to;
  gint to_fd = test_open_socket ("127.0.0.1", &to), error;

  fail_unless_equals_int (gst_tfrc_socket_send (fd, &to, NULL, &item, 1, &error), 1);
  fail_unless_equals_uint64 (count_fragments (), before);
  forge_fragmentation_needed (from, &to);
  fail_unless_equals_int (gst_tfrc_socket_send (fd, &to, NULL, &item, 1, &error), 1);
  close (to_fd);
  return count_fragments () - before;
}

static gpointer
check_forgery (gpointer unused)
{
  GstTfrcAddress from;
  gint fd, value = IP_PMTUDISC_WANT;

  if (!enter_namespace ())
    return GINT_TO_POINTER (errno);
  fd = test_open_socket ("127.0.0.1", &from);
  fail_unless_equals_uint64 (fragments_after_forgery (fd, &from), 0);
  /* A socket that believes the message makes fragments, so the message is well-formed. */
  fail_unless (setsockopt (fd, IPPROTO_IP, IP_MTU_DISCOVER, &value, sizeof value) == 0);
  fail_unless (fragments_after_forgery (fd, &from) > 0);
  close (fd);
  return NULL;
}

GST_START_TEST (a_forged_mtu_makes_no_fragments)
{
  GThread *thread = g_thread_new ("namespace", check_forgery, NULL);
  gint error = GPOINTER_TO_INT (g_thread_join (thread));

  if (error != 0)
    g_print ("skipped: no network namespace (%s)\n", g_strerror (error));
}

GST_END_TEST;

static Suite *
pathmtu_suite (void)
{
  Suite *s = suite_create ("pathmtu");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, sockets_of_each_kind_ignore_the_mtu_in_icmp_messages);
  tcase_add_test (tc, a_forged_mtu_makes_no_fragments);
  return s;
}

GST_CHECK_MAIN (pathmtu);
