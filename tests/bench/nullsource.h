/* A source of null packets of a transport stream, for the benchmarks */
#ifndef NULLSOURCE_H
#define NULLSOURCE_H

#include <gst/base/gstpushsrc.h>
#include <gst/gst.h>

#define TS_BYTES 188

typedef struct
{
  GstPushSrc parent;
  gsize buffer_bytes;
  guint64 rate_bps; /* of the time stamps; 0: buffers have none */
  GBytes *bytes;    /* the contents of every buffer */
  guint64 buffers;
} NullSource;

typedef struct
{
  GstPushSrcClass parent;
} NullSourceClass;

enum
{
  NULL_SOURCE_BUFFER_BYTES = 1,
  NULL_SOURCE_RATE
};

GType null_source_get_type (void);
G_DEFINE_TYPE (NullSource, null_source, GST_TYPE_PUSH_SRC)

static guint64 null_source_buffers; /* made by all sources; atomic */

static GstFlowReturn
null_source_create (GstPushSrc *src, GstBuffer **buffer)
{
  NullSource *self = (NullSource *) src;

  if (self->bytes == NULL) {
    guint8 *bytes = g_malloc0 (self->buffer_bytes);

    for (gsize i = 0; i < self->buffer_bytes; i += TS_BYTES) {
      bytes[i] = 0x47;
      bytes[i + 1] = 0x1f;
      bytes[i + 2] = 0xff;
      bytes[i + 3] = 0x10;
    }
    self->bytes = g_bytes_new_take (bytes, self->buffer_bytes);
  }
  *buffer = gst_buffer_new_wrapped_bytes (self->bytes);
  if (self->rate_bps > 0)
    GST_BUFFER_PTS (*buffer) = gst_util_uint64_scale (
        self->buffers, self->buffer_bytes * 8 * GST_SECOND, self->rate_bps);
  self->buffers++;
  __atomic_add_fetch (&null_source_buffers, 1, __ATOMIC_RELAXED);
  return GST_FLOW_OK;
}

static void
null_source_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  NullSource *self = (NullSource *) object;

  if (id == NULL_SOURCE_BUFFER_BYTES)
    self->buffer_bytes = g_value_get_uint (value) / TS_BYTES * TS_BYTES;
  else
    self->rate_bps = g_value_get_uint64 (value);
}

static void
null_source_finalize (GObject *object)
{
  g_clear_pointer (&((NullSource *) object)->bytes, g_bytes_unref);
  G_OBJECT_CLASS (null_source_parent_class)->finalize (object);
}

static void
null_source_class_init (NullSourceClass *klass)
{
  static GstStaticPadTemplate src = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
      GST_STATIC_CAPS ("video/mpegts, systemstream=true, packetsize=188"));

  G_OBJECT_CLASS (klass)->set_property = null_source_set_property;
  G_OBJECT_CLASS (klass)->finalize = null_source_finalize;
  g_object_class_install_property (G_OBJECT_CLASS (klass), NULL_SOURCE_BUFFER_BYTES,
      g_param_spec_uint ("buffer-bytes", "Buffer bytes", "Size of each buffer", TS_BYTES, 1 << 20,
          7 * TS_BYTES, G_PARAM_WRITABLE | G_PARAM_CONSTRUCT));
  g_object_class_install_property (G_OBJECT_CLASS (klass), NULL_SOURCE_RATE,
      g_param_spec_uint64 ("rate", "Rate", "Rate of the time stamps in bit/s; 0: no time stamps", 0,
          G_MAXUINT64, 0, G_PARAM_WRITABLE | G_PARAM_CONSTRUCT));
  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (klass), &src);
  gst_element_class_set_static_metadata (
      GST_ELEMENT_CLASS (klass), "Null source", "Source", "Null packets", "gst-tfrc");
  GST_PUSH_SRC_CLASS (klass)->create = null_source_create;
}

static void
null_source_init (NullSource *self)
{
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}

static inline void
null_source_register (void)
{
  gst_element_register (NULL, "nullsource", GST_RANK_NONE, null_source_get_type ());
}

#endif
