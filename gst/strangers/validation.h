/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the validation of an address begins (RFC 9000 section 8.2). What follows (the times of
 * challenges, the responses, the anti-amplification limit) is in tfrc/path.h.
 *
 * The data of challenges is a cookie where the response has to count although the host may have lost
 * its place meanwhile, and random otherwise.
 *
 * No clock, no locks. */
#ifndef GST_TFRC_VALIDATION_H
#define GST_TFRC_VALIDATION_H

#include "cookies.h"

G_BEGIN_DECLS

/** Starts challenges with random data.
 * @param path started anew
 * @param full_bytes size of a challenge of full size, as TfrcPathConfig has it
 * @param rtt_ns the best estimate of R over the path; 0: unknown
 * @return FALSE, with @a path as it was: the system has no random numbers */
gboolean gst_tfrc_validation_start_random (
    TfrcPath *path, gsize full_bytes, guint64 rtt_ns, guint64 now_ns);

/** Starts challenges with the cookie of an address. They are small: data shows whether packets of
 * full size pass.
 * @param path started anew */
void gst_tfrc_validation_start_cookie (
    TfrcPath *path, const GstTfrcCookies *cookies, const GstTfrcAddress *address, guint64 now_ns);

/** Allows this number of challenges of this size to an address that has had, or is known to take, more
 * bytes than they have. */
void gst_tfrc_validation_allow (TfrcPath *path, guint challenges, gsize bytes);

G_END_DECLS
#endif
