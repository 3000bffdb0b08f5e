/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The owners of a port's flows, see tenants.h. */
#include "tenants.h"

void
gst_tfrc_tenant_init (GstTfrcTenant *tenant, const GstTfrcPortOwner *methods, gpointer owner)
{
  *tenant = (GstTfrcTenant){ .methods = methods, .owner = owner };
  gst_tfrc_deadline_node_init (&tenant->node);
}

void
gst_tfrc_tenant_emit (const GstTfrcTenant *tenant)
{
  tenant->methods->emit (tenant->owner);
}

void
gst_tfrc_tenant_say_leaving (const GstTfrcTenant *tenant)
{
  tenant->methods->leaving (tenant->owner);
}

/* ---- the tenants of a port ------------------------------------------------------- */

void
gst_tfrc_tenants_init (GstTfrcTenants *self)
{
  *self = (GstTfrcTenants){ 0 };
  gst_tfrc_deadline_queue_init (&self->deadlines);
}

void
gst_tfrc_tenants_clear (GstTfrcTenants *self)
{
  gst_tfrc_deadline_queue_clear (&self->deadlines);
}

void
gst_tfrc_tenants_add (GstTfrcTenants *self, GstTfrcTenant *tenant)
{
  self->n++;
}

static void
unlink_from (GstTfrcTenant **list, GstTfrcTenant *tenant)
{
  for (; *list; list = &(*list)->next) {
    if (*list == tenant) {
      *list = tenant->next;
      return;
    }
  }
}

void
gst_tfrc_tenants_remove (GstTfrcTenants *self, GstTfrcTenant *tenant)
{
  unlink_from (&self->marked, tenant);
  unlink_from (&self->news, tenant);
  gst_tfrc_deadline_queue_set (&self->deadlines, &tenant->node, G_MAXUINT64);
  self->n--;
}

guint
gst_tfrc_tenants_get_number (const GstTfrcTenants *self)
{
  return self->n;
}

/* ---- deadlines ------------------------------------------------------------------- */

void
gst_tfrc_tenants_note_deadline (GstTfrcTenants *self, GstTfrcTenant *tenant)
{
  gst_tfrc_deadline_queue_set (
      &self->deadlines, &tenant->node, tenant->methods->deadline (tenant->owner));
}

guint64
gst_tfrc_tenants_next_ns (const GstTfrcTenants *self)
{
  return gst_tfrc_deadline_queue_next_ns (&self->deadlines);
}

/* ---- a turn of the port ------------------------------------------------------------ */

void
gst_tfrc_tenants_mark (GstTfrcTenants *self, GstTfrcTenant *tenant)
{
  if (tenant->is_marked)
    return;
  tenant->is_marked = TRUE;
  tenant->next = self->marked;
  self->marked = tenant;
}

void
gst_tfrc_tenants_flow_served (
    GstTfrcTenants *self, GstTfrcTenant *tenant, GstTfrcFlow *flow, guint64 now_ns)
{
  if (tenant->methods->flow_served)
    tenant->methods->flow_served (tenant->owner, flow, now_ns);
  gst_tfrc_tenants_mark (self, tenant);
}

static void
mark_due (GstTfrcTenants *self, guint64 now_ns)
{
  GstTfrcDeadlineNode *node;

  while ((node = gst_tfrc_deadline_queue_get_due (&self->deadlines, now_ns))) {
    gst_tfrc_deadline_queue_set (&self->deadlines, node, G_MAXUINT64);
    gst_tfrc_tenants_mark (
        self, (GstTfrcTenant *) ((guint8 *) node - G_STRUCT_OFFSET (GstTfrcTenant, node)));
  }
}

void
gst_tfrc_tenants_served (GstTfrcTenants *self, guint64 now_ns)
{
  GstTfrcTenant *tenant;

  mark_due (self, now_ns);
  while ((tenant = self->marked)) {
    self->marked = tenant->next;
    tenant->is_marked = FALSE;
    if (tenant->methods->served (tenant->owner, now_ns)) {
      tenant->next = self->news;
      self->news = tenant;
    }
    gst_tfrc_tenants_note_deadline (self, tenant);
  }
}

GstTfrcTenant *
gst_tfrc_tenants_begin_to_tell (GstTfrcTenants *self)
{
  self->telling = self->news;
  if (self->news)
    self->news = self->news->next;
  return self->telling;
}

void
gst_tfrc_tenants_end_telling (GstTfrcTenants *self)
{
  self->telling = NULL;
}

gboolean
gst_tfrc_tenants_is_telling (const GstTfrcTenants *self, const GstTfrcTenant *tenant)
{
  return self->telling == tenant;
}
