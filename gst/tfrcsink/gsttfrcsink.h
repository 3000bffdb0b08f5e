#ifndef GST_TFRC_SINK_H
#define GST_TFRC_SINK_H

#include <gst/base/gstbasesink.h>

G_BEGIN_DECLS

#define GST_TYPE_TFRC_SINK (gst_tfrc_sink_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcSink, gst_tfrc_sink, GST, TFRC_SINK, GstBaseSink)

GST_ELEMENT_REGISTER_DECLARE (tfrcsink);

G_END_DECLS
#endif
