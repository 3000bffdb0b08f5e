/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An element with a property of every kind. */
#ifndef URITEST_H
#define URITEST_H

#include "gst/common/uri.h"
#include <gst/check/gstcheck.h>

#define DEFAULT_HOST "127.0.0.1"

typedef struct
{
  GstElement parent;
  gchar *host;
  gint port, ttl;
  guint latency;
  guint64 max_bitrate;
  gboolean keep;
  gint leaky;
  guint writes;
} TestElement;

typedef GstElementClass TestElementClass;

enum
{
  PROP_0,
  PROP_URI,
  PROP_HOST,
  PROP_PORT,
  PROP_TTL,
  PROP_LATENCY,
  PROP_MAX_BITRATE,
  PROP_KEEP,
  PROP_LEAKY,
  PROP_SECRET,
  PROP_STATS,
};

static GType test_element_get_type (void);
G_DEFINE_TYPE (TestElement, test_element, GST_TYPE_ELEMENT);

static inline GType
leaky_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { 0, "Not leaky", "no" }, { 1, "New packets", "upstream" },
    { 2, "Old packets", "downstream" }, { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("TestLeaky", values));
  return type;
}

static inline void
test_element_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  TestElement *self = (TestElement *) object;

  self->writes++;
  switch (id) {
    case PROP_HOST:
      g_free (self->host);
      self->host = g_value_dup_string (value);
      break;
    case PROP_PORT:
      self->port = g_value_get_int (value);
      break;
    case PROP_TTL:
      self->ttl = g_value_get_int (value);
      break;
    case PROP_LATENCY:
      self->latency = g_value_get_uint (value);
      break;
    case PROP_MAX_BITRATE:
      self->max_bitrate = g_value_get_uint64 (value);
      break;
    case PROP_KEEP:
      self->keep = g_value_get_boolean (value);
      break;
    case PROP_LEAKY:
      self->leaky = g_value_get_enum (value);
      break;
  }
}

/* Tests compare the fields of the element, so the value does not matter. */
static inline void
test_element_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  g_value_set_int (value, 0);
}

static inline void
test_element_finalize (GObject *object)
{
  g_free (((TestElement *) object)->host);
  G_OBJECT_CLASS (test_element_parent_class)->finalize (object);
}

static inline void
test_element_class_init (TestElementClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  struct
  {
    guint id;
    GParamSpec *spec;
  } properties[] = {
    { PROP_URI, g_param_spec_string ("uri", "", "", NULL, G_PARAM_READWRITE) },
    { PROP_HOST, g_param_spec_string ("host", "", "", NULL, G_PARAM_READWRITE) },
    { PROP_PORT, g_param_spec_int ("port", "", "", 1, 65535, 5004, G_PARAM_READWRITE) },
    { PROP_TTL, g_param_spec_int ("ttl", "", "", -1, 255, -1, G_PARAM_READWRITE) },
    { PROP_LATENCY, g_param_spec_uint ("latency", "", "", 0, 1000, 200, G_PARAM_READWRITE) },
    { PROP_MAX_BITRATE,
        g_param_spec_uint64 (
            "max-bitrate", "", "", 0, G_GUINT64_CONSTANT (1000000000000), 0, G_PARAM_READWRITE) },
    { PROP_KEEP, g_param_spec_boolean ("keep", "", "", FALSE, G_PARAM_READWRITE) },
    { PROP_LEAKY, g_param_spec_enum ("leaky", "", "", leaky_get_type (), 0, G_PARAM_READWRITE) },
    { PROP_SECRET, g_param_spec_string ("secret", "", "", NULL, G_PARAM_WRITABLE) },
    { PROP_STATS, g_param_spec_int ("stats", "", "", 0, 1, 0, G_PARAM_READABLE) },
  };

  object_class->set_property = test_element_set_property;
  object_class->get_property = test_element_get_property;
  object_class->get_property = test_element_get_property;
  object_class->finalize = test_element_finalize;
  for (guint i = 0; i < G_N_ELEMENTS (properties); i++)
    g_object_class_install_property (object_class, properties[i].id, properties[i].spec);
  gst_element_class_set_static_metadata (klass, "Test", "Test", "Test", "Test");
}

static inline void
test_element_init (TestElement *self)
{
  self->host = g_strdup (DEFAULT_HOST);
  self->port = GST_TFRC_DEFAULT_PORT;
}

static TestElement *element;

static inline void
setup (void)
{
  element = g_object_ref_sink (g_object_new (test_element_get_type (), NULL));
}

static inline void
teardown (void)
{
  gst_element_set_state (GST_ELEMENT (element), GST_STATE_NULL);
  gst_object_unref (element);
}

static inline void
assert_accepted (const gchar *uri)
{
  GError *error = NULL;

  fail_unless (gst_tfrc_uri_apply (GST_ELEMENT (element), uri, &error), "%s: %s", uri,
      error ? error->message : "no error set");
  fail_unless (error == NULL);
}

/* Checks that the URI is refused, that the message names the error, and that no property has been
 * written. */
static inline void
assert_refused (const gchar *uri, const gchar *named, GstURIError code)
{
  guint writes = element->writes;
  GError *error = NULL;

  fail_if (gst_tfrc_uri_apply (GST_ELEMENT (element), uri, &error), "%s was accepted", uri);
  fail_unless (error != NULL);
  fail_unless (error->domain == GST_URI_ERROR);
  fail_unless_equals_int (error->code, code);
  fail_unless (
      strstr (error->message, named) != NULL, "%s: '%s' lacks '%s'", uri, error->message, named);
  fail_unless_equals_int (element->writes, writes);
  g_error_free (error);
  /* the caller may pass NULL instead of an error */
  fail_if (gst_tfrc_uri_apply (GST_ELEMENT (element), uri, NULL));
}

static inline void
assert_place (const gchar *host, gint port)
{
  fail_unless_equals_string (element->host, host);
  fail_unless_equals_int (element->port, port);
}

#endif
