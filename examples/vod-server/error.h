/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reasons for which a request can be refused.  The HTTP interface has a status code for each. */
#ifndef VOD_ERROR_H
#define VOD_ERROR_H

#include <glib.h>

G_BEGIN_DECLS

#define VOD_ERROR (vod_error_quark ())

typedef enum
{
  VOD_ERROR_BAD_REQUEST, /**< the request is malformed, or has a value that cannot be */
  VOD_ERROR_FORBIDDEN,   /**< the allow list does not have the receiver's host */
  VOD_ERROR_NOT_FOUND,   /**< there is no such movie or stream */
  VOD_ERROR_CONFLICT,    /**< another stream plays to this receiver */
  VOD_ERROR_BUSY,        /**< the server plays as many streams as it may */
  VOD_ERROR_FAILED       /**< the pipeline does not start */
} VodError;

GQuark vod_error_quark (void);

G_END_DECLS
#endif
