/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libtfrc: the version of the headers, and of the library in use.
 *
 * The build refuses to compile the library where these numbers differ from the project's. */
#ifndef TFRC_VERSION_H
#define TFRC_VERSION_H

#include <tfrc/types.h>

/** The version of the headers that a program is compiled with */
#define TFRC_VERSION_MAJOR 0
#define TFRC_VERSION_MINOR 1
#define TFRC_VERSION_MICRO 0

/** A version as one number.  A later version has a larger number. */
#define TFRC_VERSION_ENCODE(major, minor, micro) ((major) << 16 | (minor) << 8 | (micro))

/** The version of the headers as one number */
#define TFRC_VERSION \
  TFRC_VERSION_ENCODE (TFRC_VERSION_MAJOR, TFRC_VERSION_MINOR, TFRC_VERSION_MICRO)

TFRC_BEGIN_DECLS

/** Returns the version of the library in use, as one number: compare it with TFRC_VERSION or
 * with TFRC_VERSION_ENCODE().  Any thread may call it. */
TFRC_API uint32_t tfrc_version (void);

/** Returns the version of the library in use as text such as "0.1.0": static, never NULL. */
TFRC_API const char *tfrc_version_string (void);

TFRC_END_DECLS
#endif
