/* The properties of tfrcsrc that are settings */
#ifndef GST_TFRC_SRC_SETTINGS_H
#define GST_TFRC_SRC_SETTINGS_H

#include "../common/settings.h"

G_BEGIN_DECLS

typedef struct
{
  gchar *address;
  gint port;
  gchar *sender_address;
  gint buffer_size;
  guint latency_ms;
  guint64 max_size_time;
  guint64 timeout;
  gboolean keep_listening;
  guint history_length;
  gint rto_policy; /* TfrcRtoPolicy */
  gboolean auto_handover;
  gint handover_mode; /* TfrcHandoverMode */
  guint stats_interval_ms;
} GstTfrcSrcSettings;

/** Where they lie in GstTfrcSrcSettings, for gst_tfrc_settings_set() and so on. */
extern const GstTfrcSetting gst_tfrc_src_settings[];

/* Ids of properties */
enum
{
  GST_TFRC_SRC_PROP_URI = 1,
  GST_TFRC_SRC_PROP_ADDRESS,
  GST_TFRC_SRC_PROP_PORT,
  GST_TFRC_SRC_PROP_SENDER_ADDRESS,
  GST_TFRC_SRC_PROP_BUFFER_SIZE,
  GST_TFRC_SRC_PROP_LATENCY,
  GST_TFRC_SRC_PROP_MAX_SIZE_TIME,
  GST_TFRC_SRC_PROP_TIMEOUT,
  GST_TFRC_SRC_PROP_KEEP_LISTENING,
  GST_TFRC_SRC_PROP_HISTORY_LENGTH,
  GST_TFRC_SRC_PROP_RTO_POLICY,
  GST_TFRC_SRC_PROP_AUTO_HANDOVER,
  GST_TFRC_SRC_PROP_HANDOVER_MODE,
  GST_TFRC_SRC_PROP_STATS_UPDATE_INTERVAL,
  GST_TFRC_SRC_PROP_STATS,
};

/** Installs all properties of the element. */
void gst_tfrc_src_settings_install (GObjectClass *klass);

G_END_DECLS
#endif
