/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Why key messages are refused, see mikeyerror.h. */
#include "mikeyerror.h"

GQuark
gst_tfrc_mikey_error_quark (void)
{
  return g_quark_from_static_string ("gst-tfrc-mikey-error");
}

const gchar *
gst_tfrc_mikey_error_describe (GstTfrcMikeyError reason)
{
  switch (reason) {
    case GST_TFRC_MIKEY_MALFORMED:
      return "The key message is damaged, or another program made the message. "
             "Check the address and the version of the peer.";
    case GST_TFRC_MIKEY_UNSUPPORTED:
      return "The key message is of a mode or has an algorithm that this end does not offer. "
             "Give both ends a passphrase, or both ends RSA keys.";
    case GST_TFRC_MIKEY_WRONG_PASSPHRASE:
      return "The passphrases of the two ends differ. Give both ends the same passphrase.";
    case GST_TFRC_MIKEY_UNKNOWN_KEY:
      return "The peer has another RSA key than the known one. "
             "Check the public key or the certificate of the peer at both ends.";
    case GST_TFRC_MIKEY_BAD_CERTIFICATE:
      return "The certificate is missing, expired, not valid yet, not signed by the known CA, or not "
             "for this use. "
             "Check the certificates, the CA file and peer-name at both ends, and the clocks.";
    case GST_TFRC_MIKEY_WRONG_NAME:
      return "The certificate of the peer does not have the name of peer-name. "
             "Check peer-name, and the subjectAltName of the peer's certificate.";
    case GST_TFRC_MIKEY_CLOCK:
      return "The clocks of the two ends differ by more than 5 minutes. Set the clocks, with NTP.";
    case GST_TFRC_MIKEY_REPLAYED:
      return "The key message has come before. "
             "Nothing has to be done, unless the message stays away that is to come.";
    case GST_TFRC_MIKEY_OTHER_EXCHANGE:
      return "The key message answers another message, or is for another receiver. "
             "Check that one receiver alone is at the address.";
    case GST_TFRC_MIKEY_FAILED:
      return "The cryptographic libraries or the random numbers of the system fail. "
             "Check the installation of OpenSSL and libsrtp.";
  }
  return "The key exchange fails for an unknown reason. Check the version of the peer.";
}
