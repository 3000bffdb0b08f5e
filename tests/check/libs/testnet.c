/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sockets for the tests, see testnet.h. */
#include "testnet.h"

#include <unistd.h>

gint
test_open_socket (const gchar *bind_address, GstTfrcAddress *local)
{
  GstTfrcSocketConfig config = GST_TFRC_SOCKET_CONFIG_INIT;
  GError *error = NULL;
  gint fd;

  config.bind_address = bind_address;
  fd = gst_tfrc_socket_open (&config, local, &error);
  fail_unless (fd >= 0, "%s", error ? error->message : "no error");
  return fd;
}

gint
test_open_deaf_socket (const gchar *bind_address, GstTfrcAddress *local)
{
  gint fd = test_open_socket (bind_address, local);
  struct sockaddr_storage own;
  socklen_t length = sizeof own;

  /* The socket is connected to itself, so it receives from itself alone. */
  fail_unless (getsockname (fd, (struct sockaddr *) &own, &length) == 0);
  fail_unless (connect (fd, (struct sockaddr *) &own, length) == 0);
  return fd;
}

GstTfrcAddress
test_address (const gchar *host, guint16 port)
{
  GstTfrcAddress result;
  GError *error = NULL;

  fail_unless (gst_tfrc_address_resolve (&result, host, port, AF_UNSPEC, &error), "%s",
      error ? error->message : "no error");
  return result;
}

gboolean
test_host_has_ipv6 (void)
{
  GstTfrcSocketConfig config = GST_TFRC_SOCKET_CONFIG_INIT;
  gint fd;

  config.bind_address = "::1";
  fd = gst_tfrc_socket_open (&config, NULL, NULL);
  if (fd < 0) {
    g_print ("skipped: this host has no IPv6\n");
    return FALSE;
  }
  close (fd);
  return TRUE;
}
