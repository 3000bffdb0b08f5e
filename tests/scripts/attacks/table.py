# SPDX-License-Identifier: LGPL-2.1-or-later
"""The table of attacks: registers attacks, runs them side by side, and prints their effects."""
import dataclasses
import pathlib
import re
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

import modes
from movie import Unexpected

FIRST_PORT = 5004
PAGE = pathlib.Path(__file__).parents[3] / "docs/security.md"
BEGIN, END = "<!-- attacks.sh --table writes this -->", "<!-- the end of the table -->"
NOT_RUN = "–"
_attacks = []


@dataclasses.dataclass
class Attack:
    name: str
    who: str
    bound: str
    run: object
    lasts_s: float
    mode: str = modes.PLAIN  # what it attacks
    keys: str = modes.PLAIN  # what modes.mode() sets; PLAIN if the attack has keys of its own
    is_more: bool = False    # runs only if all modes are asked for


@dataclasses.dataclass
class Effect:
    text: str
    ok: bool
    share: float = 0.0  # of the bound
    is_skipped: bool = False


def attack(name, who, bound, lasts_s=15, mode=modes.PLAIN, with_keys=None, keyed=modes.PROTECTED, raised_ttl=None, always=()):
    """Registers run(port) -> Effect. A stream of the attack uses ports from `port` to `port` + 3. mode:
    what the attack gives the ends itself. with_keys: the bound in the modes `keyed`, in which the
    attack runs as well, but only with ATTACKS_MODES=all, except for the modes `always`. raised_ttl: the
    bound before protect=raised-ttl protects something. bound is None: it runs in these modes only."""
    def register(run):
        if bound:
            _attacks.append(Attack(name, who, bound, run, lasts_s, mode))
        if with_keys:
            _attacks.extend(Attack(name, who, with_keys, run, lasts_s, keys, keys, keys not in always) for keys in keyed)
        if raised_ttl:
            _attacks.append(Attack(name, who, raised_ttl, run, lasts_s, modes.RAISED_TTL, modes.RAISED_TTL, True))
        return run
    return register


def _measure(number_and_attack):
    number, one = number_and_attack
    start = time.monotonic()
    try:
        with modes.mode(one.keys):
            effect = one.run(FIRST_PORT + 4 * number)
    except modes.Unavailable as error:
        effect = Effect(f"skipped: {error}", True, is_skipped=True)
    except Unexpected as error:
        effect = Effect(f"not measured: {error}", False)
    except Exception:  # pylint: disable=broad-except  # whatever it is, the other attacks go on
        traceback.print_exc()
        effect = Effect("not measured: error in the script", False)
    print(f"  {time.monotonic() - start:5.1f} s  {one.name} ({one.mode}): {effect.text}", file=sys.stderr, flush=True)
    return effect


def run(only, at_a_time, every_mode):
    """Runs the attacks whose name matches, the longest first; returns (attack, effect) in the order of registration.
    What is above its bound is measured again, alone: a machine that stands still for a moment looks like an attack
    on all streams of that moment. Both effects are shown."""
    chosen = [one for one in _attacks if re.search(only, one.name) and (every_mode or not one.is_more)]
    order = sorted(enumerate(chosen), key=lambda item: -item[1].lasts_s)
    effects = {}
    lock = threading.Lock()

    def work(item):
        effect = _measure(item)
        with lock:
            effects[item[0]] = effect

    with ThreadPoolExecutor(at_a_time) as pool:
        list(pool.map(work, order))
    for number, one in enumerate(chosen):
        if not effects[number].ok:
            print("  again:", file=sys.stderr)
            before = effects[number].text
            effects[number] = _measure((number, one))
            effects[number].text += f" (before: {before})"
    return [(one, effects[number]) for number, one in enumerate(chosen)]


def show(results):
    rows = [("attack", "who", "keys", "effect on the movie", "bound", "ok")]
    rows += [(one.name, one.who, one.mode, effect.text, one.bound, "yes" if effect.ok else "NO") for one, effect in results]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for number, row in enumerate(rows):
        print("| " + " | ".join(text.ljust(width) for text, width in zip(row, widths)) + " |")
        if number == 0:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")


# ---- the table in docs/security.md

def registered():
    """(who, bound) -> the modes in which that bound holds. Attacks of nobody are no attacks."""
    rows = {}
    for one in _attacks:
        if one.who != "nobody":
            rows.setdefault((one.who, one.bound), set()).add(one.mode)
    return rows


def cell(results, row, mode):
    """The effect that is nearest to the bound, or above it."""
    measured = [effect for one, effect in results if (one.who, one.bound) == row and one.mode == mode]
    if not measured:
        return NOT_RUN
    worst = max(measured, key=lambda effect: (not effect.ok, effect.share))
    return f"{worst.text} ({len(measured)})" + ("" if worst.ok else " **above the bound**")


def write_page(results):
    """Rows of which not all attacks have run (ATTACKS_ONLY) stay. Nothing is written if an attack could not be measured here."""
    if any(effect.is_skipped for _, effect in results):
        sys.exit("attacks were skipped, so the table stays as it was")
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    old = {tuple(line.strip("| ").split(" | ")[:2]): line for line in rest.split(END)[0].splitlines() if line}
    lines = ["| attacker | bound | " + " | ".join(modes.ALL) + " |", "|---|---|" + "---|" * len(modes.ALL)]
    for row in sorted(registered(), key=lambda row: row[0]):
        if sum((one.who, one.bound) == row for one, _ in results) < sum((one.who, one.bound) == row for one in _attacks):
            lines += [old[row]] if row in old else []
            continue
        lines.append("| " + " | ".join([*row, *(cell(results, row, mode) for mode in modes.ALL)]) + " |")
    PAGE.write_text(before + BEGIN + "\n\n" + "\n".join(lines) + "\n\n" + END + rest.split(END)[1], encoding="utf-8")


def differences():
    """What the page's table says and no attack measures, and what it lacks."""
    table = PAGE.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0]
    told = {}
    for line in table.splitlines()[3:]:
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if len(cells) == 2 + len(modes.ALL):
            told[tuple(cells[:2])] = {mode for mode, text in zip(modes.ALL, cells[2:]) if text != NOT_RUN}
            if "**" in line:
                yield f"{cells[0]}: above the bound: {cells[1]}"
    rows = registered()
    for row in sorted(told.keys() | rows.keys()):
        if told.get(row) != rows.get(row):
            yield f"{row[0]}: {row[1]}: the page has {sorted(told.get(row, []))}, the attacks {sorted(rows.get(row, []))}"
