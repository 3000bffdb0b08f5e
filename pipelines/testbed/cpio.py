# SPDX-License-Identifier: LGPL-2.1-or-later
"""Archives that the kernel unpacks into its root: cpio in the "newc" format. The same content gives
the same bytes."""

import os
import pathlib
import stat

_FIELDS = "{:08X}" * 13


class Archive:
    """All entries have the owner root and the time 0. Parent directories are added
    automatically."""

    def __init__(self):
        self._entries = {}

    def directory(self, path):
        self._add(path, stat.S_IFDIR | 0o755, b"")

    def link(self, path, target):
        self._add(path, stat.S_IFLNK | 0o777, target.encode())

    def data(self, path, content, executable=False):
        self._add(path, stat.S_IFREG | (0o755 if executable else 0o644), content)

    def file(self, path, source):
        """source: a path, which is read when the archive is written, or the content itself."""
        if isinstance(source, bytes):
            self.data(path, source)
        else:
            executable = os.access(source, os.X_OK)
            self._add(path, stat.S_IFREG | (0o755 if executable else 0o644), pathlib.Path(source))

    def _add(self, path, mode, content):
        name = path.strip("/")
        parent = os.path.dirname(name)
        if parent and parent not in self._entries:
            self.directory(parent)
        self._entries[name] = (mode, content)

    def write(self, path):
        parts = []
        for index, (name, (mode, content)) in enumerate(sorted(self._entries.items()), 1):
            parts += self._entry(index, mode, name, content if isinstance(content, bytes) else content.read_bytes())
        replace(path, b"".join([*parts, *self._entry(0, 0, "TRAILER!!!", b"")]))

    @staticmethod
    def _entry(index, mode, name, content):
        fields = (index, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name.encode()) + 1, 0)
        header = b"070701" + _FIELDS.format(*fields).encode() + name.encode() + b"\0"
        return [header, bytes(-len(header) % 4), content, bytes(-len(content) % 4)]


def replace(path, content):
    """Writes a file completely or not at all, as other processes may read or write it at the same
    time."""
    path = pathlib.Path(path)
    partial = path.with_name(f"{path.name}.{os.getpid()}")
    partial.write_bytes(content)
    partial.rename(path)
