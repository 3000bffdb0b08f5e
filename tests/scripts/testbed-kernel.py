# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which kernel the testbed's guest takes. testbed-kernel.sh runs this program with the directory of the package."""

import pathlib
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, sys.argv.pop(1))

from testbed import guest, kernels  # noqa: E402
from testbed.errors import TestbedError  # noqa: E402


class Choice(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.unpacked, self.system = (pathlib.Path(self.scratch.name, name) for name in ("unpacked", "system"))

    def tearDown(self):
        self.scratch.cleanup()

    def add(self, base, version, modules=True):
        (base / "boot").mkdir(parents=True, exist_ok=True)
        (base / "boot" / f"vmlinuz-{version}").touch()
        if modules:
            (base / "lib" / "modules" / version / "kernel").mkdir(parents=True)

    def found(self):
        return kernels.find((self.unpacked, self.system))

    def test_the_unpacked_kernel_comes_before_a_newer_installed_one(self):
        self.add(self.system, "6.12.1-amd64")
        self.add(self.unpacked, "6.1.0-9-amd64")
        self.assertEqual(self.found(), kernels.Kernel("6.1.0-9-amd64", self.unpacked))
        self.assertEqual(self.found().image, self.unpacked / "boot/vmlinuz-6.1.0-9-amd64")

    def test_without_an_unpacked_kernel_the_newest_installed_one_is_taken(self):
        for version in ("6.1.0-9-amd64", "6.1.0-10-amd64", "5.10.0-30-amd64"):
            self.add(self.system, version)
        self.assertEqual(self.found(), kernels.Kernel("6.1.0-10-amd64", self.system))

    def test_the_choice_does_not_depend_on_the_order_of_files(self):
        versions = ("6.1.0-9-amd64", "6.1.0-9-rt-amd64", "6.1.0-9-cloud-amd64")
        for version in versions:
            self.add(self.system, version)
        images = [self.system / "boot" / f"vmlinuz-{version}" for version in versions]
        for order in (images, images[::-1]):
            with unittest.mock.patch.object(pathlib.Path, "glob", lambda base, _, order=order: order if base == self.system else []):
                self.assertEqual(self.found().version, "6.1.0-9-rt-amd64")

    def test_a_kernel_without_modules_does_not_count(self):
        self.add(self.system, "6.1.0-9-amd64", modules=False)
        self.assertIsNone(self.found())

    def test_the_error_says_what_to_do_if_there_is_no_kernel(self):
        with unittest.mock.patch.object(kernels, "find", lambda: None), \
                unittest.mock.patch.object(guest.shutil, "which", lambda _: "/usr/bin/qemu"):
            with self.assertRaises(TestbedError) as raised:
                guest.check()
        self.assertIn("scripts/guest-kernel.sh", str(raised.exception))


if __name__ == "__main__":
    unittest.main()
