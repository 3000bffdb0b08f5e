/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keys of passphrases, see passphrasekey.h. */
#include "passphrasekey.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

#include "../common/fork.h"
#include "../common/random.h"
#include "../common/threads.h"

/* Costs of scrypt (RFC 7914): 16 MiB of memory for each guess at a passphrase.
 *
 * OpenSSL frees them.  glibc gives the first 16 MiB of a process back to the kernel, and keeps later
 * ones for the next big block of the same thread's heap: its mmap threshold has grown by then.
 * malloc_trim() would give them back, but holds the locks of all heaps for as long as it walks through
 * them, which other streams would wait for. */
#define SCRYPT_N 16384
#define SCRYPT_R 8
#define SCRYPT_P 1

/* The salt is fixed, because both ends need the same key before a message has passed that could
 * carry a random one.  Somebody can therefore guess at the passphrases of all streams in one go;
 * scrypt makes each guess expensive.  The number changes with the costs. */
static const guchar salt[] = "gst-tfrc passphrase 1";

#define NAME_BYTES 32 /* of HMAC-SHA-256 */

GST_TFRC_DECLARE_MUTEX (GstTfrcPassphraseKeyMutex, gst_tfrc_passphrase_key_mutex)

typedef enum
{
  PENDING, /* a thread derives the key, without the mutex */
  READY,
  FAILED
} State;

struct _GstTfrcPassphraseKey
{
  GstTfrcPassphraseKey *next;
  guint references;
  State state;
  guint8 name[NAME_BYTES];        /* of the passphrase in this process */
  guint8 psk[GST_TFRC_PSK_BYTES]; /* constant once the state is READY */
};

static GstTfrcPassphraseKeyMutex mutex;
static GCond changed; /* a key is no longer PENDING */
static GstTfrcPassphraseKey *keys GST_TFRC_GUARDED_BY (gst_tfrc_passphrase_key_mutex);
static guint n_derived GST_TFRC_GUARDED_BY (gst_tfrc_passphrase_key_mutex);

/* The names are keyed, so that a name that leaks alone gives nothing to guess at with less than scrypt.
 * The key is not that of a stream: it is made for the first name and ends with the last. */
static guint8 name_key[NAME_BYTES] GST_TFRC_GUARDED_BY (gst_tfrc_passphrase_key_mutex);

/* A thread of the parent that derives a key does not do so in the child.  Streams of the parent give
 * back their references here as well, without their keys in the list. */
static void
forget (void) GST_TFRC_REQUIRES (gst_tfrc_passphrase_key_mutex)
{
  keys = NULL;
}

static gpointer
guard_mutex (gpointer data)
{
  gst_tfrc_fork_guard (&mutex.mutex, forget);
  return data;
}

static void
lock_keys (void) GST_TFRC_ACQUIRE (gst_tfrc_passphrase_key_mutex)
{
  static GOnce once = G_ONCE_INIT;

  g_once (&once, guard_mutex, NULL);
  gst_tfrc_passphrase_key_mutex_lock (&mutex);
}

/* ---- the list ------------------------------------------------------------ */

/* @param fresh for the key of names, if there are none yet */
static gboolean
write_name (const gchar *passphrase, gsize size, const guint8 fresh[NAME_BYTES],
    guint8 name[NAME_BYTES]) GST_TFRC_REQUIRES (gst_tfrc_passphrase_key_mutex)
{
  if (keys == NULL)
    memcpy (name_key, fresh, NAME_BYTES);
  return HMAC (EVP_sha256 (), name_key, sizeof name_key, (const guchar *) passphrase, size, name,
             NULL)
      != NULL;
}

static GstTfrcPassphraseKey *
find_or_add (const guint8 name[NAME_BYTES]) GST_TFRC_REQUIRES (gst_tfrc_passphrase_key_mutex)
{
  GstTfrcPassphraseKey *self;

  for (self = keys; self != NULL; self = self->next) {
    if (CRYPTO_memcmp (self->name, name, NAME_BYTES) == 0)
      return self;
  }
  self = g_new0 (GstTfrcPassphraseKey, 1);
  memcpy (self->name, name, NAME_BYTES);
  self->next = keys;
  keys = self;
  return self;
}

static void
take_out (GstTfrcPassphraseKey *self) GST_TFRC_REQUIRES (gst_tfrc_passphrase_key_mutex)
{
  for (GstTfrcPassphraseKey **link = &keys; *link != NULL; link = &(*link)->next) {
    if (*link == self) {
      *link = self->next;
      break;
    }
  }
  if (keys == NULL)
    OPENSSL_cleanse (name_key, sizeof name_key);
}

static void
release (GstTfrcPassphraseKey *self) GST_TFRC_REQUIRES (gst_tfrc_passphrase_key_mutex)
{
  if (--self->references > 0)
    return;
  take_out (self);
  OPENSSL_cleanse (self, sizeof *self);
  g_free (self);
}

/* ---- derivation ---------------------------------------------------------- */

static gboolean
derive (const gchar *passphrase, gsize size, guint8 psk[GST_TFRC_PSK_BYTES])
{
  if (EVP_PBE_scrypt (passphrase, size, salt, sizeof salt - 1, SCRYPT_N, SCRYPT_R, SCRYPT_P, 0, psk,
          GST_TFRC_PSK_BYTES)
      == 1)
    return TRUE;
  ERR_clear_error ();
  return FALSE;
}

/* Other streams go on meanwhile, and those with the same passphrase wait. */
static void
derive_unlocked (GstTfrcPassphraseKey *self, const gchar *passphrase, gsize size)
    GST_TFRC_REQUIRES (gst_tfrc_passphrase_key_mutex)
{
  guint8 psk[GST_TFRC_PSK_BYTES];
  gboolean is_derived;

  gst_tfrc_passphrase_key_mutex_unlock (&mutex);
  is_derived = derive (passphrase, size, psk);
  lock_keys ();
  memcpy (self->psk, psk, sizeof psk);
  OPENSSL_cleanse (psk, sizeof psk);
  self->state = is_derived ? READY : FAILED;
  n_derived++;
  g_cond_broadcast (&changed);
}

static void
make_ready (GstTfrcPassphraseKey *self, const gchar *passphrase, gsize size)
    GST_TFRC_REQUIRES (gst_tfrc_passphrase_key_mutex)
{
  if (self->references++ == 0)
    derive_unlocked (self, passphrase, size);
  while (self->state == PENDING)
    gst_tfrc_passphrase_key_mutex_wait (&mutex, &changed);
}

GstTfrcPassphraseKey *
gst_tfrc_passphrase_key_get (const gchar *passphrase, gsize size)
{
  GstTfrcPassphraseKey *self = NULL;
  guint8 fresh[NAME_BYTES], name[NAME_BYTES];

  if (!gst_tfrc_random_fill (fresh, sizeof fresh))
    return NULL;
  lock_keys ();
  if (write_name (passphrase, size, fresh, name)) {
    self = find_or_add (name);
    make_ready (self, passphrase, size);
    /* What failed for want of memory is tried again by who comes when all who waited have gone. */
    if (self->state == FAILED) {
      release (self);
      self = NULL;
    }
  }
  gst_tfrc_passphrase_key_mutex_unlock (&mutex);
  OPENSSL_cleanse (fresh, sizeof fresh);
  return self;
}

void
gst_tfrc_passphrase_key_release (GstTfrcPassphraseKey *self)
{
  if (self == NULL)
    return;
  lock_keys ();
  release (self);
  gst_tfrc_passphrase_key_mutex_unlock (&mutex);
}

const guint8 *
gst_tfrc_passphrase_key_peek (const GstTfrcPassphraseKey *self)
{
  return self->psk;
}

guint
gst_tfrc_passphrase_key_count (void)
{
  guint count;

  lock_keys ();
  count = n_derived;
  gst_tfrc_passphrase_key_mutex_unlock (&mutex);
  return count;
}
