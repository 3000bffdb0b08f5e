/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The callers of an element that listens, for the application: signals and messages of both elements, and what the
 * application decides. On the notifier's thread, where a handler may take its time. */
#ifndef GST_TFRC_CALLERSIGNALS_H
#define GST_TFRC_CALLERSIGNALS_H

#include "../security/credentials.h"
#include "callnews.h"
#include "running.h"

G_BEGIN_DECLS

/** What a stream does that is called. All functions inside the gate, without a lock held. Static. */
typedef struct
{
  gboolean is_sender; /**< for gst_tfrc_credentials_new() */

  /** Takes the oldest news, for gst_tfrc_call_news_free(). NULL: none */
  GstTfrcCallNews *(*take_news) (gpointer stream);

  /** Accepts or refuses a caller. One that does not wait any more is left alone.
   * @param refusal why not; NULL: the caller is accepted
   * @param credentials for this caller; NULL: those of the element */
  void (*answer) (
      gpointer stream, guint64 id, const gchar *refusal, GstTfrcCredentials *credentials);

  /** The application puts off its decision. NULL: it cannot. */
  void (*defer) (gpointer stream, guint64 id);
} GstTfrcCallee;

/** Adds the signals caller-connecting, caller-added, caller-removed, caller-rejected and drop-caller to the class of the
 * element.
 * @param drop handles drop-caller */
void gst_tfrc_caller_signals_install (
    GType type, gboolean (*drop) (GstElement *element, guint64 id));

/** Does the application of this element decide about callers: has caller-connecting a handler? Any thread. */
gboolean gst_tfrc_caller_signals_decide (GstElement *element);

/** Takes one piece of news and tells the application; asks whether a caller is accepted. On the notifier's
 * thread, outside the gate.
 * @param running of the element */
void gst_tfrc_caller_signals_tell (GstTfrcRunning *running, const GstTfrcCallee *callee);

/** Refuses a caller that waits; another one is left alone. Outside the gate, any thread.
 * @param running of the element
 * @param reason for the caller; NULL: none in particular */
void gst_tfrc_caller_signals_refuse (
    GstTfrcRunning *running, const GstTfrcCallee *callee, guint64 id, const gchar *reason);

G_END_DECLS
#endif
