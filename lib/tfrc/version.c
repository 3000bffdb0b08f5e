/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The version of the library in use. */
#include <tfrc/version.h>

/* The build passes the project's version; a program that compiles this file by itself does not. */
#if defined(TFRC_PROJECT_VERSION) && TFRC_PROJECT_VERSION != TFRC_VERSION
#error "lib/include/tfrc/version.h has another version than meson.build"
#endif

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF (number)

uint32_t
tfrc_version (void)
{
  return TFRC_VERSION;
}

const char *
tfrc_version_string (void)
{
  return TEXT (TFRC_VERSION_MAJOR) "." TEXT (TFRC_VERSION_MINOR) "." TEXT (TFRC_VERSION_MICRO);
}
