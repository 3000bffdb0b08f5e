# SPDX-License-Identifier: LGPL-2.1-or-later
"""The table of attacks: registers attacks, runs them side by side, and prints their effects."""
import dataclasses
import re
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

from movie import Unexpected

FIRST_PORT = 5004
_attacks = []


@dataclasses.dataclass
class Attack:
    name: str
    who: str
    bound: str
    run: object
    lasts_s: float


@dataclasses.dataclass
class Effect:
    text: str
    ok: bool


def attack(name, who, bound, lasts_s=15):
    """Registers run(port) -> Effect. A stream of the attack uses ports from `port` to `port` + 3."""
    def register(run):
        _attacks.append(Attack(name, who, bound, run, lasts_s))
        return run
    return register


def _measure(number_and_attack):
    number, one = number_and_attack
    start = time.monotonic()
    try:
        effect = one.run(FIRST_PORT + 4 * number)
    except Unexpected as error:
        effect = Effect(f"not measured: {error}", False)
    except Exception:  # pylint: disable=broad-except  # whatever it is, the other attacks go on
        traceback.print_exc()
        effect = Effect("not measured: error in the script", False)
    print(f"  {time.monotonic() - start:5.1f} s  {one.name}: {effect.text}", file=sys.stderr, flush=True)
    return effect


def run(only, at_a_time):
    """Runs the attacks whose name matches, the longest first; returns (attack, effect) in the order of registration."""
    chosen = [one for one in _attacks if re.search(only, one.name)]
    order = sorted(enumerate(chosen), key=lambda item: -item[1].lasts_s)
    effects = {}
    lock = threading.Lock()

    def work(item):
        effect = _measure(item)
        with lock:
            effects[item[0]] = effect

    with ThreadPoolExecutor(at_a_time) as pool:
        list(pool.map(work, order))
    return [(one, effects[number]) for number, one in enumerate(chosen)]


def show(results):
    rows = [("attack", "who", "effect on the movie", "bound", "ok")]
    rows += [(one.name, one.who, effect.text, one.bound, "yes" if effect.ok else "NO") for one, effect in results]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for number, row in enumerate(rows):
        print("| " + " | ".join(text.ljust(width) for text, width in zip(row, widths)) + " |")
        if number == 0:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
