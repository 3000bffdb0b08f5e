# SPDX-License-Identifier: LGPL-2.1-or-later
"""The back end 'guest': QEMU in virtual time with the distribution's kernel and a root in memory.

This back end does not depend on features of the host's kernel. The guest's clock counts
instructions, so that measurements do not depend on the host's load.
"""

import fcntl
import lzma
import pathlib
import shutil
import subprocess

from . import kernels, root
from .cpio import Archive, replace
from .errors import TestbedError

MEMORY = "2G"
# The size of the disk for results: no less than the guest's memory holds. The file is sparse.
RESULTS_BYTES = 2 << 30
BOOT = (
    "console=ttyS0 loglevel=4 panic=-1 mitigations=off tsc=reliable tsc_early_khz=1000000 no_timer_check nokaslr"
    # Calibrating the APIC's timer would take longer than the rest of the boot; the HPET needs no calibration.
    " nolapic_timer random.trust_cpu=on rcupdate.rcu_expedited=1 cryptomgr.notests audit=0"
)
QEMU = "qemu-system-x86_64"
# QEMU's status when the guest has ended itself. After a panic the status is 0, as the guest
# reboots.
GUEST_ENDED = 1


def check():
    """The guest's kernel (kernels.Kernel). TestbedError tells what to install or to download."""
    if not shutil.which(QEMU):
        raise root.missing({"qemu-system-x86": QEMU})
    kernel = kernels.find()
    if not kernel:
        raise TestbedError("there is no kernel for the guest: on Debian and Ubuntu scripts/guest-kernel.sh downloads one; "
                           "elsewhere the guest needs /boot/vmlinuz-VERSION and /lib/modules/VERSION")
    return kernel


def run(session, output, build_directory, kernel, seed, limit_s):
    """Runs a session and puts its results into the directory 'output', with the guest's console in
    console.log. session: a directory that session.sh takes. kernel: from check(). Returns False if
    the run took longer than limit_s of real time."""
    cache = pathlib.Path(build_directory, "testbed").resolve()
    cache.mkdir(parents=True, exist_ok=True)
    # Runs that start at the same time make the same root and the same kernel in the same files.
    with open(cache / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        archive = root.build(build_directory, kernel)
        image = _image(cache, kernel)
    initrd, disk, console = output / "initrd.cpio", output / "results.disk", output / "console.log"
    try:
        _pack_session(session, archive, initrd)
        with open(disk, "wb") as file:
            file.truncate(RESULTS_BYTES)
        in_time = _boot(image, initrd, disk, console, seed, limit_s)
        if in_time:
            _unpack(disk, output, console)
        return in_time
    finally:
        initrd.unlink(missing_ok=True)
        disk.unlink(missing_ok=True)


def versions():
    listing = subprocess.run([QEMU, "--version"], capture_output=True, text=True)
    return {"qemu": listing.stdout.partition("\n")[0]}


def _image(cache, kernel):
    """The uncompressed kernel, as decompression in the guest would take longer than the boot."""
    plain = cache / f"vmlinux-{kernel.version}-{kernel.image.stat().st_mtime_ns}"
    if plain.exists():
        return plain
    content = kernel.image.read_bytes()
    start = content.find(b"\xfd7zXZ\0")
    try:
        image = lzma.LZMADecompressor().decompress(content[start:]) if start >= 0 else b""
    except lzma.LZMAError:
        image = b""
    # The compression is not Debian's. The compressed image boots, too, but more slowly.
    if not image.startswith(b"\x7fELF"):
        return kernel.image
    replace(plain, image)
    return plain


def _pack_session(session, archive, initrd):
    own = Archive()
    files = [path for path in sorted(session.glob("**/*")) if path.is_file()]
    for path in files:
        own.file(f"/session/{path.relative_to(session)}", path)
    for library in root.libraries(files):
        own.file(root.library_path(library), library)
    own.directory("/session/work")
    own.write(initrd)
    # The kernel unpacks one archive after the other.
    packed = initrd.read_bytes()
    shutil.copyfile(archive, initrd)
    with open(initrd, "ab") as file:
        file.write(bytes(-file.tell() % 4) + packed)


def _boot(image, initrd, disk, console, seed, limit_s):
    command = [
        QEMU, "-nodefaults", "-no-user-config", "-display", "none", "-monitor", "none", "-net", "none", "-no-reboot",
        "-machine", "pc", "-accel", "tcg", "-cpu", "qemu64,+rdrand", "-smp", "1", "-m", MEMORY,
        "-icount", "shift=0,sleep=off", "-rtc", "base=2024-01-01,clock=vm", "-seed", str(seed),
        "-kernel", str(image), "-initrd", str(initrd), "-append", BOOT, "-serial", f"file:{console}",
        "-drive", f"file={disk},format=raw,if=none,id=results,cache=unsafe", "-device", "virtio-blk-pci,drive=results",
        "-device", "isa-debug-exit,iobase=0xf4,iosize=0x01",
    ]  # fmt: skip
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=limit_s)
    except subprocess.TimeoutExpired:
        return False
    if done.returncode not in (0, GUEST_ENDED):
        raise TestbedError(f"{QEMU} failed with status {done.returncode}: {done.stderr.strip()}")
    return True


def _unpack(disk, output, console):
    """Unpacks the results. If the disk has no archive, tar unpacks nothing without an error, and
    results.finish finds that results are missing."""
    done = subprocess.run(["tar", "-xf", str(disk), "-C", str(output)], capture_output=True, text=True)
    if done.returncode:
        said = console.read_text(errors="replace") if console.exists() else ""
        raise TestbedError(f"the guest's results are damaged: {done.stderr.strip()}; it said:\n{said[-4000:]}")
