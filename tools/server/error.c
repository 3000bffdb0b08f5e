/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The error domain of the server, see error.h */
#include "error.h"

G_DEFINE_QUARK (server - error - quark, server_error)
