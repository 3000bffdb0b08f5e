# SPDX-License-Identifier: LGPL-2.1-or-later
"""The guest's root: one cpio archive with the programs, libraries, GStreamer plugins and kernel
modules that jobs may use.

Owns the list of packed files, and the cache of roots in the build directory. The name of a root is
a hash of its contents, so that a new root is packed only when a file has changed.
"""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess

from .cpio import Archive, replace
from .errors import TestbedError

# Package -> its programs.
PROGRAMS = {
    "bash": "bash",
    "coreutils": "basename cat chmod cp cut date dd df dirname du env expr false head ln ls md5sum mkdir mkfifo mktemp mv"
    " nproc od paste printf rm rmdir seq sha256sum sleep sort split stat stdbuf stty sync tac tail tee test timeout touch"
    " tr true truncate uname uniq wc",
    "mawk": "awk",
    "diffutils": "cmp diff",
    "findutils": "find xargs",
    "grep": "grep",
    "sed": "sed",
    "tar": "tar",
    "util-linux": "setsid taskset",
    "mount": "mount umount",
    "procps": "pgrep pkill ps sysctl",
    "kmod": "modprobe",
    "iproute2": "ip nstat ss tc",
    "ethtool": "ethtool",
    "iputils-ping": "ping",
    "iperf3": "iperf3",
    "tcpdump": "tcpdump",
    "gstreamer1.0-tools": "gst-inspect-1.0 gst-launch-1.0",
}
PLUGINS = {
    "libgstreamer1.0-0": "coreelements",
    "gstreamer1.0-plugins-base": "app playback rawparse tcp typefindfunctions videotestsrc",
    "gstreamer1.0-plugins-good": "rtp rtpmanager udp",
    "gstreamer1.0-plugins-bad": "mpegtsdemux mpegtsmux rist srt videoparsersbad",
}
MODULES = (
    "veth sch_netem sch_ingress cls_matchall act_mirred act_gact sch_tbf sch_htb sch_fq sch_fq_codel sch_codel sch_red sch_prio"
    " tcp_bbr tcp_bic tcp_westwood tcp_htcp tcp_vegas tcp_veno tcp_illinois dccp dccp_ipv4 dccp_diag inet_diag tcp_diag"
    " udp_diag af_packet_diag virtio_pci virtio_blk"
)
# The number of roots, with their other files, that the cache keeps: the newest.
KEPT = 3
INIT = pathlib.Path(__file__).with_name("init.sh")


def build(build_directory, kernel):
    """The path of an archive that holds the root for a kernel (kernels.Kernel)."""
    cache = pathlib.Path(build_directory).resolve() / "testbed"
    cache.mkdir(parents=True, exist_ok=True)
    plugins = _plugins(build_directory)
    programs = _programs(build_directory)
    modules = _modules(kernel)
    files = [*programs.values(), *plugins, *modules, INIT, pathlib.Path(__file__)]
    # The search for libraries takes longer than all other steps.
    known = cache / f"libraries-{_key(files)}"
    if known.exists():
        closure = [pathlib.Path(line) for line in known.read_text().splitlines()]
        path = cache / f"root-{kernel.version}-{_key([*files, *closure])}.cpio"
        if path.exists():
            path.touch()
            return path
    closure = _with_loaded(libraries([*programs.values(), *plugins]))
    key = _key([*files, *closure])
    path = cache / f"root-{kernel.version}-{key}.cpio"
    archive = Archive()
    for name in ("bin", "sbin", "lib", "lib64"):
        archive.link(f"/{name}", f"usr/{name}")
    for name in ("dev", "proc", "run", "sys", "tmp", "root", "usr/bin", "usr/lib", "usr/lib64"):
        archive.directory(f"/{name}")
    archive.link("/usr/sbin", "bin")
    archive.data("/etc/passwd", b"root:x:0:0::/root:/bin/bash\n")
    archive.data("/etc/hosts", b"127.0.0.1 localhost\n")
    archive.data("/init", INIT.read_bytes(), executable=True)
    for name, source in programs.items():
        archive.file(f"/usr/bin/{name}", source)
    for source in closure:
        archive.file(library_path(source), source)
    _pack_plugins(archive, cache, key, plugins)
    _pack_modules(archive, cache, kernel, key, modules)
    archive.write(path)
    replace(known, "".join(f"{library}\n" for library in closure).encode())
    for pattern in ("root-*.cpio", "libraries-*"):
        for old in sorted(cache.glob(pattern), key=lambda file: file.stat().st_mtime)[:-KEPT]:
            old.unlink(missing_ok=True)
    return path


def missing(packages):
    """The error that names the packages to install. packages: package -> the missing things that it
    contains."""
    names = ", ".join(packages.values())
    verb = "is" if len(packages) == 1 and " " not in names else "are"
    return TestbedError(f"{names} {verb} not installed: apt-get install {' '.join(packages)}")


def is_elf(path):
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def libraries(files):
    """The shared libraries that the programs among the files need, and the loader, as paths of the
    host."""
    programs = [str(file) for file in files if is_elf(file)]
    if not programs:
        return []
    listing = subprocess.run(["ldd", *programs], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    if lost := re.search(r"^\t(\S+) => not found", listing.stdout, re.MULTILINE):
        raise TestbedError(f"a program for the guest needs {lost[1]}, which is not installed")
    found = re.findall(r"^\t(?:\S+ => )?(/\S+) \(0x", listing.stdout, re.MULTILINE)
    return [pathlib.Path(path) for path in sorted(set(found))]


def _with_loaded(closure):
    """The libraries and those that they load while they run, which ldd does not list: libsrtp may
    use NSS, whose algorithms are in such libraries."""
    directories = {library.parent for library in closure if library.name == "libnss3.so"}
    loaded = [directory / f"lib{name}.so" for directory in directories for name in ("softokn3", "freebl3", "freeblpriv3")]
    found = [library for library in loaded if library.exists()]
    return sorted({*closure, *found, *libraries(found)})


def library_path(library):
    """The place of one of the host's libraries in the root. In the root, /lib and the like are in
    /usr. Libraries outside of the system's directories are put where the loader searches: the
    project's programs would find the project's library only by its place in the build directory."""
    system = re.fullmatch(r"(?:/usr)?(/(?:lib|lib64)/.*)", str(library))
    return f"/usr{system[1]}" if system else f"/usr/lib/{library.name}"


def _programs(build_directory):
    """Name -> path of each of the system's programs and of the programs that the project has
    built."""
    search = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    found = {}
    lost = {}
    for package, names in PROGRAMS.items():
        paths = {name: shutil.which(name, path=search) for name in names.split()}
        if absent := [name for name in paths if not paths[name]]:
            lost[package] = " ".join(absent)
        found.update((name, pathlib.Path(path).resolve()) for name, path in paths.items() if path)
    if lost:
        raise missing(lost)
    for tool in sorted(pathlib.Path(build_directory, "tools").glob("**/*")):
        if tool.is_file() and os.access(tool, os.X_OK) and tool.suffix != ".so" and is_elf(tool):
            found[tool.name] = tool.resolve()
    return found


def _plugins(build_directory):
    project = pathlib.Path(build_directory, "gst", "libgsttfrc.so").resolve()
    if not project.exists():
        raise TestbedError(f"{project} is missing: build the project first (meson compile -C {build_directory})")
    found = [project]
    lost = {}
    directory = _plugin_directory()
    for package, names in PLUGINS.items():
        for name in names.split():
            path = directory / f"libgst{name}.so"
            if path.exists():
                found.append(path)
            else:
                lost.setdefault(package, []).append(f"GStreamer's {name}")
    if lost:
        raise missing({package: ", ".join(names) for package, names in lost.items()})
    return found


def _plugin_directory():
    command = ["pkg-config", "--variable=pluginsdir", "gstreamer-1.0"]
    listing = subprocess.run(command, capture_output=True, text=True)
    if listing.returncode:
        raise missing({"libgstreamer1.0-dev": "GStreamer's development files"})
    return pathlib.Path(listing.stdout.strip())


def _modules(kernel):
    """The files of the modules and of the modules that these need, sorted by path."""
    modprobe = shutil.which("modprobe", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    command = [modprobe, "-d", str(kernel.base), "-S", kernel.version, "--show-depends", "-a", *MODULES.split()]
    listing = subprocess.run(command, capture_output=True, text=True)
    if listing.returncode:
        raise TestbedError(f"kernel {kernel.version} lacks a module: {listing.stderr.strip()}")
    # The directory of the modules may have spaces in its name, and options of the module may follow.
    pattern = rf"^insmod (.*/lib/modules/{re.escape(kernel.version)}/\S+)"
    return [pathlib.Path(path) for path in sorted(set(re.findall(pattern, listing.stdout, re.MULTILINE)))]


def _key(files):
    digest = hashlib.sha256()
    for file in sorted(set(files)):
        status = file.stat() if file.exists() else None
        digest.update(f"{file} {status and (status.st_size, status.st_mtime_ns)}\n".encode())
    return digest.hexdigest()[:16]


def _pack_plugins(archive, cache, key, plugins):
    """Packs the plugins, and a registry of them. Their directory has the same name here and in the
    guest. So the registry that is made here is valid in the guest, which need not scan any
    plugin."""
    directory = cache / "plugins" / key
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    registry = cache / f"registry-{os.getpid()}"
    try:
        for plugin in plugins:
            (directory / plugin.name).symlink_to(plugin)
        own = sorted({str(library.parent) for library in libraries(plugins) if not str(library).startswith(("/usr/", "/lib"))})
        environment = {
            **os.environ, "LD_LIBRARY_PATH": ":".join(own), "GST_PLUGIN_SYSTEM_PATH_1_0": str(directory), "GST_PLUGIN_PATH_1_0": "", "GST_PLUGIN_PATH": "",
            "GST_REGISTRY_1_0": str(registry), "GST_REGISTRY_FORK": "no",
        }
        listing = subprocess.run(["gst-inspect-1.0"], env=environment, capture_output=True, text=True)
        if listing.returncode or "Failed to load plugin" in listing.stderr:
            raise TestbedError(f"the registry of plugins could not be made: {listing.stderr.strip()}")
        for plugin in plugins:
            archive.file(str(directory / plugin.name), plugin)
        archive.data("/etc/gstreamer-registry.bin", registry.read_bytes())
        archive.data("/etc/gstreamer-plugins", str(directory).encode())
    finally:
        shutil.rmtree(directory)
        registry.unlink(missing_ok=True)


def _pack_modules(archive, cache, kernel, key, modules):
    staging = cache / f"modules-{key}-{os.getpid()}"
    version = kernel.version
    target = staging / "lib" / "modules" / version
    try:
        for module in modules:
            # modprobe names /lib or /usr/lib.
            copy = target / str(module).partition(f"/lib/modules/{version}/")[2]
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(module, copy)
        for name in ("modules.builtin", "modules.builtin.modinfo", "modules.order"):
            shutil.copy2(kernel.modules / name, target / name)
        depmod = shutil.which("depmod", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
        subprocess.run([depmod, "-b", str(staging), version], check=True, capture_output=True)
        for file in sorted(target.glob("**/*")):
            if file.is_file():
                archive.file(f"/usr/lib/modules/{version}/{file.relative_to(target)}", file.read_bytes())
    finally:
        shutil.rmtree(staging, ignore_errors=True)
