# SPDX-License-Identifier: LGPL-2.1-or-later
"""The back end 'netns': network namespaces and netem of the host's kernel, in real time. Needs root
and sch_netem."""

import os
import pathlib
import shutil
import signal
import subprocess

from .errors import TestbedError

_SEARCH = ":/usr/sbin:/sbin"


def check():
    """Raises TestbedError if this host cannot run the back end; its text is the reason."""
    if os.geteuid() != 0:
        raise TestbedError("the back end netns must be run as root (the back end guest need not)")
    path = os.environ.get("PATH", "") + _SEARCH
    for program, package in (("ip", "iproute2"), ("tc", "iproute2"), ("ethtool", "ethtool"), ("sysctl", "procps")):
        if not shutil.which(program, path=path):
            raise TestbedError(f"{program} is not installed: apt-get install {package}")
    done = _probe(path, "tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms")
    if done.returncode:
        raise TestbedError("this host cannot emulate links (the back end guest brings its own kernel): "
                           f"{done.stderr.strip()}")


def _probe(path, *command):
    """Runs a command in a temporary namespace and returns the outcome."""
    namespace = f"testbed-probe-{os.getpid()}"
    options = {"capture_output": True, "text": True, "env": {**os.environ, "PATH": path}}
    done = subprocess.run(["ip", "netns", "add", namespace], **options)
    if done.returncode == 0:
        done = subprocess.run(["ip", "netns", "exec", namespace, *command], **options)
        subprocess.run(["ip", "netns", "delete", namespace], **options)
    return done


def run(session, output, build_directory, environment, limit_s):
    """Runs a session and puts its results into the directory 'output'. session: a directory that
    session.sh takes. Each run has its own names of namespaces, so that runs can go side by side.
    Returns False if the run took longer than limit_s."""
    build = pathlib.Path(build_directory).resolve()
    tools = sorted({str(path.parent) for path in build.glob("tools/**/*") if path.is_file() and os.access(path, os.X_OK)})
    environment = {
        **os.environ, **environment, "NS": f"{session.name}-",
        "PATH": ":".join([*tools, os.environ.get("PATH", "")]) + _SEARCH,
        "GST_PLUGIN_PATH_1_0": str(build / "gst"), "GST_REGISTRY_1_0": str(build / "testbed" / "host-registry.bin"),
    }
    (build / "testbed").mkdir(parents=True, exist_ok=True)
    with open(output / "console.log", "wb") as console:
        process = subprocess.Popen(
            ["bash", str(session / "session.sh"), str(session), str(output)], stdin=subprocess.DEVNULL, stdout=console,
            stderr=console, env=environment, start_new_session=True)
        try:
            process.wait(limit_s)
        except subprocess.TimeoutExpired:
            return False
        finally:
            # At its end the session removes its namespaces and all processes in them.
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.wait()
    return True
