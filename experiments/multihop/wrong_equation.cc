// A throughput equation that is wrong by a factor, linked in place of the library's (with the linker's --wrap), for a
// test that has to notice.
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
