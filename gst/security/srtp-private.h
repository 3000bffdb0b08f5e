/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of a GstTfrcSrtp: srtp.c installs and drops generations, srtpsend.c protects packets,
 * srtpreceive.c unprotects packets.  The functions here are called with the object's lock held. */
#ifndef GST_TFRC_SRTP_PRIVATE_H
#define GST_TFRC_SRTP_PRIVATE_H

#include "srtp.h"
#include "srtpcontext.h"

G_BEGIN_DECLS

#define GST_TFRC_SRTP_RTP_HEADER_BYTES 12    /* RFC 3550 section 5.1 */
#define GST_TFRC_SRTP_RTCP_HEADER_BYTES 8    /* RFC 3711 section 3.4: the part that stays plain */
#define GST_TFRC_SRTP_RTCP_INDEX_BYTES 4     /* RFC 3711 section 3.4 */
#define GST_TFRC_SRTP_MAX_PACKET_BYTES 65535 /* of UDP */

typedef struct
{
  srtp_t receiving;
  gsize tag_bytes;
  gsize
      after_index_bytes; /* in a report: 0 with AES-GCM (RFC 7714 section 9.2), otherwise the tag */
  gboolean has_received; /* a packet has been unprotected */
  gboolean knows_roc;    /* a packet of data has been unprotected */
  gboolean is_in_use;    /* switched to by a call, even if no packet has been protected yet */

  /* To send with.  The key is wiped when the end switches to the generation. */
  GstTfrcCipher cipher;
  GstTfrcMasterKey sending_key;
  guint32 ssrc;
  guint32 roc; /* as told, of the first packet of data */
} GstTfrcSrtpGeneration;

/* Extended sequence number of data (RFC 3711 section 3.3.1) */
typedef struct
{
  gboolean is_known;
  guint64 furthest; /* 48 bits */
} GstTfrcSrtpIndex;

struct _GstTfrcSrtp
{
  GMutex mutex;
  GstTfrcSrtpEnd end;
  guint64 max_packets, max_bytes;

  GstTfrcSrtpGeneration *newest, *before; /* NULL: none */
  GstTfrcSrtpGeneration *last;            /* has unprotected the last packet; NULL: none */
  guint64 grace_end_ns;                   /* of before; valid if newest->has_received */
  GstTfrcSrtpIndex index; /* of data: sent at the sender, received at the receiver */

  srtp_t sending;       /* NULL: nothing can be protected */
  gboolean is_switched; /* sending has the key of the newest generation */
  guint32 sending_ssrc;
  gboolean has_sent_data; /* with this context, which so knows the rollover counter */
  guint64 rtcp_packets;   /* protected with this context: its SRTCP index */
  GstTfrcSrtpUsage usage;
};

/* ---- rollover counter (srtpsend.c) -------------------------------------- */

static inline guint16
gst_tfrc_srtp_get_seq (const guint8 *packet)
{
  return (guint16) (packet[2] << 8 | packet[3]);
}

/** Returns the rollover counter of the packet of data with this number; 2^32 if all counters are
 * used up. */
guint64 gst_tfrc_srtp_guess_roc (const GstTfrcSrtp *self, guint16 seq);

/** A packet of data has been protected or unprotected. */
void gst_tfrc_srtp_note_index (GstTfrcSrtp *self, guint64 roc, guint16 seq);

/* ---- the others --------------------------------------------------------- */

/** Sends with the newest generation's key from now on.
 * @return FALSE with @a error set (G_IO_ERROR) if libsrtp refuses: nothing can be protected */
gboolean gst_tfrc_srtp_switch_sending (GstTfrcSrtp *self, GError **error);

/** gst_tfrc_srtp_protect() with the lock held */
gsize gst_tfrc_srtp_protect_locked (
    GstTfrcSrtp *self, gboolean is_rtcp, guint8 *packet, gsize size);

/** gst_tfrc_srtp_unprotect() with the lock held */
GstTfrcUnprotectResult gst_tfrc_srtp_unprotect_locked (
    GstTfrcSrtp *self, gboolean is_rtcp, guint8 *packet, gsize *size, guint64 now_ns);

/** Drops the generation before if its grace time is over. */
void gst_tfrc_srtp_drop_before_if_due (GstTfrcSrtp *self, guint64 now_ns);

/* ---- for tests ---------------------------------------------------------- */

/** Replaces GST_TFRC_SRTP_MAX_PACKETS and GST_TFRC_SRTP_MAX_BYTES in this object, so that tests need
 * not protect 2^31 packets.  Takes the lock.  Any thread. */
void gst_tfrc_srtp_set_limits (GstTfrcSrtp *self, guint64 max_packets, guint64 max_bytes);

G_END_DECLS
#endif
