/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Variants of TFRC that papers and measurements need, see experiment.h.  A key is a row of the
 * table. */
#include "experiment.h"

#include <string.h>

#include "enums.h"
#include "number.h"
#include "words.h"

/* RFC 5348 section 5.4 */
#define DEFAULT_HISTORY_LENGTH 8

typedef enum
{
  KIND_ENUM, /* a gint */
  KIND_UINT,
  KIND_DOUBLE
} Kind;

typedef struct
{
  const gchar *name;
  guint ends; /* GstTfrcEnd */
  gsize field;
  Kind kind;
  GType (*get_type) (void); /* KIND_ENUM */
  gdouble min, max;         /* of numbers */
} Key;

#define CHOICE(name, ends, member, get_type) \
  { \
    name, ends, G_STRUCT_OFFSET (GstTfrcChoices, member), KIND_ENUM, get_type, 0, 0 \
  }
#define NUMBER(name, ends, member, kind, min, max) \
  { \
    name, ends, G_STRUCT_OFFSET (GstTfrcChoices, member), kind, NULL, min, max \
  }
#define SENDER GST_TFRC_END_SENDER
#define RECEIVER GST_TFRC_END_RECEIVER

static const Key keys[] = {
  CHOICE ("rtt-method", SENDER, profile.rtt_method, gst_tfrc_rtt_method_get_type),
  CHOICE ("rto-policy", SENDER | RECEIVER, profile.rto_policy, gst_tfrc_rto_policy_get_type),
  CHOICE ("loss-response", SENDER, profile.loss_response, gst_tfrc_loss_response_get_type),
  NUMBER ("link-error-gain", SENDER, profile.link_error_gain, KIND_DOUBLE, 1, 3),
  NUMBER ("rate-scale", SENDER, rate_scale, KIND_DOUBLE, 0.01, 100),
  CHOICE ("loss-interval-method", RECEIVER, profile.loss_interval_method,
      gst_tfrc_loss_interval_method_get_type),
  CHOICE ("loss-classifier", RECEIVER, profile.loss_classifier, gst_tfrc_loss_classifier_get_type),
  NUMBER ("loss-allowance", RECEIVER, profile.loss_allowance, KIND_DOUBLE, 0, 1),
  NUMBER ("history-length", RECEIVER, history_length, KIND_UINT, 2, TFRC_MAX_HISTORY_LENGTH),
  CHOICE ("handover-mode", RECEIVER, handover_mode, gst_tfrc_handover_mode_get_type),
};

/* ---- errors -------------------------------------------------------------- */

static gboolean
refuse_key (GstTfrcEnd end, const gchar *name, GError **error)
{
  GString *list = g_string_new (NULL);
  guint last = G_N_ELEMENTS (keys) - 1;

  while (!(keys[last].ends & end))
    last--;
  for (guint i = 0; i <= last; i++) {
    if (keys[i].ends & end)
      gst_tfrc_words_append (list, keys[i].name, i == last);
  }
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      "Property experiment: unknown key '%s'; the keys are %s", name, list->str);
  g_string_free (list, TRUE);
  return FALSE;
}

static gboolean
refuse_choice (const Key *key, const gchar *value, GError **error)
{
  gchar *values = gst_tfrc_words_of_enum (key->get_type ());

  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      "Property experiment: '%s' is not a value of '%s'; the values are %s", value, key->name,
      values);
  g_free (values);
  return FALSE;
}

static gboolean
refuse_number (const Key *key, const gchar *value, GError **error)
{
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      "Property experiment: '%s' is not a value of '%s', which is %s from %g to %g", value,
      key->name, key->kind == KIND_UINT ? "a whole number" : "a number", key->min, key->max);
  return FALSE;
}

/* ---- values -------------------------------------------------------------- */

static gboolean
read_choice (const Key *key, const gchar *value, gint *field, GError **error)
{
  GEnumClass *klass = g_type_class_ref (key->get_type ());
  const GEnumValue *found = g_enum_get_value_by_nick (klass, value);
  gboolean ok = found != NULL;

  if (ok)
    *field = found->value;
  g_type_class_unref (klass);
  return ok || refuse_choice (key, value, error);
}

static gboolean
read_uint (const Key *key, const gchar *value, guint *field, GError **error)
{
  guint64 number;

  if (!gst_tfrc_number_read (value, (guint64) key->min, (guint64) key->max, &number))
    return refuse_number (key, value, error);
  *field = (guint) number;
  return TRUE;
}

static gboolean
read_double (const Key *key, const gchar *value, gdouble *field, GError **error)
{
  gchar *end;
  gdouble number = g_ascii_strtod (value, &end);

  /* not a number is in no range */
  if (end == value || *end != '\0' || !(number >= key->min && number <= key->max))
    return refuse_number (key, value, error);
  *field = number;
  return TRUE;
}

static gboolean
read_value (const Key *key, const gchar *value, GstTfrcChoices *choices, GError **error)
{
  gpointer field = (guint8 *) choices + key->field;

  switch (key->kind) {
    case KIND_ENUM:
      return read_choice (key, value, field, error);
    case KIND_UINT:
      return read_uint (key, value, field, error);
    case KIND_DOUBLE:
      return read_double (key, value, field, error);
  }
  return FALSE;
}

/* ---- the text ------------------------------------------------------------ */

static const Key *
find_key (GstTfrcEnd end, const gchar *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    if ((keys[i].ends & end) && strcmp (keys[i].name, name) == 0)
      return &keys[i];
  }
  return NULL;
}

/* @given: bit i says that keys[i] has been given */
static gboolean
read_pair (gchar *pair, GstTfrcEnd end, guint *given, GstTfrcChoices *choices, GError **error)
{
  gchar *equals = strchr (pair, '=');
  const gchar *value = equals ? g_strstrip (equals + 1) : "";
  const Key *key;
  guint bit;

  if (equals)
    *equals = '\0';
  key = find_key (end, g_strstrip (pair));
  if (key == NULL)
    return refuse_key (end, g_strstrip (pair), error);
  bit = 1u << (key - keys);
  if (*given & bit) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "Property experiment: the key '%s' is given twice", key->name);
    return FALSE;
  }
  *given |= bit;
  return read_value (key, value, choices, error);
}

static gboolean
read_text (const gchar *text, GstTfrcEnd end, GstTfrcChoices *choices, GError **error)
{
  gchar **pairs = g_strsplit (text, ",", -1);
  gboolean ok = TRUE;
  guint given = 0;

  for (guint i = 0; pairs[i] != NULL && ok; i++)
    ok = read_pair (pairs[i], end, &given, choices, error);
  g_strfreev (pairs);
  return ok;
}

gboolean
gst_tfrc_choices_read (GstTfrcChoices *choices, GstTfrcEnd end, GstTfrcProfile profile,
    const gchar *experiment, GError **error)
{
  const GstTfrcChoices of_profile = { *gst_tfrc_profile_get_values (profile), 1,
    DEFAULT_HISTORY_LENGTH, TFRC_HANDOVER_MODE_DIRECT };

  *choices = of_profile;
  if (experiment == NULL || read_text (experiment, end, choices, error))
    return TRUE;
  *choices = of_profile;
  return FALSE;
}

gboolean
gst_tfrc_experiment_check_sender (const gchar *text, GError **error)
{
  GstTfrcChoices choices;

  return gst_tfrc_choices_read (
      &choices, GST_TFRC_END_SENDER, GST_TFRC_PROFILE_RFC5348, text, error);
}

gboolean
gst_tfrc_experiment_check_receiver (const gchar *text, GError **error)
{
  GstTfrcChoices choices;

  return gst_tfrc_choices_read (
      &choices, GST_TFRC_END_RECEIVER, GST_TFRC_PROFILE_RFC5348, text, error);
}
