"""HTML tables."""

import html


def table(headings, rows, classes=None):
    """rows: lists of texts; classes: for each row the CSS class, or None."""
    lines = ["<table>", "<tr>" + "".join(f"<th>{html.escape(text)}</th>" for text in headings) + "</tr>"]
    for index, row in enumerate(rows):
        style = f' class="{classes[index]}"' if classes and classes[index] else ""
        lines.append(f"<tr{style}>" + "".join(f"<td>{html.escape(str(text))}</td>" for text in row) + "</tr>")
    return "\n".join(lines + ["</table>"])
