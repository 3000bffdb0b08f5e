/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A classifier and a stream for it: one program with H.264, H.265, MPEG-2 and audio */
#ifndef TSCLASSIFIERTEST_H
#define TSCLASSIFIERTEST_H

#include <gst/check/gstcheck.h>

#include "gst/tfrcsink/tsclassifier.h"
#include "tsbuilder.h"

#define TABLES GST_TFRC_CLASS_TABLES
#define AUDIO GST_TFRC_CLASS_AUDIO
#define RANDOM_ACCESS GST_TFRC_CLASS_RANDOM_ACCESS
#define REFERENCE GST_TFRC_CLASS_REFERENCE
#define UNKNOWN GST_TFRC_CLASS_UNKNOWN
#define NON_REFERENCE GST_TFRC_CLASS_NON_REFERENCE
#define NULLS GST_TFRC_CLASS_NULL

#define PMT_PID 0x1000
#define H264_PID 0x100
#define H265_PID 0x101
#define MPEG_PID 0x102
#define AUDIO_PID 0x110
#define OTHER_PID 0x120

/* Pictures, each with what an encoder writes before its first slice */
#define H264_AUD "\0\0\0\1\x09\xf0"
#define H264_SPS "\0\0\0\1\x67\x64\0\x1e"
#define H264_PPS "\0\0\1\x68\xee"
#define H264_RECOVERY_POINT "\0\0\1\x06\x06\1\xc4\x80"
#define H264_IDR "\0\0\1\x65\x88\x84"
#define H264_I "\0\0\1\x61\x88\x84"
#define H264_P "\0\0\1\x41\x9a\x24"
#define H264_B_REFERENCE "\0\0\1\x41\x9e\x24"
#define H264_B "\0\0\1\x01\x9e\x24"
#define H265_HEADS "\0\0\0\1\x40\1\x0c\0\0\0\1\x42\1\1\0\0\1\x44\1\xc1"
#define H265_IDR "\0\0\1\x26\1\xaf"
#define H265_CRA "\0\0\1\x2a\1\xaf"
#define H265_P "\0\0\1\x02\1\xd0"
#define H265_B "\0\0\1\0\1\xe0"
#define MPEG_HEADS "\0\0\1\xb3\x16\0\xf0\0\0\1\xb8\0\x08"
#define MPEG_I "\0\0\1\0\0\x0f\xff\xf8\0\0\1\1\x22"
#define MPEG_P "\0\0\1\0\0\x17\xff\xf8\0\0\1\1\x22"
#define MPEG_B "\0\0\1\0\0\x1f\xff\xf8\0\0\1\1\x22"

static GstTfrcTsClassifier classifier;
static GByteArray *stream;

static inline void
append_tables (guint version)
{
  static const guint16 pids[] = { PMT_PID };
  static const TsStream streams[] = { { 0x1b, H264_PID, NULL, 0 }, { 0x24, H265_PID, NULL, 0 },
    { 0x02, MPEG_PID, NULL, 0 }, { 0x0f, AUDIO_PID, NULL, 0 }, { 0x06, OTHER_PID, "\x59\0", 2 } };

  ts_append_pat (stream, 0, pids, 1);
  ts_append_pmt (stream, PMT_PID, 1, version, streams, G_N_ELEMENTS (streams));
}

/* Classifies one packet of the transport stream by itself. */
static inline GstTfrcImportance
classify_one (const guint8 *ts_packet)
{
  GstTfrcImportance importance;

  gst_tfrc_ts_classifier_add (&classifier, ts_packet);
  gst_tfrc_ts_classifier_end_packet (&classifier, &importance);
  return importance;
}

/* Classifies what is in the stream, and empties it. Returns the last packet's importance. */
static inline GstTfrcImportance
classify (void)
{
  GstTfrcImportance last = GST_TFRC_IMPORTANCE_INIT;

  for (guint at = 0; at < stream->len; at += TS_BYTES)
    last = classify_one (stream->data + at);
  g_byte_array_set_size (stream, 0);
  return last;
}

/* The same for packets of RTP that hold all that is in the stream. */
static inline GstTfrcImportance
classify_together (void)
{
  GstTfrcImportance importance;

  for (guint at = 0; at < stream->len; at += TS_BYTES)
    gst_tfrc_ts_classifier_add (&classifier, stream->data + at);
  g_byte_array_set_size (stream, 0);
  gst_tfrc_ts_classifier_end_packet (&classifier, &importance);
  return importance;
}

static inline void
setup (void)
{
  gst_tfrc_ts_classifier_init (&classifier);
  stream = g_byte_array_new ();
  append_tables (0);
  classify ();
}

static inline void
teardown (void)
{
  g_byte_array_unref (stream);
}

/* The bytes of a string literal */
#define append_picture(pid, flags, units) \
  ts_append_pes (stream, pid, flags, (const guint8 *) (units), sizeof (units) - 1)

#define class_of(pid, flags, units) (append_picture (pid, flags, units), classify ().class)

#define assert_class(importance, expected) fail_unless_equals_int ((importance).class, expected)

#endif
