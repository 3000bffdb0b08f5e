"""The back end that is the host's own kernel: network namespaces and netem, in real time. Needs root and sch_netem."""

import os
import pathlib
import shutil
import signal
import subprocess

from .errors import TestbedError

_SEARCH = ":/usr/sbin:/sbin"


def check():
    """TestbedError tells what is in the way."""
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
    """What comes of a command in a namespace that exists for no longer than that."""
    namespace = f"testbed-probe-{os.getpid()}"
    options = {"capture_output": True, "text": True, "env": {**os.environ, "PATH": path}}
    done = subprocess.run(["ip", "netns", "add", namespace], **options)
    if done.returncode == 0:
        done = subprocess.run(["ip", "netns", "exec", namespace, *command], **options)
        subprocess.run(["ip", "netns", "delete", namespace], **options)
    return done


def run(session, output, build_directory, environment, limit_s):
    """Runs the session, a directory that session.sh takes; its results are in the directory 'output' then.
    False if it took longer than limit_s. Namespaces are named after it, so that runs go side by side."""
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
            # It takes its namespaces and all that runs in them along.
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.wait()
    return True
