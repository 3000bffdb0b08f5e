/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forged ICMP messages, in a network namespace of the test, which needs privileges */
#ifndef ICMPTEST_H
#define ICMPTEST_H

#include <errno.h>
#include <net/if.h>
#include <netinet/icmp6.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/ip_icmp.h>
#include <netinet/udp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "testnet.h"

static inline gboolean
enter_namespace (void)
{
  struct ifreq request = { .ifr_name = "lo" };
  gint fd;

  if (unshare (CLONE_NEWNET) < 0)
    return FALSE;
  fd = socket (AF_INET, SOCK_DGRAM, 0);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  fail_unless (ioctl (fd, SIOCSIFFLAGS, &request) == 0);
  close (fd);
  return TRUE;
}

static inline guint16
checksum (const guint16 *words, gsize n)
{
  guint32 sum = 0;

  while (n-- > 0)
    sum += *words++;
  sum = (sum >> 16) + (sum & 0xffff);
  return (guint16) ~(sum + (sum >> 16));
}

/* Sends the message that a router would send about a packet between these addresses. */
static inline void
forge_v4 (const GstTfrcAddress *from, const GstTfrcAddress *to, guint8 type, guint8 code)
{
  struct
  {
    struct icmphdr icmp;
    struct iphdr ip;
    struct udphdr udp;
  } message = { 0 };
  gint fd = socket (AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);

  fail_unless (fd >= 0);
  message.icmp.type = type;
  message.icmp.code = code;
  message.ip.version = 4;
  message.ip.ihl = 5;
  message.ip.tot_len = htons (128);
  message.ip.ttl = 1;
  message.ip.protocol = IPPROTO_UDP;
  message.ip.saddr = from->u.v4.sin_addr.s_addr;
  message.ip.daddr = to->u.v4.sin_addr.s_addr;
  message.udp.source = from->u.v4.sin_port;
  message.udp.dest = to->u.v4.sin_port;
  message.udp.len = htons (108);
  message.ip.check = checksum ((const guint16 *) &message.ip, sizeof message.ip / 2);
  message.icmp.checksum = checksum ((const guint16 *) &message, sizeof message / 2);
  fail_unless (sendto (fd, &message, sizeof message, 0, &from->u.any, from->len) == sizeof message);
  close (fd);
}

/* The kernel writes the checksum. */
static inline void
forge_v6 (const GstTfrcAddress *from, const GstTfrcAddress *to, guint8 type, guint8 code)
{
  struct
  {
    struct icmp6_hdr icmp;
    struct ip6_hdr ip;
    struct udphdr udp;
  } message = { 0 };
  struct sockaddr_in6 name = from->u.v6;
  gint fd = socket (AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMPV6);

  fail_unless (fd >= 0);
  name.sin6_port = 0;
  message.icmp.icmp6_type = type;
  message.icmp.icmp6_code = code;
  message.ip.ip6_vfc = 0x60;
  message.ip.ip6_plen = htons (108);
  message.ip.ip6_nxt = IPPROTO_UDP;
  message.ip.ip6_hlim = 1;
  message.ip.ip6_src = from->u.v6.sin6_addr;
  message.ip.ip6_dst = to->u.v6.sin6_addr;
  message.udp.source = from->u.v6.sin6_port;
  message.udp.dest = to->u.v6.sin6_port;
  message.udp.len = htons (108);
  fail_unless (sendto (fd, &message, sizeof message, 0, (struct sockaddr *) &name, sizeof name)
      == sizeof message);
  close (fd);
}

static inline void
forge_time_exceeded (const GstTfrcAddress *from, const GstTfrcAddress *to)
{
  if (gst_tfrc_address_family (from) == AF_INET6)
    forge_v6 (from, to, ICMP6_TIME_EXCEEDED, ICMP6_TIME_EXCEED_TRANSIT);
  else
    forge_v4 (from, to, ICMP_TIME_EXCEEDED, ICMP_EXC_TTL);
}

static inline gpointer
check_in_namespace (gpointer data)
{
  void (*check) (void) = *(void (**) (void)) data;

  if (!enter_namespace ())
    return GINT_TO_POINTER (errno);
  check ();
  return NULL;
}

static inline void
run_in_namespace (void (*check) (void))
{
  GThread *thread = g_thread_new ("namespace", check_in_namespace, &check);
  gint error = GPOINTER_TO_INT (g_thread_join (thread));

  if (error != 0)
    g_print ("skipped: no network namespace (%s)\n", g_strerror (error));
}

#endif
