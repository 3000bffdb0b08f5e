/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The owners of a port's flows, each a tenant of the port: the stream that has opened the port, and streams that
 * have joined it. All share the sockets, the lock and the loop, and each is called for its own flows.
 *
 *     gst_tfrc_tenant_init() --> registered --> served <----> told --> removed
 *                                     ^            |
 *                                     +------------+  nothing to tell
 *
 * No clock, no lock; all functions with the lock of the port, except the calls that say otherwise. */
#ifndef GST_TFRC_TENANTS_H
#define GST_TFRC_TENANTS_H

#include "../flow/flow.h"

G_BEGIN_DECLS

/** The functions of an owner. All run on the thread of the I/O loop, unless stated; none may block. */
typedef struct
{
  /** A flow of this owner has been served, before served(). With the lock. NULL: the owner does not look at
   * each flow. */
  void (*flow_served) (gpointer owner, GstTfrcFlow *flow, guint64 now_ns);

  /** Flows have been served, or the deadline has passed. With the lock.
   * @return TRUE if @a emit is to be called */
  gboolean (*served) (gpointer owner, guint64 now_ns);

  /** Returns the owner's own deadline, as for statistics; G_MAXUINT64: none. With the lock. */
  guint64 (*deadline) (gpointer owner);

  /** Tells the application what there is to tell. Without the lock. */
  void (*emit) (gpointer owner);

  /** The owner leaves the port: its flows are to say what they have to say at the end, which leaves once
   * more. With the lock, on the thread that leaves. */
  void (*leaving) (gpointer owner);
} GstTfrcPortOwner;

/** Part of an owner, and for tenants.c alone */
struct _GstTfrcTenant
{
  const GstTfrcPortOwner *methods;
  gpointer owner;
  GstTfrcDeadlineNode node;
  GstTfrcTenant
      *next; /* in the list of those that were served, or of those that have something to tell */
  gboolean is_marked; /* is in the first list */
};

/** Part of a port, and for tenants.c alone */
typedef struct
{
  guint n;
  GstTfrcTenant *marked; /* flows of these have been served */
  GstTfrcTenant *news;   /* these have something to tell */
  GstTfrcTenant *telling;
  GstTfrcDeadlineQueue deadlines;
} GstTfrcTenants;

/** @param methods static */
void gst_tfrc_tenant_init (GstTfrcTenant *tenant, const GstTfrcPortOwner *methods, gpointer owner);

void gst_tfrc_tenants_init (GstTfrcTenants *self);
void gst_tfrc_tenants_clear (GstTfrcTenants *self);

/** Registers a tenant, without a deadline. */
void gst_tfrc_tenants_add (GstTfrcTenants *self, GstTfrcTenant *tenant);

/** Removes one that is not being told. */
void gst_tfrc_tenants_remove (GstTfrcTenants *self, GstTfrcTenant *tenant);

guint gst_tfrc_tenants_get_number (const GstTfrcTenants *self);

/** Asks the tenant for its deadline again. */
void gst_tfrc_tenants_note_deadline (GstTfrcTenants *self, GstTfrcTenant *tenant);

/** Returns the earliest deadline of all. */
guint64 gst_tfrc_tenants_next_ns (const GstTfrcTenants *self);

/** The flow has been served in this turn. */
void gst_tfrc_tenants_flow_served (
    GstTfrcTenants *self, GstTfrcTenant *tenant, GstTfrcFlow *flow, guint64 now_ns);

/** Something has happened to flows of this tenant in this turn. */
void gst_tfrc_tenants_mark (GstTfrcTenants *self, GstTfrcTenant *tenant);

/** Ends a turn: calls served() of the tenants that were marked, and of those whose deadlines have passed. */
void gst_tfrc_tenants_served (GstTfrcTenants *self, guint64 now_ns);

/** Returns the next tenant that has something to tell, for gst_tfrc_tenant_emit() without the lock and then
 * gst_tfrc_tenants_end_telling(); NULL: none has. */
GstTfrcTenant *gst_tfrc_tenants_begin_to_tell (GstTfrcTenants *self);
void gst_tfrc_tenant_emit (const GstTfrcTenant *tenant);
void gst_tfrc_tenants_end_telling (GstTfrcTenants *self);

/** Is the tenant being told now, without the lock? */
gboolean gst_tfrc_tenants_is_telling (const GstTfrcTenants *self, const GstTfrcTenant *tenant);

/** Calls leaving(). */
void gst_tfrc_tenant_say_leaving (const GstTfrcTenant *tenant);

G_END_DECLS
#endif
