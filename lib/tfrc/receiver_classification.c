/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the receiver tells link errors from congestion, see receiver_classification.h. */
#include "receiver_classification.h"

#include <stdlib.h>

#include "control_info.h"
#include "loss_classifier.h"

struct TfrcReceiverClassification
{
  TfrcLossClassifierState classifier;
  TfrcLossHistory congestion; /* the loss intervals without link errors */
};

static bool
is_link_error (void *user, uint32_t count)
{
  TfrcReceiverClassification *classification = user;

  return tfrc_loss_classifier_is_link_error (&classification->classifier, count);
}

TfrcReceiverClassification *
tfrc_receiver_classification_new (
    TfrcLossClassifier classifier, double allowance, TfrcLossDetection *loss)
{
  TfrcReceiverClassification *classification = calloc (1, sizeof *classification);

  if (classification == NULL)
    return NULL;
  tfrc_loss_classifier_init (&classification->classifier, classifier, allowance);
  tfrc_loss_detection_classify (loss, &classification->congestion, is_link_error, classification);
  return classification;
}

void
tfrc_receiver_classification_on_packet (TfrcReceiverClassification *classification,
    const TfrcData *data, bool other_delay, bool believed, uint64_t arrival_ns)
{
  TfrcLossClassifierState *classifier = &classification->classifier;

  if (other_delay)
    tfrc_loss_classifier_reset (classifier);
  if (believed)
    tfrc_loss_classifier_on_packet (
        classifier, data, tfrc_control_info_jitter_ns (data->rtt_us), arrival_ns);
  else
    tfrc_loss_classifier_on_unknown (classifier);
}

double
tfrc_receiver_classification_p (
    const TfrcReceiverClassification *classification, uint64_t highest_seq)
{
  return tfrc_loss_history_p (&classification->congestion, highest_seq);
}

uint64_t
tfrc_receiver_classification_delays (const TfrcReceiverClassification *classification)
{
  return tfrc_loss_classifier_delays (&classification->classifier);
}
