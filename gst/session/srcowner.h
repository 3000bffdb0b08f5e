/* The sender that owns a source: whether it is proven, whether it is still
 * there, and what may be sent to it.  No socket, no clock, no locks. */
#ifndef GST_TFRC_SRCOWNER_H
#define GST_TFRC_SRCOWNER_H

#include "srccandidates.h"
#include "srcdoubt.h"

G_BEGIN_DECLS

/** One stream of one host */
typedef struct
{
  gboolean exists;
  GstTfrcAddress address;
  guint32 ssrc;
} GstTfrcSrcSender;

gboolean gst_tfrc_src_sender_is (
    const GstTfrcSrcSender *sender, const GstTfrcAddress *address, guint32 ssrc);
gboolean gst_tfrc_src_sender_is_at (const GstTfrcSrcSender *sender, const GstTfrcAddress *address);

/** All zero but the paths: there is none. */
typedef struct
{
  GstTfrcSrcSender sender;
  gboolean proven;
  gboolean tfrc;        /**< its data carries what TFRC needs */
  guint64 heard_ns;     /**< any packet */
  TfrcPath *path;       /**< challenges until it is proven */
  guint64 credit_bytes; /**< that may be sent to it while it is not */
  guint credit_packets;
  GstTfrcSrcDoubt doubt;
  guint64 byes_refused; /**< that owners have not said; goes on with the next
                                 * owner */
} GstTfrcSrcOwner;

/** Begins without an owner. */
void gst_tfrc_src_owner_init (GstTfrcSrcOwner *owner);

/** Frees the memory of gst_tfrc_src_owner_init(). */
void gst_tfrc_src_owner_clear (GstTfrcSrcOwner *owner);

/** The candidate is the owner from now on. */
void gst_tfrc_src_owner_start (GstTfrcSrcOwner *owner, const GstTfrcSrcCandidate *candidate);

/** There is no owner any more; answers to a BYE may still be sent to it. */
void gst_tfrc_src_owner_end (GstTfrcSrcOwner *owner);

/** A packet of the owner, of any kind, has come. */
void gst_tfrc_src_owner_hear (GstTfrcSrcOwner *owner, const GstTfrcReceivedPacket *packet);

/** ... and it was data. */
void gst_tfrc_src_owner_on_data (
    GstTfrcSrcOwner *owner, const TfrcWireData *header, guint64 now_ns);

/** ... and it said BYE, which is not believed before the owner has been asked.
 * @param rtt_ns R, 0: unknown */
void gst_tfrc_src_owner_on_bye (GstTfrcSrcOwner *owner, guint64 rtt_ns, guint64 now_ns);

/** The owner has repeated its cookie. */
void gst_tfrc_src_owner_on_proof (GstTfrcSrcOwner *owner, guint64 now_ns);

/** A response has come from the owner's address.
 * @return FALSE if it does not answer a doubt */
gboolean gst_tfrc_src_owner_on_response (GstTfrcSrcOwner *owner,
    const GstTfrcReceivedPacket *packet, guint32 ssrc,
    const guint8 data[TFRC_WIRE_PATH_DATA_BYTES]);

/** Another stream has the owner's address. */
void gst_tfrc_src_owner_is_replaced (GstTfrcSrcOwner *owner, guint64 now_ns);

/** The owner has been silent while another sender waits, or that is not so any
 * more. */
void gst_tfrc_src_owner_doubt_silence (GstTfrcSrcOwner *owner, gboolean silent, guint64 now_ns);

/** Tells whether the owner has left such a doubt unanswered, for long enough. */
gboolean gst_tfrc_src_owner_is_absent (const GstTfrcSrcOwner *owner, guint64 now_ns);

/** Tells whether the owner has said BYE and left that doubt unanswered. */
gboolean gst_tfrc_src_owner_has_ended (const GstTfrcSrcOwner *owner, guint64 now_ns);

/** More that may be sent to an owner that is not proven. */
void gst_tfrc_src_owner_add_credit (GstTfrcSrcOwner *owner, gsize bytes);

/** Tells whether an answer of this size may be sent, which counts as sent then.
 * To an owner that is not proven at most as many packets and bytes are sent as
 * have come from it, challenges included. */
gboolean gst_tfrc_src_owner_may_answer (GstTfrcSrcOwner *owner, gsize bytes);

/** When a challenge is due or a doubt ends. */
guint64 gst_tfrc_src_owner_next_ns (const GstTfrcSrcOwner *owner);

/** Takes the challenge that is due, to be sent at once.
 * @return FALSE if none is */
gboolean gst_tfrc_src_owner_take_challenge (
    GstTfrcSrcOwner *owner, guint64 now_ns, guint8 data[TFRC_WIRE_PATH_DATA_BYTES]);

G_END_DECLS
#endif
