/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keys of the passphrases that streams of this process use.
 *
 * scrypt makes guesses expensive, and so it makes the first stream with a passphrase wait: some 50 ms
 * and 16 MiB.  All others with the same passphrase share its key, as long as one of them has it. */
#ifndef GST_TFRC_PASSPHRASEKEY_H
#define GST_TFRC_PASSPHRASEKEY_H

#include <glib.h>

G_BEGIN_DECLS

#define GST_TFRC_PSK_BYTES 32

typedef struct _GstTfrcPassphraseKey GstTfrcPassphraseKey;

/** Returns the key of a passphrase, which has a reference more.  Derives the key if no stream has it,
 * in this thread; waits if another thread derives it.  Any thread but that of an I/O loop.
 * @param passphrase, size bytes, of which no copy is kept
 * @return NULL if the system has no random numbers or OpenSSL's scrypt fails */
GstTfrcPassphraseKey *gst_tfrc_passphrase_key_get (const gchar *passphrase, gsize size);

/** Gives the reference back.  The last one wipes the key.  Any thread.  NULL is allowed. */
void gst_tfrc_passphrase_key_release (GstTfrcPassphraseKey *self);

/** Returns the GST_TFRC_PSK_BYTES of the key, which belong to the reference.  Any thread. */
const guint8 *gst_tfrc_passphrase_key_peek (const GstTfrcPassphraseKey *self);

/** Returns how many keys this process has derived.  For tests. */
guint gst_tfrc_passphrase_key_count (void);

G_END_DECLS
#endif
