# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where the guest's kernel is: scripts/guest-kernel.sh unpacks one that is not installed, and only
where it has not done so, the guest takes an installed one."""

import dataclasses
import os
import pathlib
import re

# All build directories share it.
UNPACKED = pathlib.Path(__file__).resolve().parents[2] / "build-kernel" / "unpacked"
SYSTEM = pathlib.Path("/")


@dataclasses.dataclass(frozen=True)
class Kernel:
    """base: the directory that has boot/ and lib/modules/, as modprobe -d takes it."""

    version: str
    base: pathlib.Path

    @property
    def image(self):
        return self.base / "boot" / f"vmlinuz-{self.version}"

    @property
    def modules(self):
        return self.base / "lib" / "modules" / self.version


def find(bases=(UNPACKED, SYSTEM)):
    """The newest kernel of the first base that has one with its modules, or None. An image that only
    root may read does not count for other users."""
    for base in bases:
        kernels = [Kernel(image.name.removeprefix("vmlinuz-"), base) for image in base.glob("boot/vmlinuz-*")]
        usable = [kernel for kernel in kernels if (kernel.modules / "kernel").is_dir() and os.access(kernel.image, os.R_OK)]
        if usable:
            return max(usable, key=_order)
    return None


def _order(kernel):
    """Orders kernels by their numbers, and those with the same numbers by name, so that the choice
    does not depend on the order of files in a directory."""
    return [int(part) for part in re.findall(r"\d+", kernel.version)], kernel.version
