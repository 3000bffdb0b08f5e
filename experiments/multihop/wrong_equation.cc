/* SPDX-License-Identifier: LGPL-2.1-or-later */
// A throughput equation that is wrong by a factor. The linker's --wrap puts it in place of the
// library's, for a test that has to detect the error.
#include <tfrc/tfrc.h>

extern "C" {
double __real_tfrc_equation_rate_Bps (
    double segment_size_bytes, double rtt_s, double rto_s, double p);
double __wrap_tfrc_equation_rate_Bps (
    double segment_size_bytes, double rtt_s, double rto_s, double p);
}

double
__wrap_tfrc_equation_rate_Bps (double segment_size_bytes, double rtt_s, double rto_s, double p)
{
  return __real_tfrc_equation_rate_Bps (segment_size_bytes, rtt_s, rto_s, p) / 10;
}
