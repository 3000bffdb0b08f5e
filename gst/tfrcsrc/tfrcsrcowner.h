/* The sender that owns a source: whether it is proven, whether it is still
 * there, and what may be sent to it.  No socket, no clock, no locks. */
#ifndef TFRC_SRC_OWNER_H
#define TFRC_SRC_OWNER_H

#include "tfrcsrccandidates.h"
#include "tfrcsrcdoubt.h"

G_BEGIN_DECLS

/** One stream of one host */
typedef struct
{
  gboolean exists;
  TfrcAddress address;
  guint32 ssrc;
} TfrcSrcSender;

gboolean tfrc_src_sender_is (const TfrcSrcSender *sender, const TfrcAddress *address, guint32 ssrc);
gboolean tfrc_src_sender_is_at (const TfrcSrcSender *sender, const TfrcAddress *address);

/** All zero but the paths: there is none. */
typedef struct
{
  TfrcSrcSender sender;
  gboolean proven;
  gboolean tfrc;        /**< its data carries what TFRC needs */
  guint64 heard_ns;     /**< any packet */
  TfrcPath *path;       /**< challenges until it is proven */
  guint64 credit_bytes; /**< that may be sent to it while it is not */
  guint credit_packets;
  TfrcSrcDoubt doubt;
  guint64 byes_refused; /**< that owners have not said; goes on with the next
                                 * owner */
} TfrcSrcOwner;

/** Begins without an owner. */
void tfrc_src_owner_init (TfrcSrcOwner *owner);

/** Frees what tfrc_src_owner_init() has allocated. */
void tfrc_src_owner_clear (TfrcSrcOwner *owner);

/** The candidate is the owner from now on. */
void tfrc_src_owner_start (TfrcSrcOwner *owner, const TfrcSrcCandidate *candidate);

/** There is no owner any more; answers to a BYE may still be sent to it. */
void tfrc_src_owner_end (TfrcSrcOwner *owner);

/** A packet of the owner, of any kind, has come. */
void tfrc_src_owner_hear (TfrcSrcOwner *owner, const TfrcReceivedPacket *packet);

/** ... and it was data. */
void tfrc_src_owner_on_data (TfrcSrcOwner *owner, const TfrcWireData *header, guint64 now_ns);

/** ... and it said BYE, which is not believed before the owner has been asked.
 * @param rtt_ns R, 0: unknown */
void tfrc_src_owner_on_bye (TfrcSrcOwner *owner, guint64 rtt_ns, guint64 now_ns);

/** The owner has repeated its cookie. */
void tfrc_src_owner_on_proof (TfrcSrcOwner *owner, guint64 now_ns);

/** A response has come from the owner's address.
 * @return FALSE if it does not answer a doubt */
gboolean tfrc_src_owner_on_response (TfrcSrcOwner *owner, const TfrcReceivedPacket *packet,
    guint32 ssrc, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES]);

/** Another stream has the owner's address. */
void tfrc_src_owner_is_replaced (TfrcSrcOwner *owner, guint64 now_ns);

/** The owner has been silent while another sender waits, or that is not so any
 * more. */
void tfrc_src_owner_doubt_silence (TfrcSrcOwner *owner, gboolean silent, guint64 now_ns);

/** Tells whether the owner has left such a doubt unanswered, for long enough. */
gboolean tfrc_src_owner_is_absent (const TfrcSrcOwner *owner, guint64 now_ns);

/** Tells whether the owner has said BYE and left that doubt unanswered. */
gboolean tfrc_src_owner_has_ended (const TfrcSrcOwner *owner, guint64 now_ns);

/** More that may be sent to an owner that is not proven. */
void tfrc_src_owner_add_credit (TfrcSrcOwner *owner, gsize bytes);

/** Tells whether an answer of this size may be sent, which counts as sent then.
 * To an owner that is not proven at most as many packets and bytes are sent as
 * have come from it, challenges included. */
gboolean tfrc_src_owner_may_answer (TfrcSrcOwner *owner, gsize bytes);

/** When a challenge is due or a doubt ends. */
guint64 tfrc_src_owner_next_ns (const TfrcSrcOwner *owner);

/** Takes the challenge that is due, to be sent at once.
 * @return FALSE if none is */
gboolean tfrc_src_owner_take_challenge (
    TfrcSrcOwner *owner, guint64 now_ns, guint8 data[TFRC_WIRE_PATH_DATA_BYTES]);

G_END_DECLS
#endif
