/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tells MemorySanitizer about GLib and gst-check, which are not instrumented, so that the sanitizer does
 * not see what they write.  Without MemorySanitizer this file is empty.
 *
 * Two kinds of false reports follow from that. The first are about memory that GLib has filled: what
 * malloc() returns counts as initialized, also if it was freed before. The library under test
 * allocates with calloc() only, so that nothing of the library's is hidden. The second are about calls
 * of the C library by GLib: calls of the C library are not checked. What the library reads, and each
 * branch in it, is. */
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define WITH_MSAN 1
#endif
#endif

#ifdef WITH_MSAN
#include <sanitizer/msan_interface.h>

const char *__msan_default_options (void);

const char *
__msan_default_options (void)
{
  return "poison_in_malloc=0:poison_in_free=0";
}

static void __attribute__ ((constructor)) leave_calls_of_the_c_library (void)
{
  __msan_scoped_disable_interceptor_checks ();
}
#else
typedef int NothingToTell; /* ISO C wants a declaration. */
#endif
