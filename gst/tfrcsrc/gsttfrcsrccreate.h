/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The output of tfrcsrc. */
#ifndef GST_TFRC_SRC_CREATE_H
#define GST_TFRC_SRC_CREATE_H

#include "gsttfrcsrcobject.h"

G_BEGIN_DECLS

/** Waits for the next packet; the `create' of the class.  Streaming thread. */
GstFlowReturn gst_tfrc_src_create (GstPushSrc *src, GstBuffer **buffer);

/** Frees the packets that were taken from the stream and have not left.  No streaming thread runs. */
void gst_tfrc_src_drop_pulled (GstTfrcSrc *self);

G_END_DECLS
#endif
