/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The change of tfrcsrc to another link: the options of the action signal `handover', and the property
 * `auto-handover'. */
#ifndef GST_TFRC_SRC_LINKS_H
#define GST_TFRC_SRC_LINKS_H

#include "../io/routes.h"
#include "../stream/running.h"
#include "../stream/srcstream.h"

G_BEGIN_DECLS

/** Changes to the link that the options of the signal `handover' name.  Any thread that may wait.
 * @param options may be NULL
 * @return FALSE, with a warning, if the source does not run or an option cannot be used */
gboolean gst_tfrc_src_links_change (GstTfrcRunning *running, const GstStructure *options);

/** Follows the kernel's routes, if `auto-handover' is set.  The thread that changes the state.
 * @return for gst_tfrc_routes_unwatch(), before the stream stops; NULL: none */
GstTfrcRouteWatch *gst_tfrc_src_links_watch (GstTfrcRunning *running);

/** Begins a handover if the kernel's route to the sender has changed and `auto-handover' is set.
 * Any thread that may wait. */
void gst_tfrc_src_links_follow_route (GstTfrcRunning *running);

/** Closes the old socket of a migration, which is idle.  Any thread that may wait. */
void gst_tfrc_src_links_close_old_socket (GstTfrcRunning *running);

G_END_DECLS
#endif
