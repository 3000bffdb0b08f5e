/* What the files of the element share.  Not for others. */
#ifndef GST_TFRC_SRC_PRIVATE_H
#define GST_TFRC_SRC_PRIVATE_H

#include "../io/routewatch.h"
#include "../common/notifier.h"
#include "gsttfrcsrc.h"
#include "gsttfrcsrcsettings.h"
#include "../session/srcstream.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_tfrc_src_debug);

struct _GstTfrcSrc
{
  GstPushSrc parent;
  GstTfrcNotifier notifier;
  GstTfrcRouteWatch *route_watch; /* from start to stop, if there is to be one */
  GMutex changing;                /* held while the stream changes its link or is
                                 * taken away; taken before the object's lock */

  /* under the object's lock */
  GstTfrcSrcSettings settings;
  GstTfrcSrcStream *stream; /* exists from start to stop */
  gboolean rtp;             /* output is application/x-rtp; set while negotiating */
};

/* gsttfrcsrcstats.c */

/** Returns the statistics of the stream, all zero without one; for the caller to free. */
GstStructure *gst_tfrc_src_get_stats (GstTfrcSrc *self);

/* gsttfrcsrcuri.c */

/** Fills in a GstURIHandlerInterface. */
void gst_tfrc_src_uri_handler_init (gpointer iface, gpointer data);

/* gsttfrcsrccreate.c */

GstFlowReturn gst_tfrc_src_create (GstPushSrc *src, GstBuffer **buffer);

/* gsttfrcsrchandover.c */

/** Adds the signals. */
void gst_tfrc_src_handover_install (GstTfrcSrcClass *klass);

void gst_tfrc_src_handover_init (GstTfrcSrc *self);
void gst_tfrc_src_handover_clear (GstTfrcSrc *self);

/** The stream has been started, or will be stopped. */
void gst_tfrc_src_handover_start (GstTfrcSrc *self);
void gst_tfrc_src_handover_stop (GstTfrcSrc *self);

/** The route to the sender may have changed: does what `auto-handover' wants. */
void gst_tfrc_src_handover_follow_route (GstTfrcSrc *self);

/** Events of the stream */
void gst_tfrc_src_on_handover (gpointer user);
void gst_tfrc_src_on_old_endpoint (gpointer user);

G_END_DECLS
#endif
