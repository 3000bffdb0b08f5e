/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loads credentials as an element would, now:
 *
 *   check-credentials sender|receiver OPTION=VALUE...
 *
 * An OPTION has the name of a member of GstTfrcCredentialsConfig, with hyphens.  "verify=FILE" is
 * the certificate that a peer sends.  Prints how keys will be exchanged.  Exit status: 0 accepted,
 * 1 refused, with the reason. */
#include <openssl/pem.h>
#include <stdio.h>
#include <string.h>

#include "gst/security/credentials-private.h"

static const gchar *
find (gchar **options, const gchar *name)
{
  gsize length = strlen (name);

  for (; *options != NULL; options++)
    if (strncmp (*options, name, length) == 0 && (*options)[length] == '=')
      return *options + length + 1;
  return NULL;
}

static gboolean
verify (const GstTfrcCredentials *credentials, const gchar *path, guint32 uses, guint64 wall_ns,
    GError **error)
{
  FILE *file = fopen (path, "r");
  X509 *certificate = file != NULL ? PEM_read_X509 (file, NULL, NULL, NULL) : NULL;
  EVP_PKEY *key = gst_tfrc_credentials_get_peer_key (
      credentials, certificate, uses, wall_ns, error);

  if (file != NULL)
    fclose (file);
  X509_free (certificate);
  EVP_PKEY_free (key);
  return key != NULL;
}

int
main (int argc, char **argv)
{
  static const gchar *const names[] = { "NONE", "PSK", "RSA", "RSA_R" };
  guint64 wall_ns = (guint64) g_get_real_time () * 1000;
  gchar **options = argv + MIN (argc, 2);
  GstTfrcCredentialsConfig config = {
    .passphrase = find (options, "passphrase"),
    .private_key_file = find (options, "private-key-file"),
    .private_key_passphrase = find (options, "private-key-passphrase"),
    .certificate_file = find (options, "certificate-file"),
    .peer_public_key_file = find (options, "peer-public-key-file"),
    .peer_certificate_file = find (options, "peer-certificate-file"),
    .ca_file = find (options, "ca-file"),
    .peer_name = find (options, "peer-name"),
  };
  const gchar *peer = find (options, "verify");
  gboolean is_sender = argc > 1 && strcmp (argv[1], "sender") == 0;
  /* A receiver asks for keys with its certificate, and a sender signs them. */
  guint32 uses = GST_TFRC_CERTIFICATE_SIGNS | (is_sender ? GST_TFRC_CERTIFICATE_TAKES_KEYS : 0);
  GError *error = NULL;
  GstTfrcCredentials *credentials = gst_tfrc_credentials_new (&config, is_sender, wall_ns, &error);

  if (credentials != NULL && (peer == NULL || verify (credentials, peer, uses, wall_ns, &error)))
    puts (names[gst_tfrc_credentials_get_key_exchange (credentials)]);
  else
    fprintf (stderr, "%s\n", error->message);
  gst_tfrc_credentials_unref (credentials);
  if (error == NULL)
    return 0;
  g_error_free (error);
  return 1;
}
