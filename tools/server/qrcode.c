/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* QR codes as SVG, see qrcode.h */
#include "qrcode.h"

#include <string.h>

#ifdef HAVE_QRENCODE
#include <qrencode.h>

#define MARGIN 4
#define IS_DARK 1

/* One rectangle for each run of dark modules */
static void
draw_line (GString *svg, const guchar *modules, gint width, gint y)
{
  gint x = 0, end;

  while (x < width) {
    for (end = x; end < width && (modules[end] & IS_DARK); end++)
      ;
    if (end > x)
      g_string_append_printf (svg, "M%d %dh%dv1h-%dz", x + MARGIN, y + MARGIN, end - x, end - x);
    x = MAX (end, x + 1);
  }
}

/* Dark on light also where the page is dark, as some readers want it */
static gchar *
draw (const QRcode *code)
{
  const gint size = code->width + 2 * MARGIN;
  GString *svg = g_string_new (NULL);
  gint y;

  g_string_printf (svg,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" shape-rendering=\"crispEdges\">"
      "<path fill=\"#fff\" d=\"M0 0h%dv%dh-%dz\"/><path d=\"",
      size, size, size, size, size);
  for (y = 0; y < code->width; y++)
    draw_line (svg, code->data + y * code->width, code->width, y);
  g_string_append (svg, "\"/></svg>");
  return g_string_free (svg, FALSE);
}

gboolean
qrcode_is_there (void)
{
  return TRUE;
}

gchar *
qrcode_draw (const gchar *text)
{
  QRcode *code;
  gchar *svg;

  if (!g_str_has_prefix (text, "tfrc://") || strlen (text) > QRCODE_MAX_BYTES)
    return NULL;
  code = QRcode_encodeString8bit (text, 0, QR_ECLEVEL_L);
  if (code == NULL)
    return NULL;
  svg = draw (code);
  QRcode_free (code);
  return svg;
}

#else

gboolean
qrcode_is_there (void)
{
  return FALSE;
}

gchar *
qrcode_draw (const gchar *text)
{
  return NULL;
}

#endif
