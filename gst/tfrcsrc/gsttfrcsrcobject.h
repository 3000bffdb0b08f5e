/* The inside of tfrcsrc, for the files of the element only. */
#ifndef GST_TFRC_SRC_PRIVATE_H
#define GST_TFRC_SRC_PRIVATE_H

#include "../io/routewatch.h"
#include "../common/gate.h"
#include "../common/notifier.h"
#include "../common/properties.h"
#include "gsttfrcsrc.h"
#include "gsttfrcsrcsettings.h"
#include "../session/srcstream.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_tfrc_src_debug);

struct _GstTfrcSrc
{
  GstPushSrc parent;
  GstTfrcNotifier notifier;
  GstTfrcRouteWatch *route_watch; /* from start to stop, with `auto-handover' */

  /* under the object's lock */
  GstTfrcSrcSettings settings;
  gboolean rtp; /* output is application/x-rtp; set while negotiating */

  /* Exists from start to stop.  The streaming thread uses the stream as long as it runs; other
   * threads use it inside the gate, which is closed while there is none. */
  GstTfrcSrcStream *stream;
  GstTfrcGate gate;
};

/* gsttfrcsrcstats.c */

/** Returns the statistics as a structure that the caller owns.  Any thread. */
GstStructure *gst_tfrc_src_get_stats (GstTfrcSrc *self);

/* gsttfrcsrcproperties.c */
extern const GstTfrcProperty gst_tfrc_src_properties[];

/** Gives the stream, if there is one, all settings that may change while it runs. */
void gst_tfrc_src_apply_settings (GstTfrcSrc *self);

/* gsttfrcsrcuri.c */

/** Fills in a GstURIHandlerInterface. */
void gst_tfrc_src_uri_handler_init (gpointer iface, gpointer data);

/* gsttfrcsrccreate.c */

GstFlowReturn gst_tfrc_src_create (GstPushSrc *src, GstBuffer **buffer);

/* gsttfrcsrchandover.c */

/** Adds the signals of handovers. */
void gst_tfrc_src_handover_install (GstTfrcSrcClass *klass);

/** To be called after the stream has started, and before it stops. */
void gst_tfrc_src_handover_start (GstTfrcSrc *self);
void gst_tfrc_src_handover_stop (GstTfrcSrc *self);

/** Begins a handover if the kernel's route to the sender has changed and `auto-handover' is set.
 * Any thread that may wait. */
void gst_tfrc_src_handover_follow_route (GstTfrcSrc *self);

/** Events of the stream, on the I/O loop's thread */
void gst_tfrc_src_on_handover (gpointer user);
void gst_tfrc_src_on_old_endpoint (gpointer user);

G_END_DECLS
#endif
