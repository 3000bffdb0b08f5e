/* TfrcRtoPolicy as the type of a property, see tfrcrtopolicy.h. */
#include "tfrcrtopolicy.h"

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
