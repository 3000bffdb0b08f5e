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
  guint32 media_ssrc; /* of the movie */
  guint64 arrival_ns;
} GstTfrcControlReport;

/** How many transport-wide feedbacks of the compound have been found; all zero at first */
typedef struct
{
  guint about_media, about_repairs;
} GstTfrcFoundFeedback;

/** Finds the next transport-wide feedback of the compound. It is about all packets of the transport, and names the SSRC
 * of any: rtpsession that of the first packet that has come, libwebrtc that of the last, which may be a repair.
 * @param found what this function has found before
 * @return FALSE: there are no more */
static inline gboolean
gst_tfrc_control_report_find_feedback (const GstTfrcControlReport *report,
    GstTfrcFoundFeedback *found, const guint8 **fci, gsize *fci_bytes)
{
  const guint32 repairs = TFRC_WIRE_REPAIR_SSRC (report->media_ssrc);
  const guint8 *of_repairs;
  gsize of_repairs_bytes;
  gboolean is_media = tfrc_wire_find_transport_feedback (
      report->data, report->size, report->media_ssrc, found->about_media, fci, fci_bytes);
  gboolean is_repairs = repairs != report->media_ssrc
      && tfrc_wire_find_transport_feedback (report->data, report->size, repairs,
          found->about_repairs, &of_repairs, &of_repairs_bytes);

  if (is_repairs && (!is_media || of_repairs < *fci)) {
    *fci = of_repairs;
    *fci_bytes = of_repairs_bytes;
    found->about_repairs++;
  } else if (is_media) {
    found->about_media++;
  }
  return is_media || is_repairs;
}

/** Does the compound say anything of how the stream's packets have arrived? */
static inline gboolean
gst_tfrc_control_report_is (const GstTfrcControlReport *report)
{
  GstTfrcFoundFeedback found = { 0 };
  const guint8 *fci;
  gsize size;

  return report->rtcp->has_report
      || gst_tfrc_control_report_find_feedback (report, &found, &fci, &size);
}

G_END_DECLS
#endif
