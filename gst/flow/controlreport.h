/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver without TFRC says of how a stream's packets have arrived: receiver reports (RFC 3550
 * section 6.4) and transport-wide feedback.
 *
 * A plain value. */
#ifndef GST_TFRC_CONTROLREPORT_H
#define GST_TFRC_CONTROLREPORT_H

#include <tfrc/wire.h>

#include "../io/address.h"

G_BEGIN_DECLS

/** A compound of RTCP about the stream */
typedef struct
{
  const GstTfrcAddress *from;
  const TfrcWireRtcp *rtcp;
  const guint8 *data; /* the compound itself */
  gsize size;
  guint32 media_ssrc; /* of the stream */
  guint64 arrival_ns;
} GstTfrcControlReport;

/** Does the compound say anything of how the stream's packets have arrived? */
static inline gboolean
gst_tfrc_control_report_is (const GstTfrcControlReport *report)
{
  const guint8 *fci;
  gsize size;

  return report->rtcp->has_report
      || tfrc_wire_find_transport_feedback (
          report->data, report->size, report->media_ssrc, 0, &fci, &size);
}

G_END_DECLS
#endif
