/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver migrates to another path (RFC 9000 section 9): sockets, path IDs, the kernel's route.
 *
 * Here the receiver itself migrates, and announces that to the sender as a handover, so that TFRC
 * adapts the rate (tfrc_receiver_start_handover()).  A path from another local address needs a
 * socket of its own; the old socket stays open until nothing has come there for 5 s
 * (gst/port/portsockets.h).
 *
 * gst_tfrc_migration_start(), gst_tfrc_migration_follow_route(), gst_tfrc_migration_close_old_socket()
 * and gst_tfrc_port_stop(): one thread at a time, not the I/O loop's. */
#ifndef GST_TFRC_MIGRATION_H
#define GST_TFRC_MIGRATION_H

#include "../flow/receiveflow.h"
#include "../port/port.h"

G_BEGIN_DECLS

/** A migration of this receiver to another path, which is reported to the sender */
typedef struct
{
  GstTfrcLocalPath path;  /**< the new one; unspecified: the kernel's route to the sender */
  guint64 bandwidth_bps;  /**< of the path in bit/s, with IP headers; 0: unknown */
  gboolean suppress_echo; /**< the sender is not to mark its packets */
} GstTfrcSrcHandover;

typedef struct _GstTfrcMigration GstTfrcMigration;

/** @param port with the flow; both stay the caller's, and valid as long as the result
 * @return to be freed with gst_tfrc_migration_free() */
GstTfrcMigration *gst_tfrc_migration_new (GstTfrcPort *port, GstTfrcReceiveFlow *flow);

/** NULL is allowed. */
void gst_tfrc_migration_free (GstTfrcMigration *self);

/** Makes another path the active one: feedback leaves over it, and data is expected over it.  Opens
 * another socket beside the active one if the path needs that.
 * @return FALSE with @a error set if this host does not have the address, the address is not of the
 *   sender's IP version, or the kernel knows no route */
gboolean gst_tfrc_migration_start (GstTfrcMigration *self, const GstTfrcSrcHandover *handover,
    GError **error) GST_TFRC_EXCLUDES (gst_tfrc_port_mutex);

/** Asks the kernel for the route to the sender, and migrates if that has changed since the last
 * call. Without a sender or a route nothing happens. */
void gst_tfrc_migration_follow_route (GstTfrcMigration *self)
    GST_TFRC_EXCLUDES (gst_tfrc_port_mutex);

/** Closes the old socket of a migration, if nothing has come there meanwhile. */
void gst_tfrc_migration_close_old_socket (GstTfrcMigration *self)
    GST_TFRC_EXCLUDES (gst_tfrc_port_mutex);

/** Says whether the sockets, and those of later migrations, can be served late
 * (gst_tfrc_io_set_patient()). */
void gst_tfrc_migration_set_patient (GstTfrcMigration *self, gboolean patient)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** The flow has been served: goes back to the old socket if data comes there.
 * @return TRUE if the old socket is idle, once: gst_tfrc_migration_close_old_socket() is due */
gboolean gst_tfrc_migration_served (GstTfrcMigration *self, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Returns when gst_tfrc_migration_served() is to be called; G_MAXUINT64: never. */
guint64 gst_tfrc_migration_next_ns (const GstTfrcMigration *self)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

G_END_DECLS
#endif
