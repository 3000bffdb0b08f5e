# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether a page of the documentation's site fits a phone, as far as its HTML and the style sheets that it loads tell."""
import functools
import re

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
PRINT = re.compile(r"@media print\s*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
RULE = re.compile(r"([^{};]+)\{([^{}]*)\}")
# What can be wider than a screen, and the declaration that keeps it from making the page wider
WIDE = {"img": re.compile(r"(?<![\w-])max-width:\s*100%"),
        "table": re.compile(r"(?<![\w-])overflow(-x)?:\s*(auto|scroll)"),
        "pre": re.compile(r"(?<![\w-])overflow(-x)?:\s*(auto|scroll)")}


@functools.lru_cache(maxsize=None)
def kept_narrow(style):
    """The elements of WIDE that a style sheet keeps within the screen"""
    text = PRINT.sub("", COMMENT.sub("", style.read_text(encoding="utf-8")))
    found = set()
    for selectors, declarations in RULE.findall(text):
        for selector in selectors.split(","):
            element = re.match(r"\w*", re.split(r"[\s>+~]", selector.strip())[-1])[0]
            if element in WIDE and WIDE[element].search(declarations):
                found.add(element)
    return found


def problems_of(viewport, styles):
    """The mistakes of a page with this <meta name=viewport> and these style sheets"""
    if "width=device-width" not in (viewport or ""):
        yield "no viewport for phones"
    kept = set().union(*map(kept_narrow, styles))
    for element in WIDE:
        if element not in kept:
            yield f"<{element}> can be wider than a phone"
