# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the attacks in the namespaces that attacks.sh has made, and prints the table.

    ATTACKS_ONLY=REGEX       only attacks whose name matches
    ATTACKS_AT_A_TIME=N      this number of attacks side by side
    ATTACKS_REPORT_ONLY=1    exceeded bounds are shown, and are no failure
    ATTACKS_FLOOD_PER_S=N    key messages a second of the flood (100000; 0: all that the machine can)
"""
import importlib
import os
import signal
import sys

import movie
import table

for module in ("rate", "single_packet", "off_path", "start_order", "load", "protected", "recorded", "certificates", "http",
               "mute", "rebinding"):
    importlib.import_module(module)


def give_up(*_):
    """A signal handler. It takes no lock, as the interrupted thread may have the lock."""
    for pid in movie.process_ids():
        os.kill(pid, signal.SIGKILL)
    os._exit(1)


def main():
    signal.signal(signal.SIGTERM, give_up)
    signal.signal(signal.SIGINT, give_up)
    movie.make_movie()
    try:
        results = table.run(os.environ.get("ATTACKS_ONLY", ""), int(os.environ.get("ATTACKS_AT_A_TIME", "16")))
    finally:
        movie.kill_all()
    table.show(results)
    exceeded = sum(not effect.ok for _, effect in results)
    print(f"{len(results)} attacks, {exceeded} above their bound")
    return exceeded > 0 and not os.environ.get("ATTACKS_REPORT_ONLY")


sys.exit(main())
