/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of protected streams share: files with keys, and waits for the protection's messages. */
#ifndef SECURITY_TEST_H
#define SECURITY_TEST_H

#include "tfrctest.h"

#define PASSPHRASE "a passphrase of the tests"
#define PSK "passphrase=\"" PASSPHRASE "\""

/* RSA: each end knows the other's public key. */
#define SINK_RSA "private-key-file=@sink.key peer-public-key-file=@source.pub"
#define SOURCE_RSA "private-key-file=@source.key peer-public-key-file=@sink.pub"

/* RSA with certificates: the sink knows the source's certificate. */
#define SINK_RSA_CA \
  "private-key-file=@sink.key certificate-file=@sink.crt peer-certificate-file=@source.crt " \
  "ca-file=@ca.crt"
#define SOURCE_RSA_CA "private-key-file=@source.key ca-file=@ca.crt"

/* RSA-R: the sink knows the authority alone. */
#define SINK_RSA_R "private-key-file=@sink.key certificate-file=@sink.crt ca-file=@ca.crt"
#define SOURCE_RSA_R "private-key-file=@source.key certificate-file=@source.crt ca-file=@ca.crt"
#define SOURCE_RSA_R_PEER \
  "private-key-file=@source.key certificate-file=@source.crt peer-certificate-file=@sink.crt"

/* The other end has to have its certificate's name. */
#define NAMED_SINK " peer-name=sink.example.org"
#define NAMED_SOURCE " peer-name=source.example.org"

/* Gives each test of @tcase a directory with the files sink.key, sink.pub, sink.crt, the same of
 * source, ca.crt, expired.crt, self.crt and code.crt (not for signatures), all of sink.key,
 * encrypted.key (sink.key with the passphrase KEY_PASSPHRASE), open.key (sink.key, readable by
 * others) and weak.key (1024 bits).
 * The names of sink.crt and source.crt are sink.example.org and source.example.org.
 * The keys are made now: once in a program, although each test has a process of its own. */
#define KEY_PASSPHRASE "opens the key of the tests"
void test_use_keys (TCase *tcase);

/* Returns a text with each `@' replaced by the directory of the keys; static. */
const gchar *test_with_keys (const gchar *text);

/* As test_receiver_new() and test_sender_new(), with test_with_keys() of the properties */
TestReceiver *test_protected_receiver_new (const gchar *properties);
TestSender *test_protected_sender_new (gint port, const gchar *properties);

/* Waits for the @n-th message tfrc-security with this state. */
void test_wait_security (TestLog *log, guint n, const gchar *state);

/* Waits for the first error or warning, whose text has to contain @part. */
void test_wait_problem (TestLog *log, GstMessageType type, const gchar *part);

/* Returns the number of packets that an element has refused because of the protection. */
guint64 test_refused (GstElement *element);

#endif
