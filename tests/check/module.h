/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes each check program of a suite a module of one runner (runner.c).
 *
 * meson.build includes this file before each of the programs, so that they stay ordinary programs of
 * gst-check, with GST_CHECK_MAIN (name) at the end. Two hundred programs of their own would take more
 * time to link than to run. */
#ifndef CHECK_MODULE_H
#define CHECK_MODULE_H

#include <gst/check/gstcheck.h>

typedef struct TestModule TestModule;

struct TestModule
{
  const gchar *name; /* of its file, without .c */
  const gchar *file;
  Suite *(*suite) (void);
  TestModule *next; /* the one that follows by name; set by test_module_add() */
};

/* Adds @module, which stays the caller's and is static, to the modules of this program. Modules call
 * it before main() begins. */
void test_module_add (TestModule *module);

#undef GST_CHECK_MAIN
#define GST_CHECK_MAIN(module_name) \
  static void __attribute__ ((constructor)) add_module (void) \
  { \
    static TestModule module = { #module_name, __FILE__, module_name##_suite, NULL }; \
    test_module_add (&module); \
  }

#endif
