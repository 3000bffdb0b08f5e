# SPDX-License-Identifier: LGPL-2.1-or-later
"""Traces as files: the project's CSV (written and read) and the columns 'n type t_ms bytes' (read).

Owns the formats and their validation. Each error names the file and the line.
"""

from dataclasses import dataclass

HEADER = "frame,type,time_ms,bytes"
TYPES = "IPB"


class TraceError(Exception):
    """A file is not a trace; the text is for the user."""


@dataclass(frozen=True)
class Trace:
    """Frames in display order. Sizes are those of the access units, without the transport stream's
    overhead."""

    types: str
    sizes_bytes: tuple
    interval_ms: int

    def __len__(self):
        return len(self.sizes_bytes)

    @property
    def duration_s(self):
        return len(self) * self.interval_ms / 1000

    def coding_order(self):
        """The frames' numbers in the order in which they are sent: each anchor (I, P) before the B frames that need it."""
        order, waiting = [], []
        for number, kind in enumerate(self.types):
            waiting.append(number)
            if kind != "B":
                order += waiting[-1:] + waiting[:-1]
                waiting = []
        return order + waiting


def write(trace, comments, file):
    for comment in comments:
        file.write(f"# {comment}\n")
    file.write(HEADER + "\n")
    for number, (kind, size_bytes) in enumerate(zip(trace.types, trace.sizes_bytes)):
        file.write(f"{number},{kind},{number * trace.interval_ms},{size_bytes}\n")


def _number(text, what, lowest):
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"'{text}' is no {what}")
    if int(text) < lowest:
        raise ValueError(f"{what} {text} is below {lowest}")
    return int(text)


def _fields(line):
    fields = line.split(",") if "," in line else line.split()
    if len(fields) != 4:
        raise ValueError(f"{len(fields)} columns instead of 4 ({HEADER})")
    kind = fields[1].strip()
    if kind not in tuple(TYPES):
        raise ValueError(f"'{kind}' is not a frame type; one of I, P, B")
    return _number(fields[0].strip(), "frame number", 0), kind, _number(fields[2].strip(), "time in ms", 0), _number(
        fields[3].strip(), "size in bytes", 1
    )


def read(path):
    """The trace in a file. Frames must come in display order, without a gap, and evenly in time."""
    types, sizes_bytes, times_ms = [], [], []
    with open(path, encoding="ascii", errors="replace") as file:
        for line_number, line in enumerate(file, 1):
            line = line.strip()
            if not line or line.startswith("#") or (line == HEADER and not types):
                continue
            try:
                number, kind, time_ms, size_bytes = _fields(line)
                if number != len(types):
                    raise ValueError(f"frame {number} where frame {len(types)} should be")
                if len(times_ms) > 1 and time_ms - times_ms[-1] != times_ms[1] - times_ms[0]:
                    raise ValueError(f"{time_ms - times_ms[-1]} ms after the frame before, not {times_ms[1] - times_ms[0]}")
                if times_ms and time_ms <= times_ms[-1]:
                    raise ValueError(f"its time, {time_ms} ms, is not after that of the frame before")
            except ValueError as error:
                raise TraceError(f"{path}:{line_number}: {error}") from None
            types.append(kind)
            times_ms.append(time_ms)
            sizes_bytes.append(size_bytes)
    if len(types) < 2:
        raise TraceError(f"{path}: {len(types)} frames; a trace has at least two")
    return Trace("".join(types), tuple(sizes_bytes), times_ms[1] - times_ms[0])
