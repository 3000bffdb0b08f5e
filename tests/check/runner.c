/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The main program of a suite: runs the modules that its arguments name, or all of them. --list
 * prints their names. Meson runs each module in a process of its own. */
#include "module.h"

static TestModule *modules; /* by name */

void
test_module_add (TestModule *module)
{
  TestModule **place = &modules;

  while (*place && strcmp ((*place)->name, module->name) < 0)
    place = &(*place)->next;
  module->next = *place;
  *place = module;
}

/* Takes the place of libcheck's function, which the assertions call when they hold. It writes each
 * one's place to a file, so that a crash can be reported with the last: a million and a half writes in
 * one module, and most of its time. A crash is reported with the beginning of its check; a debugger or
 * a sanitizer names the line. */
void
_mark_point (const char *file, int line)
{
}

static TestModule *
find (const gchar *name)
{
  for (TestModule *module = modules; module; module = module->next) {
    if (strcmp (module->name, name) == 0)
      return module;
  }
  return NULL;
}

/* Returns the number of checks that failed. */
static gint
run (const TestModule *module)
{
  return gst_check_run_suite (module->suite (), module->name, module->file);
}

static gint
run_all (void)
{
  gint failed = 0;

  for (const TestModule *module = modules; module; module = module->next)
    failed += run (module);
  return failed;
}

static void
list (void)
{
  for (const TestModule *module = modules; module; module = module->next)
    g_print ("%s\n", module->name);
}

int
main (int argc, char **argv)
{
  gint failed = 0;

  if (argc == 2 && strcmp (argv[1], "--list") == 0) {
    list ();
    return 0;
  }
  for (gint i = 1; i < argc; i++) {
    if (find (argv[i]) == NULL) {
      g_printerr ("There is no module %s; --list prints the names.\n", argv[i]);
      return 2;
    }
  }
  gst_check_init (&argc, &argv);
  if (argc <= 1)
    failed = run_all ();
  for (gint i = 1; i < argc; i++)
    failed += run (find (argv[i]));
  return failed != 0;
}
