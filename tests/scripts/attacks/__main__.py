# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the attacks in the namespaces that attacks.sh has made, and prints the table.
With --table in all modes, and writes the rows of docs/security.md whose attacks have all run. With --check
compares that table with the attacks; this needs no namespaces.

    ATTACKS_ONLY=REGEX       only attacks whose name matches
    ATTACKS_MODES=all        every attack of a stream also in the modes with keys
    ATTACKS_AT_A_TIME=N      this number of attacks side by side
    ATTACKS_REPORT_ONLY=1    exceeded bounds are shown, and are no failure
    ATTACKS_REBINDINGS=N     changes of port of each NAT (8)
    ATTACKS_FLOOD_PER_S=N    key messages a second of the flood (100000; 0: all that the machine can)
"""
import importlib
import os
import signal
import sys

import movie
import table

for module in ("rate", "lies", "single_packet", "off_path", "start_order", "load", "protected", "recorded", "certificates", "http",
               "mute", "rebinding", "marks", "repairs", "calls"):
    importlib.import_module(module)


def give_up(*_):
    """A signal handler. It takes no lock, as the interrupted thread may have the lock."""
    for pid in movie.process_ids():
        os.kill(pid, signal.SIGKILL)
    os._exit(1)


def main():
    if "--check" in sys.argv:
        differences = list(table.differences())
        print(*differences, sep="\n")
        return bool(differences)
    page = "--table" in sys.argv
    signal.signal(signal.SIGTERM, give_up)
    signal.signal(signal.SIGINT, give_up)
    movie.make_movie()
    try:
        results = table.run(os.environ.get("ATTACKS_ONLY", ""), int(os.environ.get("ATTACKS_AT_A_TIME", "16")),
                            page or os.environ.get("ATTACKS_MODES") == "all")
    finally:
        movie.kill_all()
    table.show(results)
    if page:
        table.write_page(results)
    exceeded = sum(not effect.ok for _, effect in results)
    print(f"{len(results)} attacks, {exceeded} above their bound")
    return exceeded > 0 and not os.environ.get("ATTACKS_REPORT_ONLY")


sys.exit(main())
