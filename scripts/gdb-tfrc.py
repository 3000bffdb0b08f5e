# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the state machines of libtfrc in gdb: 'source scripts/gdb-tfrc.py', then 'print *handover'."""

import gdb
import gdb.printing


def _rate(value):
    return f"{float(value) * 8 / 1e6:.3f} Mbit/s"


class ReceiverHandover:
    """TfrcReceiverHandover (lib/tfrc/receiver_handover.h)"""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        state = self.value
        phase = str(state["phase"]).replace("TFRC_HANDOVER_", "")
        counts = f"{int(state['completed'])} of {int(state['started'])} completed, {int(state['abandoned'])} abandoned"
        if phase == "NORMAL":
            return f"NORMAL, link {int(state['link'])}, {counts}"
        return (f"{phase} since {int(state['phase_ns'])} ns, to link {int(state['link'])}, held rate {_rate(state['hold_Bps'])}, "
                f"wanted rate {_rate(state['rebuild_Bps'])}, {counts}")


class SenderHandover:
    """TfrcSenderHandover (lib/tfrc/sender_handover.h)"""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        state = self.value
        name = "HOLDING" if state["holding"] else "SETTLING" if state["settling"] else "PLAIN"
        debt = f"{int(state['handovers'])} holds, debt {float(state['debt_bytes']):.0f} bytes"
        if name == "PLAIN":
            return f"PLAIN, {debt}"
        marks = [mark for mark in ("echo", "direct") if state[mark]] or ["none"]
        return (f"{name} at {_rate(state['hold_Bps'])} until {int(state['end_ns'])} ns, {int(state['notifications'])} notifications, "
                f"marks {' '.join(marks)}, {debt}")


def _printers():
    printers = gdb.printing.RegexpCollectionPrettyPrinter("tfrc")
    printers.add_printer("TfrcReceiverHandover", "^TfrcReceiverHandover$", ReceiverHandover)
    printers.add_printer("TfrcSenderHandover", "^TfrcSenderHandover$", SenderHandover)
    return printers


gdb.printing.register_pretty_printer(gdb.current_objfile(), _printers(), replace=True)
