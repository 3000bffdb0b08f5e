/* Bits, Exp-Golomb codes and NAL units of H.264 (sections 7.2, 7.4.1.1, 9.1). */
#ifndef VOD_REPLAY_BITWRITER_H
#define VOD_REPLAY_BITWRITER_H

#include <glib.h>

#define BIT_WRITER_BYTES 64

/* A raw byte sequence payload in the making. */
typedef struct
{
  guint8 bytes[BIT_WRITER_BYTES];
  guint bits;
} BitWriter;

void bit_writer_put (BitWriter *writer, guint n_bits, guint32 value);
void bit_writer_put_ue (BitWriter *writer, guint32 value);
void bit_writer_put_se (BitWriter *writer, gint32 value);

/** Writes start code (of four bytes, as h264parse would make it), NAL header
 * and payload, with trailing bits and what prevents the emulation of start
 * codes.  Returns the number of bytes, at most BIT_WRITER_BYTES * 3 / 2 + 6. */
gsize bit_writer_finish_nal (BitWriter *writer, guint8 nal_header, guint8 *data);

#endif
