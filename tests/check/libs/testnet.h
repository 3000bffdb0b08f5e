/* Sockets for the tests.  Traffic stays on the loopback interface. */
#ifndef TEST_NET_H
#define TEST_NET_H

#include <gst/check/gstcheck.h>

#include "gst/io/socket.h"

/* Opens a socket on any free port of @bind_address. */
gint test_open_socket (const gchar *bind_address, GstTfrcAddress *local);

/* The same, but what others send there is refused as if the port was closed, which
 * nobody else can open meanwhile. */
gint test_open_deaf_socket (const gchar *bind_address, GstTfrcAddress *local);

/* Resolves what is known to be good. */
GstTfrcAddress test_address (const gchar *host, guint16 port);

/* If not, says that something is skipped. */
gboolean test_host_has_ipv6 (void);

#endif
