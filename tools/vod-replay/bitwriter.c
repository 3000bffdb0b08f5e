/* Bits, Exp-Golomb codes and NAL units of H.264, see bitwriter.h. */
#include "bitwriter.h"

#include <string.h>

void
bit_writer_put (BitWriter *writer, guint n_bits, guint32 value)
{
  while (n_bits-- > 0) {
    if ((value >> n_bits) & 1)
      writer->bytes[writer->bits / 8] |= 0x80 >> writer->bits % 8;
    writer->bits++;
  }
}

void
bit_writer_put_ue (BitWriter *writer, guint32 value)
{
  guint length = g_bit_storage (value + 1);

  bit_writer_put (writer, length - 1, 0);
  bit_writer_put (writer, length, value + 1);
}

void
bit_writer_put_se (BitWriter *writer, gint32 value)
{
  bit_writer_put_ue (writer, value > 0 ? 2 * value - 1 : -2 * value);
}

gsize
bit_writer_finish_nal (BitWriter *writer, guint8 nal_header, guint8 *data)
{
  guint8 *at = data;
  guint zeros = 0, n_bytes, i;

  bit_writer_put (writer, 1, 1);
  n_bytes = (writer->bits + 7) / 8;
  memcpy (at, "\0\0\0\1", 4);
  at += 4;
  *at++ = nal_header;
  for (i = 0; i < n_bytes; i++) {
    if (zeros == 2 && writer->bytes[i] <= 3) {
      *at++ = 3;
      zeros = 0;
    }
    zeros = writer->bytes[i] == 0 ? zeros + 1 : 0;
    *at++ = writer->bytes[i];
  }
  return at - data;
}
