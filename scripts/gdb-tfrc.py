# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the state machines of libtfrc and of the sender in gdb: 'source scripts/gdb-tfrc.py', then 'print *handover'."""

import socket

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


def _address(value):
    """Host and port of a GstTfrcAddress; 'none' if it is unset."""
    v4, v6 = value["u"]["v4"], value["u"]["v6"]
    family = int(v4["sin_family"])
    if family not in (socket.AF_INET, socket.AF_INET6):
        return "none"
    host, port = (v4["sin_addr"], v4["sin_port"]) if family == socket.AF_INET else (v6["sin6_addr"], v6["sin6_port"])
    size = 4 if family == socket.AF_INET else 16
    data = gdb.selected_inferior().read_memory(int(host.address), size).tobytes()
    text = socket.inet_ntop(family, data)
    return f"{text}:{socket.ntohs(int(port))}" if size == 4 else f"[{text}]:{socket.ntohs(int(port))}"


class SendPaths:
    """GstTfrcSendPaths (gst/flow/sendpaths.h)"""

    def __init__(self, value):
        self.value = value

    def _probed(self):
        first, last = self.value["probed"].type.range()
        for i in range(first, last + 1):
            place = self.value["probed"][i]
            if not place["base"]["id"]["exists"]:
                continue
            reached = str(place["base"]["path"]["state"]) in ("TFRC_PATH_REACHED", "TFRC_PATH_VALID")
            name = "PROBED" if not place["is_previous"] else "ANSWERED" if reached else "PREVIOUS"
            yield f"{name} {_address(place['base']['id']['address'])}, feedback {int(place['number'])}"

    def to_string(self):
        paths = self.value
        fallback = _address(paths["fallback"])
        active = "VALIDATED" if fallback == "none" else f"ON TRIAL, fallback {fallback}"
        return (f"active {_address(paths['peer'])} {active}; {'; '.join(self._probed()) or 'nothing is probed'}; "
                f"{int(paths['migrations'])} migrations, {int(paths['failures'])} failures")


class SendHandover:
    """GstTfrcSendHandover (gst/flow/sendhandover.h)"""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        state = self.value
        phase = str(state["phase"]).replace("TFRC_HANDOVER_", "")
        return f"{phase}, {int(state['log']['last']['handovers'])} begun, {int(state['completed'])} completed"


def _printers():
    printers = gdb.printing.RegexpCollectionPrettyPrinter("tfrc")
    printers.add_printer("TfrcReceiverHandover", "^TfrcReceiverHandover$", ReceiverHandover)
    printers.add_printer("TfrcSenderHandover", "^TfrcSenderHandover$", SenderHandover)
    printers.add_printer("GstTfrcSendPaths", "^GstTfrcSendPaths$", SendPaths)
    printers.add_printer("GstTfrcSendHandover", "^GstTfrcSendHandover$", SendHandover)
    return printers


gdb.printing.register_pretty_printer(gdb.current_objfile(), _printers(), replace=True)
