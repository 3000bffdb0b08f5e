/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a packet of a movie is worth to the viewer: its class, and the picture and the group of pictures
 * that it belongs to. The sink's classifier says it (gst/tfrcsink/tsclassifier.h), and a queue that
 * cannot send all in time goes by it. */
#ifndef GST_TFRC_IMPORTANCE_H
#define GST_TFRC_IMPORTANCE_H

#include <glib.h>

G_BEGIN_DECLS

/** The most important first */
typedef enum
{
  GST_TFRC_CLASS_TABLES,        /**< new PAT and PMT, what descrambles, PCR without payload */
  GST_TFRC_CLASS_AUDIO,         /**< of any program */
  GST_TFRC_CLASS_RANDOM_ACCESS, /**< a picture at which decoding can begin */
  GST_TFRC_CLASS_REFERENCE,     /**< a picture that others are predicted from */
  GST_TFRC_CLASS_UNKNOWN,       /**< no class is known: not the least, as it may be any of these */
  GST_TFRC_CLASS_NON_REFERENCE, /**< a picture that no other is predicted from */
  GST_TFRC_CLASS_NULL           /**< null packets only: they keep a rate and carry nothing */
} GstTfrcClass;

#define GST_TFRC_CLASSES (GST_TFRC_CLASS_NULL + 1)

typedef struct
{
  guint8 class;    /* GstTfrcClass */
  guint32 picture; /* counts up from 1 and wraps to 1; 0: belongs to no picture */
  /* Pictures from one random access to the next of the same elementary stream, counted likewise; 0: to
   * no group, as before the first random access. Numbers of two streams differ. */
  guint32 group;
} GstTfrcImportance;

/** Nothing is known. */
#define GST_TFRC_IMPORTANCE_INIT \
  { \
    GST_TFRC_CLASS_UNKNOWN, 0, 0 \
  }

G_END_DECLS
#endif
