/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The start of both programs, see program.h */
#include "program.h"

#include <signal.h>

Status
program_complain (const Program *program, Status status, GError *error)
{
  g_printerr ("%s: %s\n", program->name, error->message);
  g_error_free (error);
  return status;
}

void
program_ignore_closed_pipes (void)
{
  signal (SIGPIPE, SIG_IGN);
}
