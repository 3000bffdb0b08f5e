/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The elements' side of their stream's protection, the same for both: properties, credentials,
 * statistics, messages and the signal `rekey'. */
#ifndef GST_TFRC_SECURITYELEMENT_H
#define GST_TFRC_SECURITYELEMENT_H

#include "../common/properties.h"
#include "security.h"

G_BEGIN_DECLS

/** Settings of both elements.  Strings are NULL if they are not given. */
typedef struct
{
  gchar *passphrase;
  gchar *private_key_file;
  gchar *private_key_passphrase;
  gchar *certificate_file;
  gchar *peer_public_key_file;
  gchar *peer_certificate_file;
  gchar *ca_file;
  gchar *peer_name;
  gint protect; /* GstTfrcProtect */
} GstTfrcSecuritySettings;

#define GST_TFRC_SECURITY_STRING(Struct, name, nick, blurb, member) \
  { \
    name, nick, blurb, GST_TFRC_CHANGE_READY, GST_TFRC_PROPERTY_STRING (NULL), \
        GST_TFRC_PROPERTY_FIELD (Struct, member) \
  }
#define GST_TFRC_SECURITY_SECRET(Struct, name, nick, blurb, member) \
  { \
    name, nick, blurb, GST_TFRC_CHANGE_READY, .is_secret = TRUE, GST_TFRC_PROPERTY_STRING (NULL), \
                                              GST_TFRC_PROPERTY_FIELD (Struct, member) \
  }

/** The rows of both elements' tables of properties, for a struct of settings that has a member
 * `security'. */
#define GST_TFRC_SECURITY_PROPERTIES(Struct) \
  GST_TFRC_SECURITY_SECRET (Struct, "passphrase", "Passphrase", \
      "Secret of 10 to 79 characters that both ends share; the stream is then protected (SRTP)", \
      security.passphrase), \
      GST_TFRC_SECURITY_STRING (Struct, "private-key-file", "Private key file", \
          "File (PEM) with the RSA private key of this end, which only its owner may read; the " \
          "stream is then protected (SRTP)", \
          security.private_key_file), \
      GST_TFRC_SECURITY_SECRET (Struct, "private-key-passphrase", "Private key passphrase", \
          "Passphrase of an encrypted private key", security.private_key_passphrase), \
      GST_TFRC_SECURITY_STRING (Struct, "certificate-file", "Certificate file", \
          "File (PEM) with the certificate of the private key, which the peer is shown", \
          security.certificate_file), \
      GST_TFRC_SECURITY_STRING (Struct, "peer-public-key-file", "Peer public key file", \
          "File (PEM) with the public key that the peer has to have", \
          security.peer_public_key_file), \
      GST_TFRC_SECURITY_STRING (Struct, "peer-certificate-file", "Peer certificate file", \
          "File (PEM) with the certificate that the peer has to have", \
          security.peer_certificate_file), \
      GST_TFRC_SECURITY_STRING (Struct, "ca-file", "CA file", \
          "File (PEM) with the certificates of authorities, one of which has to have signed the " \
          "peer's certificate", \
          security.ca_file), \
      GST_TFRC_SECURITY_STRING (Struct, "peer-name", "Peer name", \
          "Name that the peer's certificate has to have: a DNS name, an IP address or a URI of its " \
          "subjectAltName", \
          security.peer_name), \
  { \
    "protect", "Protect", "Which packets are protected, if there are keys; the same at both ends", \
        GST_TFRC_CHANGE_READY, \
        GST_TFRC_PROPERTY_ENUM (gst_tfrc_protect_get_type, GST_TFRC_PROTECT_ALL), \
        GST_TFRC_PROPERTY_FIELD (Struct, security.protect) \
  }

/** Loads the credentials that the settings describe.  Takes some 50 ms with a passphrase.  Any
 * thread but the I/O loop's, without the object's lock.
 * @param settings of @a element, which are read under the object's lock
 * @param config set: credentials, which the caller unrefs, or NULL; and protect
 * @return FALSE if the credentials cannot be used: an error has been posted */
gboolean gst_tfrc_security_load (GstElement *element, const GstTfrcSecuritySettings *settings,
    gboolean is_sender, GstTfrcSecurityConfig *config);

/** Adds the fields of the protection to the statistics of an element. */
void gst_tfrc_security_add_stats (GstStructure *s, const GstTfrcSecurityStats *stats);

/** Posts the message `tfrc-security', and an error or a warning if the event calls for one.  Runs
 * the application's code: without a lock held, not on the I/O loop's thread.
 * @param goes_on a failure does not end the stream */
void gst_tfrc_security_report (GstElement *element, const GstTfrcEvent *event,
    const GstTfrcSecurityStats *stats, gboolean goes_on);

/** Adds the action signal `rekey' to the class of an element.
 * @param handler called on the thread that emits the signal */
void gst_tfrc_security_install_signal (GType type, void (*handler) (GstElement *element));

G_END_DECLS
#endif
