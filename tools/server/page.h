/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The page of the server, which a browser shows */
#ifndef SERVER_PAGE_H
#define SERVER_PAGE_H

#include <libsoup/soup.h>

G_BEGIN_DECLS

/** Answers with the page. Its headers let a browser run the script that the page has and no other,
 * load nothing, send requests to this server only, and show the page in no frame. */
void page_answer (SoupServerMessage *message);

G_END_DECLS
#endif
