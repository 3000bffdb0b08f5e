#ifndef GST_TFRC_SRC_H
#define GST_TFRC_SRC_H

#include <gst/base/gstpushsrc.h>

G_BEGIN_DECLS

#define GST_TYPE_TFRC_SRC (gst_tfrc_src_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcSrc, gst_tfrc_src, GST, TFRC_SRC, GstPushSrc)

GST_ELEMENT_REGISTER_DECLARE (tfrcsrc);

G_END_DECLS
#endif
