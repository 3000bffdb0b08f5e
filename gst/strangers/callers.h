/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The callers of a listening sender: who has called, what was decided, and the answers (callpacket.h).
 *
 * A call without this end's cookie (cookies.h) is answered with one, and leaves nothing behind. So no
 * host can have another one answered with more bytes than it has sent itself, and a flood of calls from
 * false addresses takes no memory.
 *
 * A caller is an address with its port. A call with another SSRC from the same port is another program's,
 * which has the port now: it ends the first caller. While that one waits for a decision, the call has no answer, as if
 * it were lost: so there is one question about a port at a time, however often and as whomever its program calls.
 *
 *                 a call with the cookie              accept
 *       unknown ------------------------> WAITING -----------------> ACCEPTED
 *        ^  ^  |                             |                          |
 *        |  |  | there is no room            | refuse                   |
 *        |  |  v                             v                          |
 *        |  +------------------------------ REFUSED                     |
 *        |         GST_TFRC_CALLERS_REFUSED_NS later                    |
 *        +--------------------------------------------------------------+
 *                             the caller has gone
 *
 *     transition              function
 *     unknown -> WAITING      gst_tfrc_callers_on_packet()
 *     unknown -> REFUSED      gst_tfrc_callers_on_packet()
 *     WAITING -> ACCEPTED     gst_tfrc_callers_accept()
 *     WAITING -> REFUSED      gst_tfrc_callers_refuse()
 *     REFUSED -> unknown      gst_tfrc_callers_on_time()
 *     ACCEPTED -> unknown     gst_tfrc_callers_forget()
 *
 * gst_tfrc_callers_check() has what always holds. No socket, no clock, no locks. */
#ifndef GST_TFRC_CALLERS_H
#define GST_TFRC_CALLERS_H

#include "../io/datagrams.h"
#include "callpacket.h"
#include "cookies.h"

G_BEGIN_DECLS

/** Callers that may wait for a decision at one time, in some 300 bytes each and their stream ids. An application decides in milliseconds, so
 * that as many wait if all viewers of a server that starts again call at once, or if the application hangs. A further call
 * has no answer, as if it were lost, and the caller repeats it after 2 s at most. */
#define GST_TFRC_CALLERS_WAITING 1024

/** Of them, callers of one host (gst_tfrc_address_network()), whose further calls have no answer. A host that
 * calls from all its ports so leaves room for others. The share is large because a provider's NAT gives
 * many viewers one address. */
#define GST_TFRC_CALLERS_WAITING_OF_HOST 256

/** Refused callers that are remembered, so that a refusal that was lost is repeated without another
 * decision; and for how long. A caller repeats a call after 2 s at most. */
#define GST_TFRC_CALLERS_REFUSED 256
#define GST_TFRC_CALLERS_REFUSED_NS (5 * G_GUINT64_CONSTANT (1000000000))

/** Cookies that are given away in a second, and at once. A forged call costs a system call if it is answered: with
 * a flood of 100 000 calls a second that were all answered, callers that were there missed packets. With these limits a
 * caller among so many forged ones gets a cookie for every fifth of its calls. */
#define GST_TFRC_CALLERS_COOKIES_PER_S 20000
#define GST_TFRC_CALLERS_COOKIES_BURST 1000

/** Answers that may wait to leave. A turn of the port sends them all; others are lost as in the network,
 * and the caller calls again. */
#define GST_TFRC_CALLERS_ANSWERS 64

typedef struct _GstTfrcCallers GstTfrcCallers;

/** A caller, as the owner of the callers sees it */
typedef struct
{
  guint64 id; /**< of this call; never twice in a process, and never 0 */
  GstTfrcAddress address;
  GstTfrcAddress local; /**< that the last call has come to, to answer from */
  guint64
      rtt_ns; /**< a sample of R: from the cookie until the first call with it, both ends' work included */
  guint32 ssrc;           /**< of the caller */
  const gchar *stream_id; /**< "": none */
} GstTfrcCaller;

/** What has come of a packet */
typedef enum
{
  GST_TFRC_CALLERS_NOTHING, /**< an answer may have to leave */
  GST_TFRC_CALLERS_NEW,     /**< a caller waits for a decision */
  GST_TFRC_CALLERS_AGAIN, /**< an accepted caller calls again, perhaps another address of this host */
  GST_TFRC_CALLERS_FULL   /**< a caller was refused, because there is no room */
} GstTfrcCallersResult;

typedef struct
{
  guint waiting, accepted;
  guint64 calls;     /**< packets */
  guint64 refused;   /**< callers, by the application or for want of room */
  guint64 malformed; /**< packets */
} GstTfrcCallersStats;

/** @param secret random bytes that no peer can know; copied
 * @return to be freed with gst_tfrc_callers_free() */
GstTfrcCallers *gst_tfrc_callers_new (
    const guint8 secret[GST_TFRC_SECRET_BYTES], guint32 own_ssrc, guint max_callers);

/** NULL is allowed. */
void gst_tfrc_callers_free (GstTfrcCallers *self);

/** Says how many callers may wait or be accepted at one time. Those that are there stay. */
void gst_tfrc_callers_set_max (GstTfrcCallers *self, guint max_callers);

/** A call has come.
 * @param caller set unless the result is GST_TFRC_CALLERS_NOTHING: valid until the next call of a function that
 *   changes @a self
 * @param replaced set to the id of an accepted caller that is no more, because its port calls with another SSRC; the
 *   owner forgets that one's stream. 0: none */
GstTfrcCallersResult gst_tfrc_callers_on_packet (GstTfrcCallers *self,
    const GstTfrcReceivedPacket *packet, guint64 now_ns, GstTfrcCaller *caller, guint64 *replaced);

/** Returns the caller that waits with this id, valid until the next call of a function that changes @a self; NULL: none
 * does. */
const GstTfrcCaller *gst_tfrc_callers_find_waiting (const GstTfrcCallers *self, guint64 id);

/** Decides for a caller that waits.
 * @param caller set to the caller, as gst_tfrc_callers_on_packet() does
 * @return FALSE: it does not wait any more */
gboolean gst_tfrc_callers_accept (GstTfrcCallers *self, guint64 id, GstTfrcCaller *caller);
gboolean gst_tfrc_callers_refuse (
    GstTfrcCallers *self, guint64 id, const gchar *reason, guint64 now_ns, GstTfrcCaller *caller);

/** An accepted caller is at another address now. A caller that was there before is forgotten. */
void gst_tfrc_callers_move (GstTfrcCallers *self, guint64 id, const GstTfrcAddress *address);

/** A caller has gone. */
void gst_tfrc_callers_forget (GstTfrcCallers *self, guint64 id);

/** Returns when gst_tfrc_callers_on_time() has something to do, or an answer waits to leave;
 * G_MAXUINT64: never. */
guint64 gst_tfrc_callers_next_ns (const GstTfrcCallers *self);

/** Forgets refusals that nobody asks for any more. */
void gst_tfrc_callers_on_time (GstTfrcCallers *self, guint64 now_ns);

/** Writes the answer that waits longest.
 * @param buffer GST_TFRC_ANSWER_MAX_BYTES
 * @param to set to where the answer goes
 * @param local set to where the call has come to
 * @return bytes written; 0: none waits */
gsize gst_tfrc_callers_write (
    GstTfrcCallers *self, guint8 *buffer, GstTfrcAddress *to, GstTfrcAddress *local);

void gst_tfrc_callers_get_stats (const GstTfrcCallers *self, GstTfrcCallersStats *stats);

/** Returns the invariant that does not hold, as text; NULL: all hold. For tests and gdb. */
const gchar *gst_tfrc_callers_check (const GstTfrcCallers *self);

G_END_DECLS
#endif
