/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What both programs need from their start, see program.h */
#include "program.h"

Status
program_complain (const Program *program, Status status, GError *error)
{
  g_printerr ("%s: %s\n", program->name, error->message);
  g_error_free (error);
  return status;
}
