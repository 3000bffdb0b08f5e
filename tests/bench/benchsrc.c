/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "benchsrc.h"

#include <gst/base/gstpushsrc.h>

#include "benchpacket.h"

#define DEFAULT_RATE_BPS 640000

typedef struct
{
  GstPushSrc parent;
  guint stream;
  guint64 rate_bps;
  guint32 packets;
} BenchSrc;

typedef struct
{
  GstPushSrcClass parent;
} BenchSrcClass;

enum
{
  PROP_STREAM = 1,
  PROP_RATE,
};

GType bench_src_get_type (void);
G_DEFINE_TYPE (BenchSrc, bench_src, GST_TYPE_PUSH_SRC)

static guint64 packets_made;     /* by all sources; atomic */
static guint64 packets_measured; /* those of them that are marked; atomic */
static guint64 base_ns;          /* atomic; 0: not known yet */
static guint64 measure_begin_ns, measure_end_ns;
static gint64 realtime_offset_ns;

void
bench_src_set_times (guint64 base, guint64 begin_ns, guint64 end_ns)
{
  measure_begin_ns = begin_ns;
  measure_end_ns = end_ns;
  realtime_offset_ns = bench_realtime_offset_ns ();
  __atomic_store_n (&base_ns, base, __ATOMIC_RELEASE);
}

guint64
bench_src_packets (void)
{
  return __atomic_load_n (&packets_made, __ATOMIC_RELAXED);
}

guint64
bench_src_measured_packets (void)
{
  return __atomic_load_n (&packets_measured, __ATOMIC_RELAXED);
}

static GstFlowReturn
bench_src_create (GstPushSrc *src, GstBuffer **buffer)
{
  BenchSrc *self = (BenchSrc *) src;
  guint64 base = __atomic_load_n (&base_ns, __ATOMIC_ACQUIRE);
  guint64 spacing_ns = bench_spacing_ns (self->rate_bps);
  guint64 pts = self->packets * spacing_ns + bench_phase_ns (self->stream, spacing_ns);
  guint8 *bytes = g_malloc (BENCH_PACKET_BYTES);
  BenchMark mark = { .magic = BENCH_MARK_MAGIC, .stream = self->stream, .number = self->packets++ };

  if (base != 0) {
    mark.due_ns = base + pts + (guint64) realtime_offset_ns;
    mark.measured = base + pts >= measure_begin_ns && base + pts < measure_end_ns;
  }
  bench_packet_fill (bytes, &mark);
  *buffer = gst_buffer_new_wrapped (bytes, BENCH_PACKET_BYTES);
  GST_BUFFER_PTS (*buffer) = pts;
  __atomic_add_fetch (&packets_made, 1, __ATOMIC_RELAXED);
  __atomic_add_fetch (&packets_measured, mark.measured ? 1 : 0, __ATOMIC_RELAXED);
  return GST_FLOW_OK;
}

static void
bench_src_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  BenchSrc *self = (BenchSrc *) object;

  if (id == PROP_STREAM)
    self->stream = g_value_get_uint (value);
  else
    self->rate_bps = g_value_get_uint64 (value);
}

static void
bench_src_class_init (BenchSrcClass *klass)
{
  static GstStaticPadTemplate src = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
      GST_STATIC_CAPS ("video/mpegts, systemstream=true, packetsize=188"));
  GObjectClass *object = G_OBJECT_CLASS (klass);

  object->set_property = bench_src_set_property;
  g_object_class_install_property (object, PROP_STREAM,
      g_param_spec_uint ("stream", "Stream", "Number in the packets' marks", 0,
          BENCH_MAX_STREAMS - 1, 0, G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (object, PROP_RATE,
      g_param_spec_uint64 ("rate", "Rate", "bit/s of payload", 1000, 1000000000, DEFAULT_RATE_BPS,
          G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS));
  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (klass), &src);
  gst_element_class_set_static_metadata (
      GST_ELEMENT_CLASS (klass), "Bench source", "Source", "Null packets", "gst-tfrc");
  GST_PUSH_SRC_CLASS (klass)->create = bench_src_create;
}

static void
bench_src_init (BenchSrc *self)
{
  self->rate_bps = DEFAULT_RATE_BPS;
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}

void
bench_src_register (void)
{
  gst_element_register (NULL, "benchsrc", GST_RANK_NONE, bench_src_get_type ());
}
