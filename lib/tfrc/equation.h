/* The TCP throughput equation and its inverse (RFC 5348 sections 3.1 and 8.1), with b = 1.  The functions are public:
 * see tfrc.h. */
#ifndef TFRC_EQUATION_H
#define TFRC_EQUATION_H

#include <tfrc/tfrc.h>

/* t_RTO = 4 R: the policy of section 3.1 */
#define TFRC_RTO_RTTS 4.0

#endif
