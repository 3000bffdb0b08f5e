/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keys and certificates from files, see pemfiles.h. */
#include "pemfiles.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "certificate.h"

/* ---- errors -------------------------------------------------------------- */

G_GNUC_PRINTF (4, 5)
static void
set_error (GError **error, GIOErrorEnum code, const gchar *file, const gchar *format, ...)
{
  gchar *name = g_filename_display_name (file), *fault;
  va_list arguments;

  va_start (arguments, format);
  fault = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, G_IO_ERROR, code, "%s %s", name, fault);
  g_free (fault);
  g_free (name);
}

/* Takes the fault.  Returns whether there is none. */
static gboolean
accept (gchar *fault, const gchar *file, GError **error)
{
  if (fault == NULL)
    return TRUE;
  set_error (error, G_IO_ERROR_INVALID_DATA, file, "%s", fault);
  g_free (fault);
  return FALSE;
}

/* ---- the bytes of a file ------------------------------------------------- */

typedef struct
{
  gchar *bytes; /* NULL: not read */
  gsize size;
} Text;

static void
text_wipe (Text *text)
{
  if (text->bytes != NULL)
    OPENSSL_cleanse (text->bytes, text->size);
  g_free (text->bytes);
  text->bytes = NULL;
}

static gboolean
check_status (const gchar *file, const struct stat *status, gboolean is_secret, GError **error)
{
  if (!S_ISREG (status->st_mode))
    set_error (error, G_IO_ERROR_NOT_REGULAR_FILE, file, "is not a regular file");
  else if (is_secret && (status->st_mode & (S_IRWXG | S_IRWXO)) != 0)
    set_error (error, G_IO_ERROR_PERMISSION_DENIED, file,
        "has mode %03o: group or others may open the private key; set mode 600",
        (guint) status->st_mode & 0777);
  else if (status->st_size > GST_TFRC_PEM_MAX_BYTES)
    set_error (error, G_IO_ERROR_INVALID_DATA, file, "is longer than %d bytes, the most of a file",
        GST_TFRC_PEM_MAX_BYTES);
  else
    return TRUE;
  return FALSE;
}

/* A file that grows meanwhile is cut off at the size it had. */
static gboolean
read_bytes (gint fd, const gchar *file, gsize size, Text *text, GError **error)
{
  text->bytes = g_malloc0 (size + 1);
  text->size = 0;
  while (text->size < size) {
    gssize n = read (fd, text->bytes + text->size, size - text->size);

    if (n == 0)
      break;
    if (n > 0)
      text->size += n;
    else if (errno != EINTR) {
      set_error (
          error, g_io_error_from_errno (errno), file, "cannot be read: %s", g_strerror (errno));
      text_wipe (text);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
read_text (const gchar *file, gboolean is_secret, Text *text, GError **error)
{
  /* O_NONBLOCK: to open a FIFO must not wait for its writer. */
  gint fd = open (file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat status;
  gboolean is_read;

  text->bytes = NULL;
  if (fd < 0 || fstat (fd, &status) < 0) {
    set_error (
        error, g_io_error_from_errno (errno), file, "cannot be opened: %s", g_strerror (errno));
    if (fd >= 0)
      close (fd);
    return FALSE;
  }
  is_read = check_status (file, &status, is_secret, error)
      && read_bytes (fd, file, status.st_size, text, error);
  close (fd);
  return is_read;
}

/* ---- PEM ----------------------------------------------------------------- */

/* Without a callback OpenSSL would ask on the terminal. */
typedef struct
{
  const gchar *passphrase; /* NULL: none */
  gboolean is_asked;
} Passphrase;

static int
give_passphrase (char *buffer, int size, int is_writing, void *data)
{
  Passphrase *self = data;
  gsize length;

  (void) is_writing;
  self->is_asked = TRUE;
  if (self->passphrase == NULL)
    return -1;
  length = strlen (self->passphrase);
  if (length > (gsize) size)
    return -1;
  memcpy (buffer, self->passphrase, length);
  return length;
}

/* The ends of a private key's label: PKCS #8, encrypted or not, and the older RSA PRIVATE KEY */
#define PRIVATE_KEY "PRIVATE KEY"

/* Says what a file has in place of what is wanted: the label of its first PEM block. */
static void
set_no_such_block (GError **error, const gchar *file, const Text *text, const gchar *wanted)
{
  BIO *bio = BIO_new_mem_buf (text->bytes, text->size);
  gchar *label = NULL, *header = NULL;
  guchar *data = NULL;
  glong size = 0;

  if (bio == NULL || PEM_read_bio (bio, &label, &header, &data, &size) != 1)
    set_error (error, G_IO_ERROR_INVALID_DATA, file, "is not PEM, or damaged: no %s found", wanted);
  else if (strcmp (label, wanted) == 0
      || (strcmp (wanted, PRIVATE_KEY) == 0 && g_str_has_suffix (label, wanted)))
    set_error (error, G_IO_ERROR_INVALID_DATA, file, "has a damaged %s", wanted);
  else
    set_error (error, G_IO_ERROR_INVALID_DATA, file, "has a %s where a %s belongs", label, wanted);
  OPENSSL_free (label);
  OPENSSL_free (header);
  OPENSSL_clear_free (data, size);
  BIO_free (bio);
  ERR_clear_error ();
}

static void
set_no_private_key (
    GError **error, const gchar *file, const Text *text, const Passphrase *passphrase)
{
  if (!passphrase->is_asked)
    set_no_such_block (error, file, text, PRIVATE_KEY);
  else if (passphrase->passphrase == NULL)
    set_error (error, G_IO_ERROR_INVALID_ARGUMENT, file,
        "is encrypted, and private-key-passphrase is not set");
  else
    set_error (error, G_IO_ERROR_INVALID_ARGUMENT, file,
        "cannot be decrypted: private-key-passphrase is wrong, or the file is damaged");
  ERR_clear_error ();
}

/* Takes the key. */
static EVP_PKEY *
accept_key (EVP_PKEY *key, const gchar *file, GError **error)
{
  if (key == NULL || accept (gst_tfrc_rsa_key_find_fault (key), file, error))
    return key;
  EVP_PKEY_free (key);
  return NULL;
}

EVP_PKEY *
gst_tfrc_pem_read_private_key (const gchar *file, const gchar *passphrase, GError **error)
{
  Passphrase asked = { passphrase, FALSE };
  EVP_PKEY *key;
  BIO *bio;
  Text text;

  if (!read_text (file, TRUE, &text, error))
    return NULL;
  bio = BIO_new_mem_buf (text.bytes, text.size);
  key = bio != NULL ? PEM_read_bio_PrivateKey (bio, NULL, give_passphrase, &asked) : NULL;
  if (key == NULL)
    set_no_private_key (error, file, &text, &asked);
  BIO_free (bio);
  text_wipe (&text);
  return accept_key (key, file, error);
}

EVP_PKEY *
gst_tfrc_pem_read_public_key (const gchar *file, GError **error)
{
  Passphrase none = { NULL, FALSE };
  EVP_PKEY *key;
  BIO *bio;
  Text text;

  if (!read_text (file, FALSE, &text, error))
    return NULL;
  bio = BIO_new_mem_buf (text.bytes, text.size);
  key = bio != NULL ? PEM_read_bio_PUBKEY (bio, NULL, give_passphrase, &none) : NULL;
  if (key == NULL)
    set_no_such_block (error, file, &text, PEM_STRING_PUBLIC);
  BIO_free (bio);
  text_wipe (&text);
  return accept_key (key, file, error);
}

X509 *
gst_tfrc_pem_read_certificate (const gchar *file, guint32 uses, guint64 wall_ns, GError **error)
{
  Passphrase none = { NULL, FALSE };
  X509 *certificate;
  BIO *bio;
  Text text;

  if (!read_text (file, FALSE, &text, error))
    return NULL;
  bio = BIO_new_mem_buf (text.bytes, text.size);
  certificate = bio != NULL ? PEM_read_bio_X509 (bio, NULL, give_passphrase, &none) : NULL;
  if (certificate == NULL)
    set_no_such_block (error, file, &text, PEM_STRING_X509);
  BIO_free (bio);
  text_wipe (&text);
  if (certificate == NULL
      || accept (gst_tfrc_certificate_find_fault (certificate, uses, wall_ns), file, error))
    return certificate;
  X509_free (certificate);
  return NULL;
}

/* Returns whether all certificates of the file are in the store, and at least one. */
static gboolean
add_certificates (X509_STORE *store, BIO *bio)
{
  Passphrase none = { NULL, FALSE };
  gboolean is_added = FALSE;
  X509 *certificate;

  while ((certificate = PEM_read_bio_X509 (bio, NULL, give_passphrase, &none)) != NULL) {
    is_added = X509_STORE_add_cert (store, certificate) == 1;
    X509_free (certificate);
    if (!is_added)
      return FALSE;
  }
  return is_added && ERR_GET_REASON (ERR_peek_last_error ()) == PEM_R_NO_START_LINE;
}

X509_STORE *
gst_tfrc_pem_read_authorities (const gchar *file, GError **error)
{
  X509_STORE *store;
  BIO *bio;
  Text text;

  if (!read_text (file, FALSE, &text, error))
    return NULL;
  bio = BIO_new_mem_buf (text.bytes, text.size);
  store = X509_STORE_new ();
  ERR_clear_error ();
  if (bio == NULL || store == NULL || !add_certificates (store, bio)) {
    set_no_such_block (error, file, &text, PEM_STRING_X509);
    X509_STORE_free (store);
    store = NULL;
  }
  ERR_clear_error ();
  BIO_free (bio);
  text_wipe (&text);
  return store;
}
