/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reasons for which a request can be refused.  The HTTP interface has a status code for each. */
#ifndef SERVER_ERROR_H
#define SERVER_ERROR_H

#include <glib.h>

G_BEGIN_DECLS

#define SERVER_ERROR (server_error_quark ())

typedef enum
{
  SERVER_ERROR_BAD_REQUEST, /**< the request is malformed, or has a value that cannot be */
  SERVER_ERROR_FORBIDDEN,   /**< the allow list does not have the receiver's host */
  SERVER_ERROR_NOT_FOUND,   /**< there is no such movie or stream */
  SERVER_ERROR_CONFLICT,    /**< another stream plays to this receiver */
  SERVER_ERROR_BUSY,        /**< the server plays as many streams as it may */
  SERVER_ERROR_FAILED       /**< the movie cannot be played, or the pipeline does not start */
} ServerError;

GQuark server_error_quark (void);

G_END_DECLS
#endif
