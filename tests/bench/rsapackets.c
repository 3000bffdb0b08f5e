/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU time and size of packets that RSA protects, one by one, compared with AES-128-GCM, which SRTP
 * uses (RFC 7714).  The enhanced-TFRC paper proposes RSA on packets.  RSA encrypts a packet in
 * blocks of what OAEP leaves of the modulus (RFC 8017 section 7.1).
 *
 * One process measures everything in turns.  The result is the median of many rounds, so that
 * other work on the machine hardly matters. */
#include <stdbool.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/rsa.h>

#include "cost.h"

#define RSA_BITS 2048
#define BLOCK_BYTES (RSA_BITS / 8)
#define HASH_BYTES 32                                 /* SHA-256 */
#define TEXT_BYTES (BLOCK_BYTES - 2 * HASH_BYTES - 2) /* of a block of OAEP */
#define BLOCKS ((SEGMENT_BYTES + TEXT_BYTES - 1) / TEXT_BYTES)
#define IV_BYTES 12
#define TAG_BYTES 16
#define GCM_BATCH 64 /* packets, enough for reading the clock hardly to count */

/* The packet, and what becomes of it */
static unsigned char packet[SEGMENT_BYTES], protected_packet[BLOCKS * BLOCK_BYTES],
    opened[SEGMENT_BYTES];

/* A decryption with RSA takes so long that other work often interrupts it. */
static double
cpu_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1e9 + now.tv_nsec;
}

/* ---- RSA --------------------------------------------------------------- */

static EVP_PKEY_CTX *
new_oaep (EVP_PKEY *key, bool is_encrypting)
{
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new (key, NULL);

  REQUIRE (
      (is_encrypting ? EVP_PKEY_encrypt_init (context) : EVP_PKEY_decrypt_init (context)) == 1);
  REQUIRE (EVP_PKEY_CTX_set_rsa_padding (context, RSA_PKCS1_OAEP_PADDING) == 1);
  REQUIRE (EVP_PKEY_CTX_set_rsa_oaep_md (context, EVP_sha256 ()) == 1);
  return context;
}

static double
cost_of_rsa_encryption (EVP_PKEY_CTX *context)
{
  double begin = cpu_ns ();
  int i;

  for (i = 0; i < BLOCKS; i++) {
    size_t at = (size_t) i * TEXT_BYTES, size = BLOCK_BYTES;
    size_t text = SEGMENT_BYTES - at < TEXT_BYTES ? SEGMENT_BYTES - at : TEXT_BYTES;

    REQUIRE (
        EVP_PKEY_encrypt (context, protected_packet + i * BLOCK_BYTES, &size, packet + at, text)
        == 1);
    REQUIRE (size == BLOCK_BYTES);
  }
  return cpu_ns () - begin;
}

static double
cost_of_rsa_decryption (EVP_PKEY_CTX *context)
{
  unsigned char text[BLOCK_BYTES];
  double begin = cpu_ns (), end;
  size_t at = 0;
  int i;

  for (i = 0; i < BLOCKS; i++) {
    size_t size = sizeof text;

    REQUIRE (
        EVP_PKEY_decrypt (context, text, &size, protected_packet + i * BLOCK_BYTES, BLOCK_BYTES)
        == 1);
    REQUIRE (at + size <= sizeof opened);
    memcpy (opened + at, text, size);
    at += size;
  }
  end = cpu_ns ();
  REQUIRE (at == SEGMENT_BYTES && memcmp (opened, packet, SEGMENT_BYTES) == 0);
  return end - begin;
}

/* RSASSA-PSS with SHA-256 (RFC 8017 section 8.1) */
static void
start_signature (EVP_MD_CTX *context, EVP_PKEY *key, bool is_signing)
{
  EVP_PKEY_CTX *parameters;

  REQUIRE ((is_signing ? EVP_DigestSignInit (context, &parameters, EVP_sha256 (), NULL, key)
                       : EVP_DigestVerifyInit (context, &parameters, EVP_sha256 (), NULL, key))
      == 1);
  REQUIRE (EVP_PKEY_CTX_set_rsa_padding (parameters, RSA_PKCS1_PSS_PADDING) == 1);
}

static double
cost_of_signing (EVP_MD_CTX *context, EVP_PKEY *key, unsigned char signature[BLOCK_BYTES])
{
  double begin = cpu_ns ();
  size_t size = BLOCK_BYTES;

  start_signature (context, key, true);
  REQUIRE (EVP_DigestSign (context, signature, &size, packet, sizeof packet) == 1);
  REQUIRE (size == BLOCK_BYTES);
  return cpu_ns () - begin;
}

static double
cost_of_verifying (EVP_MD_CTX *context, EVP_PKEY *key, const unsigned char signature[BLOCK_BYTES])
{
  double begin = cpu_ns ();

  start_signature (context, key, false);
  REQUIRE (EVP_DigestVerify (context, signature, BLOCK_BYTES, packet, sizeof packet) == 1);
  return cpu_ns () - begin;
}

/* ---- AES-128-GCM ------------------------------------------------------- */

/* The key is set once, the number of the packet makes the IV: as in SRTP. */
typedef struct
{
  EVP_CIPHER_CTX *encrypt, *decrypt;
  unsigned char packets[GCM_BATCH][SEGMENT_BYTES], tags[GCM_BATCH][TAG_BYTES];
} Gcm;

static void
start_gcm (Gcm *gcm)
{
  static const unsigned char key[16] = { 1 };

  gcm->encrypt = EVP_CIPHER_CTX_new ();
  gcm->decrypt = EVP_CIPHER_CTX_new ();
  REQUIRE (EVP_EncryptInit_ex (gcm->encrypt, EVP_aes_128_gcm (), NULL, key, NULL) == 1);
  REQUIRE (EVP_DecryptInit_ex (gcm->decrypt, EVP_aes_128_gcm (), NULL, key, NULL) == 1);
}

static double
cost_of_gcm_encryption (Gcm *gcm)
{
  unsigned char iv[IV_BYTES] = { 0 };
  double begin = cpu_ns ();
  int i, size;

  for (i = 0; i < GCM_BATCH; i++) {
    memcpy (iv, &i, sizeof i);
    REQUIRE (EVP_EncryptInit_ex (gcm->encrypt, NULL, NULL, NULL, iv) == 1);
    REQUIRE (EVP_EncryptUpdate (gcm->encrypt, gcm->packets[i], &size, packet, sizeof packet) == 1);
    REQUIRE (EVP_EncryptFinal_ex (gcm->encrypt, gcm->packets[i] + size, &size) == 1);
    REQUIRE (
        EVP_CIPHER_CTX_ctrl (gcm->encrypt, EVP_CTRL_AEAD_GET_TAG, TAG_BYTES, gcm->tags[i]) == 1);
  }
  return (cpu_ns () - begin) / GCM_BATCH;
}

static double
cost_of_gcm_decryption (Gcm *gcm)
{
  unsigned char iv[IV_BYTES] = { 0 };
  double begin = cpu_ns ();
  int i, size;

  for (i = 0; i < GCM_BATCH; i++) {
    memcpy (iv, &i, sizeof i);
    REQUIRE (EVP_DecryptInit_ex (gcm->decrypt, NULL, NULL, NULL, iv) == 1);
    REQUIRE (EVP_DecryptUpdate (gcm->decrypt, opened, &size, gcm->packets[i], sizeof opened) == 1);
    REQUIRE (
        EVP_CIPHER_CTX_ctrl (gcm->decrypt, EVP_CTRL_AEAD_SET_TAG, TAG_BYTES, gcm->tags[i]) == 1);
    REQUIRE (EVP_DecryptFinal_ex (gcm->decrypt, opened + size, &size) == 1);
  }
  return (cpu_ns () - begin) / GCM_BATCH;
}

/* ---- measurement ------------------------------------------------------- */

enum
{
  GCM_ENCRYPTION,
  GCM_DECRYPTION,
  RSA_ENCRYPTION,
  RSA_DECRYPTION,
  RSA_SIGNATURE,
  RSA_VERIFICATION,
  COSTS
};

static const char *const names[COSTS] = { "AES-128-GCM, encryption", "AES-128-GCM, decryption",
  "RSA-2048-OAEP, encryption", "RSA-2048-OAEP, decryption", "RSA-2048-PSS, signature",
  "RSA-2048-PSS, verification" };
static const int growth[COSTS] = { TAG_BYTES, TAG_BYTES, BLOCKS *BLOCK_BYTES - SEGMENT_BYTES,
  BLOCKS *BLOCK_BYTES - SEGMENT_BYTES, BLOCK_BYTES, BLOCK_BYTES };

int
main (void)
{
  static double costs[COSTS][ROUNDS];
  static Gcm gcm;
  unsigned char signature[BLOCK_BYTES];
  EVP_PKEY *key = EVP_RSA_gen (RSA_BITS);
  EVP_PKEY_CTX *oaep_encrypt, *oaep_decrypt;
  EVP_MD_CTX *digest = EVP_MD_CTX_new ();
  double ns[COSTS];
  int i;

  REQUIRE (key != NULL && digest != NULL);
  oaep_encrypt = new_oaep (key, true);
  oaep_decrypt = new_oaep (key, false);
  start_gcm (&gcm);
  for (i = 0; i < SEGMENT_BYTES; i++)
    packet[i] = i;
  for (i = 0; i < ROUNDS; i++) {
    costs[GCM_ENCRYPTION][i] = cost_of_gcm_encryption (&gcm);
    costs[GCM_DECRYPTION][i] = cost_of_gcm_decryption (&gcm);
    costs[RSA_ENCRYPTION][i] = cost_of_rsa_encryption (oaep_encrypt);
    costs[RSA_DECRYPTION][i] = cost_of_rsa_decryption (oaep_decrypt);
    EVP_MD_CTX_reset (digest);
    costs[RSA_SIGNATURE][i] = cost_of_signing (digest, key, signature);
    EVP_MD_CTX_reset (digest);
    costs[RSA_VERIFICATION][i] = cost_of_verifying (digest, key, signature);
  }
  printf ("A packet of %d bytes; RSA encrypts %d blocks\n", SEGMENT_BYTES, BLOCKS);
  for (i = 0; i < COSTS; i++) {
    ns[i] = median (costs[i], ROUNDS);
    printf ("%-28s %10.2f us %8.0f times GCM  +%3d bytes (%4.1f %%)\n", names[i], ns[i] / 1e3,
        ns[i] / ns[i % 2], growth[i], 100.0 * growth[i] / SEGMENT_BYTES);
  }
  for (i = 0; i < COSTS; i++)
    printf ("%-28s %10.2f Mbit/s with one core\n", names[i], SEGMENT_BYTES * 8e3 / ns[i]);

  EVP_PKEY_CTX_free (oaep_encrypt);
  EVP_PKEY_CTX_free (oaep_decrypt);
  EVP_CIPHER_CTX_free (gcm.encrypt);
  EVP_CIPHER_CTX_free (gcm.decrypt);
  EVP_MD_CTX_free (digest);
  EVP_PKEY_free (key);
  return 0;
}
