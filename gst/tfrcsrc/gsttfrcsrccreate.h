/* The output of tfrcsrc. */
#ifndef GST_TFRC_SRC_CREATE_H
#define GST_TFRC_SRC_CREATE_H

#include <gst/base/gstpushsrc.h>

G_BEGIN_DECLS

/** Waits for the next packet; the `create' of the class.  Streaming thread. */
GstFlowReturn gst_tfrc_src_create (GstPushSrc *src, GstBuffer **buffer);

G_END_DECLS
#endif
