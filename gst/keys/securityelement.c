/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The elements' side of their stream's protection, see securityelement.h. */
#include "securityelement.h"

#include <string.h>

#include "../common/clock.h"
#include "../common/enums.h"
#include "../common/messages.h"

/* ---- credentials --------------------------------------------------------- */

static void
free_secret (gchar *secret)
{
  if (secret)
    explicit_bzero (secret, strlen (secret));
  g_free (secret);
}

static void
copy_settings (
    GstElement *element, const GstTfrcSecuritySettings *settings, GstTfrcSecuritySettings *copy)
{
  GST_OBJECT_LOCK (element);
  copy->passphrase = g_strdup (settings->passphrase);
  copy->private_key_file = g_strdup (settings->private_key_file);
  copy->private_key_passphrase = g_strdup (settings->private_key_passphrase);
  copy->certificate_file = g_strdup (settings->certificate_file);
  copy->peer_public_key_file = g_strdup (settings->peer_public_key_file);
  copy->peer_certificate_file = g_strdup (settings->peer_certificate_file);
  copy->ca_file = g_strdup (settings->ca_file);
  copy->peer_name = g_strdup (settings->peer_name);
  copy->protect = settings->protect;
  GST_OBJECT_UNLOCK (element);
}

static void
clear_settings (GstTfrcSecuritySettings *settings)
{
  free_secret (settings->passphrase);
  free_secret (settings->private_key_passphrase);
  g_free (settings->private_key_file);
  g_free (settings->certificate_file);
  g_free (settings->peer_public_key_file);
  g_free (settings->peer_certificate_file);
  g_free (settings->ca_file);
  g_free (settings->peer_name);
}

static gboolean
are_given (const GstTfrcSecuritySettings *settings)
{
  return settings->passphrase || settings->private_key_file || settings->private_key_passphrase
      || settings->certificate_file || settings->peer_public_key_file
      || settings->peer_certificate_file || settings->ca_file || settings->peer_name;
}

gboolean
gst_tfrc_security_load (GstElement *element, const GstTfrcSecuritySettings *settings,
    gboolean is_sender, GstTfrcSecurityConfig *config)
{
  GstTfrcSecuritySettings copy;
  GError *error = NULL;

  copy_settings (element, settings, &copy);
  config->protect = (GstTfrcProtect) copy.protect;
  config->credentials = NULL;
  if (copy.protect != GST_TFRC_PROTECT_NONE && are_given (&copy)) {
    const GstTfrcCredentialsConfig given = { copy.passphrase, copy.private_key_file,
      copy.private_key_passphrase, copy.certificate_file, copy.peer_public_key_file,
      copy.peer_certificate_file, copy.ca_file, copy.peer_name };

    config->credentials = gst_tfrc_credentials_new (
        &given, is_sender, gst_tfrc_clock_wall_ns (), &error);
  }
  clear_settings (&copy);
  if (error == NULL)
    return TRUE;
  GST_ELEMENT_ERROR (
      element, RESOURCE, SETTINGS, ("The stream cannot be protected: %s", error->message), (NULL));
  g_error_free (error);
  return FALSE;
}

/* ---- statistics ---------------------------------------------------------- */

static const gchar *
key_exchange_name (GstTfrcKeyExchange key_exchange)
{
  switch (key_exchange) {
    case GST_TFRC_KEY_EXCHANGE_NONE:
      return "none";
    case GST_TFRC_KEY_EXCHANGE_PSK:
      return "psk";
    case GST_TFRC_KEY_EXCHANGE_RSA:
      return "rsa";
    case GST_TFRC_KEY_EXCHANGE_RSA_R:
      return "rsa-r";
  }
  return "unknown";
}

static const gchar *
cipher_name (const GstTfrcSecurityStats *stats, gboolean has_keys)
{
  return has_keys ? gst_tfrc_enum_get_nick (GST_TYPE_TFRC_CIPHER, (gint) stats->cipher) : "none";
}

void
gst_tfrc_security_add_stats (GstStructure *s, const GstTfrcSecurityStats *stats)
{
  const GstTfrcSecurityRefusals *refused = &stats->refused;
  guint64 age_ns = stats->key_ns ? gst_tfrc_clock_now_ns () - stats->key_ns : 0;

  gst_structure_set (s, "protected", G_TYPE_BOOLEAN, stats->in_force, "cipher", G_TYPE_STRING,
      cipher_name (stats, stats->established), "key-exchange", G_TYPE_STRING,
      key_exchange_name (stats->key_exchange), "key-age", G_TYPE_UINT64, age_ns, "rekeyings",
      G_TYPE_UINT64, stats->rekeyings, "peer-protected", G_TYPE_BOOLEAN,
      stats->established || stats->peer_is_protected, "key-messages-refused", G_TYPE_UINT64,
      stats->key_messages_refused, "packets-refused-authentication", G_TYPE_UINT64, refused->forged,
      "packets-refused-replay", G_TYPE_UINT64, refused->replayed, "packets-refused-plaintext",
      G_TYPE_UINT64, refused->plaintext, "packets-refused-no-key", G_TYPE_UINT64, refused->no_key,
      NULL);
}

/* ---- messages ------------------------------------------------------------ */

static const gchar *
state_name (GstTfrcEventKind kind)
{
  switch (kind) {
    case GST_TFRC_EVENT_SECURITY_ESTABLISHED:
      return "established";
    case GST_TFRC_EVENT_SECURITY_REKEYED:
      return "rekeyed";
    case GST_TFRC_EVENT_SECURITY_REKEY_FAILED:
      return "rekey-failed";
    case GST_TFRC_EVENT_SECURITY_FAILED:
      return "failed";
    case GST_TFRC_EVENT_SECURITY_EXPIRED:
      return "expired";
    case GST_TFRC_EVENT_SECURITY_NO_KEYS:
      return "no-keys";
    default:
      return "unknown";
  }
}

static void
post_problem (GstElement *element, const GstTfrcEvent *event, gboolean goes_on)
{
  switch (event->kind) {
    case GST_TFRC_EVENT_SECURITY_FAILED:
      if (goes_on)
        GST_ELEMENT_WARNING (
            element, RESOURCE, NOT_AUTHORIZED, ("No keys: %s", event->of.reason), (NULL));
      else
        GST_ELEMENT_ERROR (
            element, RESOURCE, NOT_AUTHORIZED, ("No keys: %s", event->of.reason), (NULL));
      break;
    case GST_TFRC_EVENT_SECURITY_EXPIRED:
      GST_ELEMENT_ERROR (element, RESOURCE, NOT_AUTHORIZED,
          ("The key has protected as many packets as a key may, and the peer has not taken a new "
           "one."),
          (NULL));
      break;
    case GST_TFRC_EVENT_SECURITY_NO_KEYS:
      GST_ELEMENT_WARNING (element, RESOURCE, NOT_AUTHORIZED,
          ("The sender's stream is protected, and this end has no keys."),
          ("set passphrase or private-key-file"));
      break;
    default:
      break;
  }
}

void
gst_tfrc_security_report (GstElement *element, const GstTfrcEvent *event,
    const GstTfrcSecurityStats *stats, gboolean goes_on)
{
  /* A source has keys before it has chosen its peer, and statistics are about the peer. */
  gboolean has_keys = stats->established || event->kind == GST_TFRC_EVENT_SECURITY_ESTABLISHED
      || event->kind == GST_TFRC_EVENT_SECURITY_REKEYED;
  const gchar *reason = event->of.reason ? event->of.reason : "";

  GST_INFO_OBJECT (
      element, "protection: %s%s%s", state_name (event->kind), *reason ? ", " : "", reason);
  gst_tfrc_message_post (element,
      gst_structure_new ("tfrc-security", "state", G_TYPE_STRING, state_name (event->kind),
          "reason", G_TYPE_STRING, reason, "cipher", G_TYPE_STRING, cipher_name (stats, has_keys),
          "key-exchange", G_TYPE_STRING, key_exchange_name (stats->key_exchange), NULL));
  post_problem (element, event, goes_on);
}

/* ---- the signal ---------------------------------------------------------- */

void
gst_tfrc_security_install_signal (GType type, void (*handler) (GstElement *element))
{
  g_signal_new_class_handler ("rekey", type, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (handler), NULL, NULL, NULL, G_TYPE_NONE, 0);
}
