/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver's distinction of link errors from congestion, see receiver_classification.h. */
#include "receiver_classification.h"

#include <stdlib.h>

static bool
is_link_error (void *user, uint32_t count)
{
  const TfrcReceiver *receiver = user;

  return tfrc_loss_classifier_is_link_error (&receiver->classification->classifier, count);
}

bool
tfrc_receiver_classify (TfrcReceiver *receiver)
{
  TfrcReceiverClassification *classification;

  if (receiver->config.loss_classifier == TFRC_LOSS_CLASSIFIER_NONE)
    return true;
  receiver->classification = classification = calloc (1, sizeof *classification);
  if (classification == NULL)
    return false;
  tfrc_loss_classifier_init (&classification->classifier, receiver->config.loss_classifier);
  tfrc_loss_detection_classify (&receiver->loss, &classification->congestion, is_link_error);
  return true;
}

void
tfrc_receiver_measure_delay (TfrcReceiver *receiver, const TfrcData *data, TfrcSeqKind kind,
    bool believed, uint64_t arrival_ns)
{
  TfrcLossClassifierState *classifier;

  if (receiver->classification == NULL)
    return;
  classifier = &receiver->classification->classifier;
  if (kind == TFRC_SEQ_ELSEWHERE || tfrc_receiver_handover_arrives (&receiver->handover, data))
    tfrc_loss_classifier_reset (classifier);
  if (believed)
    tfrc_loss_classifier_on_packet (
        classifier, data, tfrc_control_info_jitter_ns (data->rtt_us), arrival_ns);
  else
    tfrc_loss_classifier_on_unknown (classifier);
}

double
tfrc_receiver_congestion_p (const TfrcReceiver *receiver)
{
  return tfrc_receiver_rate_of (receiver,
      receiver->classification != NULL ? &receiver->classification->congestion
                                       : &receiver->loss.all);
}

void
tfrc_receiver_fill_classification (const TfrcReceiver *receiver, TfrcFeedback *feedback)
{
  if (receiver->classification == NULL)
    return;
  feedback->classified = true;
  feedback->congestion_p = tfrc_receiver_congestion_p (receiver);
  feedback->link_errors = (uint32_t) receiver->loss.link_errors;
}
