/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the validation of an address begins, see validation.h. */
#include "validation.h"

#include <string.h>

#include "../common/random.h"

gboolean
gst_tfrc_validation_start_random (TfrcPath *path, gsize full_bytes, guint64 rtt_ns, guint64 now_ns)
{
  TfrcPathConfig config = { .full_bytes = full_bytes, .rtt_ns = rtt_ns };

  return gst_tfrc_random_fill (config.data, sizeof config.data)
      && tfrc_path_start (path, &config, now_ns) == TFRC_OK;
}

void
gst_tfrc_validation_start_cookie (
    TfrcPath *path, const GstTfrcCookies *cookies, const GstTfrcAddress *address, guint64 now_ns)
{
  TfrcPathConfig config = { .full_bytes = TFRC_WIRE_MIN_PATH_BYTES };

  gst_tfrc_cookies_get (cookies, address, now_ns, config.data[0]);
  memcpy (config.data[1], config.data[0], TFRC_WIRE_PATH_DATA_BYTES);
  tfrc_path_start (path, &config, now_ns);
}

void
gst_tfrc_validation_allow (TfrcPath *path, guint challenges, gsize bytes)
{
  for (guint i = 0; i < challenges; i++)
    tfrc_path_on_received (path, bytes);
}
