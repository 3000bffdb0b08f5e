/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turns the muxer's output into packets with due times, see spread.h. */
#include "spread.h"

#include <string.h>

struct _VodSpread
{
  GstElement parent;
  GstPad *sinkpad, *srcpad;
  guint64 interval_ns;

  GstBuffer *filling; /* the packet that is being filled, mapped, or NULL */
  GstMapInfo map;
  guint filled;        /* number of TS packets in it */
  GstClockTime due_ns; /* due time of the newest TS packet */
  guint64 pushed;      /* packets that were filled */

  VodSpreadFrameFunc on_frame; /* or NULL */
  gpointer user;
};

G_DEFINE_TYPE (VodSpread, vod_spread, GST_TYPE_ELEMENT);

#define TS_CAPS \
  "video/mpegts, systemstream = (boolean) true, " \
  "packetsize = (int) 188"

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (TS_CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (TS_CAPS));

static const guint8 null_packet_header[] = { 0x47, 0x1f, 0xff, 0x10 };

static void
vod_spread_discard (VodSpread *self)
{
  if (self->filling == NULL)
    return;
  gst_buffer_unmap (self->filling, &self->map);
  g_clear_pointer (&self->filling, gst_buffer_unref);
  self->filled = 0;
}

/* Returns the room for the next TS packet, or NULL if there is no memory. */
static guint8 *
vod_spread_room (VodSpread *self)
{
  if (self->filling == NULL) {
    self->filling = gst_buffer_new_allocate (NULL, SPREAD_BYTES, NULL);
    if (!gst_buffer_map (self->filling, &self->map, GST_MAP_WRITE)) {
      g_clear_pointer (&self->filling, gst_buffer_unref);
      return NULL;
    }
  }
  return self->map.data + self->filled * TS_PACKET_BYTES;
}

/* Notes that the room has been filled. */
static GstFlowReturn
vod_spread_used (VodSpread *self, GstClockTime due_ns)
{
  GstBuffer *buffer = self->filling;

  self->due_ns = due_ns;
  if (++self->filled < SPREAD_PACKETS)
    return GST_FLOW_OK;
  gst_buffer_unmap (buffer, &self->map);
  self->filling = NULL;
  self->filled = 0;
  self->pushed++;
  GST_BUFFER_PTS (buffer) = due_ns;
  return gst_pad_push (self->srcpad, buffer);
}

typedef struct
{
  VodSpread *self;
  GstClockTime start_ns;
  guint64 index, count; /* of the frame's TS packets */
  GstFlowReturn flow;
} Frame;

static gboolean
spread_buffer (GstBuffer **buffer, guint i, gpointer user)
{
  Frame *frame = user;
  VodSpread *self = frame->self;
  GstMapInfo map;
  gsize at;

  if (!gst_buffer_map (*buffer, &map, GST_MAP_READ)) {
    frame->flow = GST_FLOW_ERROR;
    return FALSE;
  }
  for (at = 0; at + TS_PACKET_BYTES <= map.size && frame->flow == GST_FLOW_OK;
       at += TS_PACKET_BYTES) {
    guint8 *room = vod_spread_room (self);

    if (room == NULL) {
      frame->flow = GST_FLOW_ERROR;
      break;
    }
    memcpy (room, map.data + at, TS_PACKET_BYTES);
    frame->flow = vod_spread_used (self,
        frame->start_ns + gst_util_uint64_scale (self->interval_ns, frame->index++, frame->count));
  }
  gst_buffer_unmap (*buffer, &map);
  return frame->flow == GST_FLOW_OK;
}

static GstFlowReturn
vod_spread_chain_list (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  VodSpread *self = VOD_SPREAD (parent);
  Frame frame = { self, GST_CLOCK_TIME_NONE, 0, 0, GST_FLOW_OK };

  frame.count = gst_buffer_list_calculate_size (list) / TS_PACKET_BYTES;
  if (frame.count > 0)
    frame.start_ns = GST_BUFFER_PTS (gst_buffer_list_get (list, 0));
  if (frame.count > 0 && !GST_CLOCK_TIME_IS_VALID (frame.start_ns)) {
    GST_ELEMENT_ERROR (self, STREAM, FORMAT, (NULL), ("the muxer's output has no time"));
    frame.flow = GST_FLOW_ERROR;
  } else {
    if (frame.count > 0 && self->on_frame != NULL)
      self->on_frame (self->pushed,
          self->pushed + (self->filled + frame.count - 1) / SPREAD_PACKETS, self->user);
    gst_buffer_list_foreach (list, spread_buffer, &frame);
  }
  gst_buffer_list_unref (list);
  return frame.flow;
}

static GstFlowReturn
vod_spread_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstBufferList *list = gst_buffer_list_new_sized (1);

  gst_buffer_list_add (list, buffer);
  return vod_spread_chain_list (pad, parent, list);
}

/* Fills the last packet with null packets, which are due with its last TS packet. */
static void
vod_spread_finish (VodSpread *self)
{
  GstFlowReturn flow = GST_FLOW_OK;

  while (self->filled > 0 && flow == GST_FLOW_OK) {
    guint8 *room = vod_spread_room (self);

    memcpy (room, null_packet_header, sizeof null_packet_header);
    memset (room + sizeof null_packet_header, 0xff, TS_PACKET_BYTES - sizeof null_packet_header);
    flow = vod_spread_used (self, self->due_ns);
  }
}

/* Returns caps without the muxer's stream header.  Some sinks would send the header before the
 * first packet, and later packets would not have 1316 bytes. */
static GstEvent *
plain_caps_event (void)
{
  GstCaps *caps = gst_static_pad_template_get_caps (&src_template);
  GstEvent *event = gst_event_new_caps (caps);

  gst_caps_unref (caps);
  return event;
}

static gboolean
vod_spread_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  VodSpread *self = VOD_SPREAD (parent);

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_unref (event);
    return gst_pad_push_event (self->srcpad, plain_caps_event ());
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    vod_spread_finish (self);
  else if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    vod_spread_discard (self);
  return gst_pad_event_default (pad, parent, event);
}

static GstStateChangeReturn
vod_spread_change_state (GstElement *element, GstStateChange transition)
{
  GstStateChangeReturn result =
      GST_ELEMENT_CLASS (vod_spread_parent_class)->change_state (element, transition);

  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    vod_spread_discard (VOD_SPREAD (element));
  return result;
}

static void
vod_spread_finalize (GObject *object)
{
  vod_spread_discard (VOD_SPREAD (object));
  G_OBJECT_CLASS (vod_spread_parent_class)->finalize (object);
}

static void
vod_spread_class_init (VodSpreadClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = vod_spread_finalize;
  element_class->change_state = vod_spread_change_state;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Transport stream spreader",
      "Filter/Network", "Gives every seven packets of a transport stream a time of their own",
      "gst-tfrc");
}

static void
vod_spread_init (VodSpread *self)
{
  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, vod_spread_chain);
  gst_pad_set_chain_list_function (self->sinkpad, vod_spread_chain_list);
  gst_pad_set_event_function (self->sinkpad, vod_spread_sink_event);
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);
  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  GST_PAD_SET_PROXY_CAPS (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}

GstElement *
vod_spread_new (guint64 interval_ns)
{
  VodSpread *self = g_object_new (VOD_TYPE_SPREAD, NULL);

  self->interval_ns = interval_ns;
  return GST_ELEMENT (self);
}

void
vod_spread_watch (GstElement *spread, VodSpreadFrameFunc func, gpointer user)
{
  VodSpread *self = VOD_SPREAD (spread);

  self->on_frame = func;
  self->user = user;
}
