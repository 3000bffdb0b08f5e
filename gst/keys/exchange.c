/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An exchange of key messages with one address, see exchange.h. */
#include "../common/log.h"
#include "exchange-private.h"

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* A receiver asks for keys at most once in this time: any host can send it data of a stream without
 * keys, in the name of another host. */
#define ASK_INTERVAL_NS S_NS

/* A request of reverse mode leaves again until it is this old.  The sender refuses old ones. */
#define REQUEST_AGE_NS (30 * S_NS)

/* ---- life ---------------------------------------------------------------- */

GstTfrcExchange *
gst_tfrc_exchange_new (GstTfrcSrtpEnd end, GstTfrcKeyParty *party)
{
  GstTfrcExchange *self = g_new0 (GstTfrcExchange, 1);

  self->end = end;
  self->party = party;
  self->sending = gst_tfrc_key_sending_new (end);
  return self;
}

void
gst_tfrc_exchange_end (GstTfrcExchange *self)
{
  g_clear_pointer (&self->pending, gst_tfrc_mikey_exchange_free);
  g_clear_pointer (&self->request, g_bytes_unref);
  gst_tfrc_key_sending_stop (self->sending);
  self->state = GST_TFRC_EXCHANGE_IDLE;
}

void
gst_tfrc_exchange_free (GstTfrcExchange *self)
{
  if (self == NULL)
    return;
  gst_tfrc_exchange_end (self);
  gst_tfrc_key_sending_free (self->sending);
  g_free (self->with_cookie);
  g_free (self);
}

/* ---- messages that this end begins with ---------------------------------- */

static void
enter (GstTfrcExchange *self, GstTfrcExchangeState state, guint64 now_ns)
{
  self->state = state;
  self->since_ns = now_ns;
}

gboolean
gst_tfrc_exchange_offer (GstTfrcExchange *self, GstTfrcMikeyStream *stream, GstTfrcStreamKeys *keys,
    const GstTfrcKeyTime *time)
{
  GBytes *message;

  gst_tfrc_exchange_end (self);
  message = gst_tfrc_mikey_offer (
      self->party->credentials, stream, time->wall_ns, keys, &self->pending, NULL);
  if (message == NULL)
    return FALSE;
  self->csb_id = stream->csb_id;
  gst_tfrc_key_sending_send (self->sending, message, time->now_ns);
  enter (self, GST_TFRC_EXCHANGE_OFFERED, time->now_ns);
  gst_tfrc_log (keys, DEBUG, "offers keys in %" G_GSIZE_FORMAT " bytes, csb %08x",
      g_bytes_get_size (message), self->csb_id);
  return TRUE;
}

void
gst_tfrc_exchange_ask (GstTfrcExchange *self, guint64 now_ns)
{
  if (self->end == GST_TFRC_SRTP_SENDER) {
    gst_tfrc_exchange_end (self);
    gst_tfrc_key_sending_ask (self->sending, now_ns);
    if (self->with_cookie == NULL)
      self->with_cookie = g_new0 (GstTfrcKeyAssembly, 1);
    enter (self, GST_TFRC_EXCHANGE_ASKING, now_ns);
    gst_tfrc_log (keys, DEBUG, "asks the receiver to request keys");
    return;
  }
  if (self->asked_ns != 0 && now_ns < self->asked_ns + ASK_INTERVAL_NS)
    return;
  self->asked_ns = now_ns;
  if (!gst_tfrc_key_limits_may_answer (self->party->limits, now_ns))
    return;
  gst_tfrc_key_sending_ask (self->sending, now_ns);
  gst_tfrc_log (keys, DEBUG, "asks a sender for the keys of its stream");
}

gboolean
gst_tfrc_exchange_is_proven (const GstTfrcExchange *self, guint64 now_ns)
{
  return now_ns < self->proven_until_ns;
}

/* @is_proven: otherwise the address may be, at a receiver */
static gboolean
may_read (GstTfrcExchange *self, gboolean is_proven, guint64 now_ns)
{
  return gst_tfrc_key_limits_may_read (self->party->limits, &self->address,
      is_proven || gst_tfrc_exchange_is_proven (self, now_ns), now_ns);
}

static void
make_request (GstTfrcExchange *self, const GstTfrcKeyTime *time)
{
  g_clear_pointer (&self->request, g_bytes_unref);
  g_clear_pointer (&self->pending, gst_tfrc_mikey_exchange_free);
  self->request = gst_tfrc_mikey_request (
      self->party->credentials, time->wall_ns, &self->pending, NULL);
  enter (self, self->request ? GST_TFRC_EXCHANGE_REQUESTED : GST_TFRC_EXCHANGE_IDLE, time->now_ns);
  gst_tfrc_log (keys, DEBUG, "%s", self->request ? "requests keys" : "cannot make a request");
}

/* A request with another cookie needs a token, too: false cookies in the sender's name use up those
 * without which it has to show ours. */
void
gst_tfrc_exchange_request (
    GstTfrcExchange *self, const guint8 *cookie, gboolean is_sealed, const GstTfrcKeyTime *time)
{
  gboolean is_due = self->state != GST_TFRC_EXCHANGE_REQUESTED
      || time->now_ns > self->since_ns + REQUEST_AGE_NS;
  gboolean is_other = cookie && gst_tfrc_key_sending_is_other_cookie (self->sending, cookie);

  if ((is_due || is_other) && !is_sealed && !may_read (self, FALSE, time->now_ns))
    return;
  if (is_due)
    make_request (self, time);
  if (is_other)
    gst_tfrc_key_sending_set_cookie (self->sending, cookie);
  /* A request of several packets that is leaving goes on, as far as the credit allows. */
  if (self->request && !gst_tfrc_key_sending_is_busy_with (self->sending, self->request))
    gst_tfrc_key_sending_send (self->sending, g_bytes_ref (self->request), time->now_ns);
}

void
gst_tfrc_exchange_answer (GstTfrcExchange *self, GBytes *answer)
{
  gst_tfrc_key_sending_send (self->sending, g_bytes_ref (answer), 0);
}

/* ---- messages that come -------------------------------------------------- */

/* A message that is complete */
typedef struct
{
  const guint8 *bytes;
  gsize size;
  guint32 csb_id;
  gboolean is_sealed;
  gboolean is_proven; /* has come with a cookie of this end */
  const GstTfrcKeyTime *time;
} Message;

GstTfrcKeyAssembly *
gst_tfrc_exchange_get_assembly (GstTfrcExchange *self, const guint8 *cookie)
{
  gboolean is_own = self->with_cookie && cookie
      && gst_tfrc_key_sending_has_given (self->sending, cookie);

  return is_own ? self->with_cookie : &self->assembly;
}

static gboolean
may_read_message (GstTfrcExchange *self, const Message *message)
{
  return message->is_sealed || may_read (self, message->is_proven, message->time->now_ns);
}

/* Frees the error.  Returns its reason. */
static GstTfrcMikeyError
doubt (GstTfrcKeyNews *news, GError *error)
{
  GstTfrcMikeyError reason = (GstTfrcMikeyError) error->code;

  news->doubt = gst_tfrc_mikey_error_describe (reason);
  g_error_free (error);
  return reason;
}

/* An offer has one answer.  Another one, with another part of the keys, comes too late. */
static GstTfrcExchangeResult
on_verification (GstTfrcExchange *self, const Message *message, GstTfrcKeyNews *news)
{
  if (self->state != GST_TFRC_EXCHANGE_OFFERED)
    return GST_TFRC_EXCHANGE_TAKEN;
  if (!gst_tfrc_mikey_confirm (self->pending, message->bytes, message->size, &news->keys, NULL))
    return GST_TFRC_EXCHANGE_REFUSED;
  g_clear_pointer (&self->pending, gst_tfrc_mikey_exchange_free);
  gst_tfrc_key_sending_prove (self->sending, message->time->now_ns);
  enter (self, GST_TFRC_EXCHANGE_PROVING, message->time->now_ns);
  return GST_TFRC_EXCHANGE_CONFIRMED;
}

/* Any host can make this message, which therefore ends nothing by itself. */
static GstTfrcExchangeResult
on_refusal (GstTfrcExchange *self, const Message *message, GstTfrcKeyNews *news)
{
  GstTfrcMikeyError reason;
  guint32 csb_id;

  if ((self->state != GST_TFRC_EXCHANGE_OFFERED && self->state != GST_TFRC_EXCHANGE_GRANTED)
      || !gst_tfrc_mikey_read_refusal (message->bytes, message->size, &csb_id, &reason)
      || csb_id != self->csb_id)
    return GST_TFRC_EXCHANGE_REFUSED;
  news->doubt = gst_tfrc_mikey_error_describe (reason);
  return GST_TFRC_EXCHANGE_TAKEN;
}

/* A request without the cookie of this end's question answers no question: it is forged, or was recorded
 * lately.  The grant leaves until a packet of the receiver shows that the keys have arrived. */
static GstTfrcExchangeResult
on_request (GstTfrcExchange *self, const Message *message, GstTfrcKeyNews *news)
{
  const GstTfrcKeyParty *party = self->party;
  GError *error = NULL;
  GBytes *grant;

  if (!message->is_proven
      || gst_tfrc_credentials_get_key_exchange (party->credentials) != GST_TFRC_KEY_EXCHANGE_RSA_R)
    return GST_TFRC_EXCHANGE_REFUSED;
  if (message->csb_id == self->csb_id)
    return GST_TFRC_EXCHANGE_TAKEN; /* granted before */
  if (!may_read_message (self, message))
    return GST_TFRC_EXCHANGE_REFUSED;
  grant = gst_tfrc_mikey_grant (party->credentials, party->replay_cache, message->bytes,
      message->size, message->time->wall_ns, &news->stream, &news->keys, &error);
  if (grant == NULL) {
    doubt (news, error);
    return GST_TFRC_EXCHANGE_REFUSED;
  }
  gst_tfrc_exchange_end (self);
  self->csb_id = news->stream.csb_id;
  gst_tfrc_key_sending_send (self->sending, grant, message->time->now_ns);
  enter (self, GST_TFRC_EXCHANGE_GRANTED, message->time->now_ns);
  return GST_TFRC_EXCHANGE_NEW_KEYS;
}

/* A message that is refused has an answer, too: the sender tells its user of a wrong passphrase. */
static GstTfrcExchangeResult
on_offer (GstTfrcExchange *self, const Message *message, GstTfrcKeyNews *news)
{
  const GstTfrcKeyParty *party = self->party;
  GstTfrcOfferedKeys keys;
  GError *error = NULL;
  GBytes *refusal;

  /* An offer of another mode costs nothing, as its type is the first thing that is looked at. */
  if (gst_tfrc_mikey_is_offer_for (party->credentials, message->bytes, message->size)
      && !may_read_message (self, message))
    return GST_TFRC_EXCHANGE_REFUSED;
  news->answer = gst_tfrc_mikey_accept (party->credentials, message->bytes, message->size,
      message->time->wall_ns, &news->stream, &keys, &error);
  if (news->answer) {
    news->is_sealed = message->is_sealed;
    news->keys = keys.agreed;
    news->provisional = keys.provisional;
    gst_tfrc_offered_keys_wipe (&keys);
    return GST_TFRC_EXCHANGE_NEW_KEYS;
  }
  refusal = gst_tfrc_mikey_refuse (message->csb_id, doubt (news, error));
  if (refusal)
    gst_tfrc_key_sending_send (self->sending, refusal, message->time->now_ns);
  return GST_TFRC_EXCHANGE_REFUSED;
}

static GstTfrcExchangeResult
on_grant (GstTfrcExchange *self, const Message *message, GstTfrcKeyNews *news)
{
  GError *error = NULL;

  if (self->state != GST_TFRC_EXCHANGE_REQUESTED)
    return GST_TFRC_EXCHANGE_TAKEN; /* of another request */
  if (!may_read_message (self, message))
    return GST_TFRC_EXCHANGE_REFUSED;
  if (!gst_tfrc_mikey_take_grant (self->party->credentials, self->pending, message->bytes,
          message->size, message->time->wall_ns, &news->stream, &news->keys, &error)) {
    doubt (news, error);
    return GST_TFRC_EXCHANGE_REFUSED;
  }
  g_clear_pointer (&self->pending, gst_tfrc_mikey_exchange_free);
  g_clear_pointer (&self->request, g_bytes_unref);
  enter (self, GST_TFRC_EXCHANGE_IDLE, message->time->now_ns);
  return GST_TFRC_EXCHANGE_NEW_KEYS;
}

typedef GstTfrcExchangeResult (*Reader) (
    GstTfrcExchange *self, const Message *message, GstTfrcKeyNews *news);

/* The messages that an end reads */
static const Reader readers[][GST_TFRC_MIKEY_REFUSAL + 1] = {
  [GST_TFRC_SRTP_SENDER] = { [GST_TFRC_MIKEY_VERIFICATION] = on_verification,
      [GST_TFRC_MIKEY_REFUSAL] = on_refusal,
      [GST_TFRC_MIKEY_REQUEST] = on_request },
  [GST_TFRC_SRTP_RECEIVER] = { [GST_TFRC_MIKEY_OFFER] = on_offer,
      [GST_TFRC_MIKEY_GRANT] = on_grant },
};

static const gchar *const kind_names[] = { [GST_TFRC_MIKEY_OFFER] = "offer",
  [GST_TFRC_MIKEY_VERIFICATION] = "verification",
  [GST_TFRC_MIKEY_REQUEST] = "request",
  [GST_TFRC_MIKEY_GRANT] = "grant",
  [GST_TFRC_MIKEY_REFUSAL] = "refusal" };

GstTfrcExchangeResult
gst_tfrc_exchange_read (GstTfrcExchange *self, const GstTfrcKeyAssembly *assembly,
    gboolean is_sealed, GstTfrcKeyNews *news, const GstTfrcKeyTime *time)
{
  Message message = {
    .is_sealed = is_sealed, .is_proven = assembly == self->with_cookie, .time = time
  };
  GstTfrcExchangeResult result = GST_TFRC_EXCHANGE_REFUSED;
  GstTfrcMikeyKind kind;

  message.bytes = gst_tfrc_key_assembly_get (assembly, &message.size);
  if (!gst_tfrc_mikey_peek (message.bytes, message.size, &kind, &message.csb_id))
    return GST_TFRC_EXCHANGE_REFUSED;
  if (readers[self->end][kind])
    result = readers[self->end][kind](self, &message, news);
  gst_tfrc_log (keys, LOG, "%s of csb %08x is %s%s%s", kind_names[kind], message.csb_id,
      result == GST_TFRC_EXCHANGE_REFUSED ? "refused" : "taken", news->doubt ? ": " : "",
      news->doubt ? news->doubt : "");
  return result;
}

/* ---- packets that leave -------------------------------------------------- */

guint64
gst_tfrc_exchange_next_ns (const GstTfrcExchange *self)
{
  return gst_tfrc_key_sending_next_ns (self->sending);
}

void
gst_tfrc_exchange_hurry (GstTfrcExchange *self, guint64 now_ns)
{
  gst_tfrc_key_sending_hurry (self->sending, now_ns);
}

void
gst_tfrc_exchange_take_cookie (
    GstTfrcExchange *self, const GstTfrcKeyPacket *packet, guint64 now_ns)
{
  if (gst_tfrc_key_sending_take_cookie (self->sending, packet)
      && gst_tfrc_key_limits_may_hurry (self->party->limits, now_ns))
    gst_tfrc_key_sending_hurry (self->sending, now_ns);
}

gsize
gst_tfrc_exchange_write (
    GstTfrcExchange *self, guint32 own_ssrc, guint64 rtt_ns, guint64 now_ns, guint8 *buffer)
{
  return gst_tfrc_key_sending_write (self->sending, own_ssrc, rtt_ns, now_ns, buffer);
}

/* ---- queries ------------------------------------------------------------- */

GstTfrcExchangeState
gst_tfrc_exchange_get_state (const GstTfrcExchange *self)
{
  return self->state;
}

guint64
gst_tfrc_exchange_get_since_ns (const GstTfrcExchange *self)
{
  return self->since_ns;
}

static const gchar *
check_sender (const GstTfrcExchange *self)
{
  if (self->state == GST_TFRC_EXCHANGE_REQUESTED || self->request)
    return "A sender requests nothing.";
  if ((self->state == GST_TFRC_EXCHANGE_IDLE)
      != (gst_tfrc_key_sending_next_ns (self->sending) == G_MAXUINT64))
    return "A sender's packets leave while an exchange is under way, and only then.";
  if ((self->state == GST_TFRC_EXCHANGE_OFFERED) != (self->pending != NULL))
    return "An offer waits for its verification, and nothing else does.";
  return NULL;
}

static const gchar *
check_receiver (const GstTfrcExchange *self)
{
  if (self->state != GST_TFRC_EXCHANGE_IDLE && self->state != GST_TFRC_EXCHANGE_REQUESTED)
    return "A receiver only requests.";
  if ((self->state == GST_TFRC_EXCHANGE_REQUESTED) != (self->request != NULL)
      || (self->request != NULL) != (self->pending != NULL))
    return "A request waits for its grant, and nothing else does.";
  return NULL;
}

const gchar *
gst_tfrc_exchange_check (const GstTfrcExchange *self)
{
  const gchar *broken = self->end == GST_TFRC_SRTP_SENDER ? check_sender (self)
                                                          : check_receiver (self);

  return broken ? broken : gst_tfrc_key_sending_check (self->sending);
}

void
gst_tfrc_exchange_print (const GstTfrcExchange *self)
{
  static const gchar *const names[] = { "idle", "asking", "offered", "proving", "granted",
    "requested" };

  g_printerr ("exchange: %s since %" G_GUINT64_FORMAT " ns, csb %08x; ", names[self->state],
      self->since_ns, self->csb_id);
  gst_tfrc_key_sending_print (self->sending);
}
