/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tells LeakSanitizer what GLib and GStreamer allocate once and never free, on purpose.  Linked into a
 * test it stands before the functions of these libraries; without AddressSanitizer it is empty.
 *
 * A suppression would have to name a function far from malloc(). These libraries have no frame pointers,
 * so that only the slow unwinder finds such a function, and takes four times as long for all tests. */
#define _GNU_SOURCE 1 /* RTLD_NEXT */
#include "lsanglib.h"

#include <gst/check/gstcheck.h>

#if defined(__SANITIZE_ADDRESS__)
#define WITH_LSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_LSAN 1
#endif
#endif

#ifdef WITH_LSAN
#include <dlfcn.h>
#include <gmodule.h>
#include <sanitizer/lsan_interface.h>

#define EXPORT __attribute__ ((visibility ("default")))

/* The function of the same name that stands behind this one. */
#define REAL(name) ((__typeof__ (&(name))) dlsym (RTLD_NEXT, #name))

/* What libraries allocate while they are loaded: with the program, between these two functions, and
 * later, as modules. GLib, for one, forgets the array of its quarks when it grows, so that others may go
 * on reading it without a lock. */
static void
before_libraries (void)
{
  __lsan_disable ();
}

static void __attribute__ ((constructor)) after_libraries (void)
{
  __lsan_enable ();
}

static void (*const preinit) (void)
    __attribute__ ((section (".preinit_array"), used)) = before_libraries;

EXPORT GModule *
g_module_open (const gchar *file_name, GModuleFlags flags)
{
  GModule *module;

  __lsan_disable ();
  module = REAL (g_module_open) (file_name, flags);
  __lsan_enable ();
  return module;
}

/* GStreamer forgets the list of log functions when the list changes, for the same reason. The first
 * list is made here. */
EXPORT void
gst_check_init (int *argc, char **argv[])
{
  __lsan_disable ();
  REAL (gst_check_init) (argc, argv);
  __lsan_enable ();
}

#undef gst_debug_add_log_function /* GStreamer has macros of these names. */
#undef gst_debug_remove_log_function

EXPORT void
gst_debug_add_log_function (GstLogFunction function, gpointer user_data, GDestroyNotify notify)
{
  __lsan_disable ();
  REAL (gst_debug_add_log_function) (function, user_data, notify);
  __lsan_enable ();
}

EXPORT guint
gst_debug_remove_log_function (GstLogFunction function)
{
  guint removed;

  __lsan_disable ();
  removed = REAL (gst_debug_remove_log_function) (function);
  __lsan_enable ();
  return removed;
}

void
test_ignore_leaks (gboolean ignored)
{
  if (ignored)
    __lsan_disable ();
  else
    __lsan_enable ();
}
#else
void
test_ignore_leaks (gboolean ignored)
{
}
#endif
