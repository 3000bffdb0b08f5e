/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What keys and certificates have to be, see certificate.h. */
#include "certificate.h"

#include <gio/gio.h>
#include <openssl/err.h>
#include <string.h>

gchar *
gst_tfrc_rsa_key_find_fault (EVP_PKEY *key)
{
  if (key == NULL)
    return g_strdup ("has a key of an unknown type, not an RSA key");
  if (!EVP_PKEY_is_a (key, "RSA"))
    return g_strdup_printf ("has a key of type %s, not an RSA key", EVP_PKEY_get0_type_name (key));
  if (EVP_PKEY_get_bits (key) < GST_TFRC_RSA_MIN_BITS)
    return g_strdup_printf (
        "has an RSA key of %d bits, fewer than %d", EVP_PKEY_get_bits (key), GST_TFRC_RSA_MIN_BITS);
  return NULL;
}

/* OpenSSL says that all bits are set if there is no such extension, and none if an extension of the
 * certificate is malformed. */
static const gchar *
find_use_fault (X509 *certificate, guint32 uses)
{
  guint32 missing = uses & ~X509_get_key_usage (certificate);

  if (missing & GST_TFRC_CERTIFICATE_SIGNS)
    return "has a certificate that is not for signatures: keyUsage is without digitalSignature";
  if (missing & GST_TFRC_CERTIFICATE_TAKES_KEYS)
    return "has a certificate that is not for encrypted keys: keyUsage is without keyEncipherment";
  if ((X509_get_extended_key_usage (certificate) & (XKU_SSL_SERVER | XKU_SSL_CLIENT | XKU_ANYEKU))
      == 0)
    return "has a certificate for other purposes: extendedKeyUsage has neither serverAuth nor "
           "clientAuth";
  return NULL;
}

gchar *
gst_tfrc_certificate_find_fault (X509 *certificate, guint32 uses, guint64 wall_ns)
{
  const gchar *use_fault = find_use_fault (certificate, uses);
  time_t now = wall_ns / G_GUINT64_CONSTANT (1000000000);

  /* X509_cmp_time() returns 0 for a time that it cannot read. */
  if (X509_cmp_time (X509_get0_notBefore (certificate), &now) >= 0)
    return g_strdup ("has a certificate that is not valid yet");
  if (X509_cmp_time (X509_get0_notAfter (certificate), &now) <= 0)
    return g_strdup ("has a certificate that is expired");
  if (use_fault != NULL)
    return g_strdup (use_fault);
  return gst_tfrc_rsa_key_find_fault (X509_get0_pubkey (certificate));
}

static gboolean
has_uri (X509 *certificate, const gchar *uri)
{
  GENERAL_NAMES *names = X509_get_ext_d2i (certificate, NID_subject_alt_name, NULL, NULL);
  gsize size = strlen (uri);
  gboolean is_found = FALSE;

  for (gint i = 0; i < sk_GENERAL_NAME_num (names) && !is_found; i++) {
    gint type;
    const ASN1_STRING *name = GENERAL_NAME_get0_value (sk_GENERAL_NAME_value (names, i), &type);

    is_found = type == GEN_URI && (gsize) ASN1_STRING_length (name) == size
        && memcmp (ASN1_STRING_get0_data (name), uri, size) == 0;
  }
  GENERAL_NAMES_free (names);
  return is_found;
}

gboolean
gst_tfrc_certificate_has_name (X509 *certificate, const gchar *name)
{
  const guint flags = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT;
  gboolean is_found;

  if (strstr (name, "://") != NULL)
    is_found = has_uri (certificate, name);
  else if (g_hostname_is_ip_address (name))
    is_found = X509_check_ip_asc (certificate, name, 0) == 1;
  else
    is_found = X509_check_host (certificate, name, 0, flags, NULL) == 1;
  ERR_clear_error ();
  return is_found;
}
