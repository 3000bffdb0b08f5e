/* Types of the library as GTypes, see enums.h. */
#include "enums.h"

static const GEnumValue phases[] = { { TFRC_HANDOVER_NORMAL, "No handover", "normal" },
  { TFRC_HANDOVER_STARTED, "Started: nothing has arrived since", "started" },
  { TFRC_HANDOVER_OLD_LINK, "Packets arrive over the old link", "old-link" },
  { TFRC_HANDOVER_NEW_LINK, "Packets arrive over the new link", "new-link" },
  { TFRC_HANDOVER_ECHO, "The new link is known", "echo" }, { 0, NULL, NULL } };

GType
gst_tfrc_handover_phase_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstTfrcHandoverPhase", phases));
  return type;
}

GType
gst_tfrc_handover_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { TFRC_HANDOVER_MODE_DIRECT,
                                           "Wait for a sample of the new link's RTT", "direct" },
    { TFRC_HANDOVER_MODE_PAPER, "As in the paper: estimate it", "paper" }, { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstTfrcHandoverMode", values));
  return type;
}

const gchar *
gst_tfrc_handover_phase_to_string (TfrcHandoverPhase phase)
{
  return phases[phase].value_nick;
}

GType
gst_tfrc_rto_policy_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { TFRC_RTO_POLICY_4R, "RFC 5348: 4 R", "4r" },
    { TFRC_RTO_POLICY_TCP, "As standard TCP (RFC 6298): max (1 s, R + 4 D)", "tcp" },
    { TFRC_RTO_POLICY_LINUX, "As Linux's TCP: R + max (200 ms, 4 D)", "linux" },
    { TFRC_RTO_POLICY_BALANCED, "About standard TCP's throughput: max (200 ms, 2 R)", "balanced" },
    { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstTfrcRtoPolicy", values));
  return type;
}
