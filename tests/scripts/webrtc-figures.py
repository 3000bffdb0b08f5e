# SPDX-License-Identifier: LGPL-2.1-or-later
"""The figures of pipelines/webrtc of a call that is made by hand: webrtc-figures.py PATH of its __main__.py"""

import importlib.util
import subprocess
import sys

spec = importlib.util.spec_from_file_location("call", sys.argv[1])
call = importlib.util.module_from_spec(spec)
spec.loader.exec_module(call)

# 45 s of 25 pictures a second, each there after 100 ms. The ends stop at 45 s, when two are under way.
taken = [(stamp, 1000 + stamp / 25) for stamp in range(45 * 25)]
arrived = [(stamp, at_s + 0.1) for stamp, at_s in taken if at_s + 0.1 < 1045]
sent = {"frames": taken, "estimates": []}
packets = [{"time": at_s - 1000, "protocol": "udp", "bytes": 1000, "wait": 0.01} for _, at_s in taken]


def missing(frames):
    found = call.figures(sent, {"frames": frames}, packets)
    assert round(found["picture p50, ms"], 6) == 100, found
    return found["pictures missing, %"]


assert len(taken) - len(arrived) == 2
assert missing(arrived) == 0, missing(arrived)
# One of those that count is lost.
lost = [frame for frame in arrived if frame[0] != 500]
assert round(missing(lost), 9) == round(100 / (43 * 25), 9), missing(lost)


def refuses(text, play, *arguments):
    """No figures of what was not a call: the program ends, and says why."""
    try:
        play(*arguments)
    except SystemExit as end:
        assert text in str(end.code), end.code
    else:
        raise AssertionError(f"taken: {text}")


# A median of delays that leaves such a call out would be that of the others.
refuses("no picture", call.figures, sent, {"frames": []}, packets)
refuses("no picture", call.figures, {"frames": [], "estimates": []}, {"frames": arrived}, packets)

# Beside a TCP flow that has ended the call was alone.
ended, runs = (subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE) for program in ("", "input()"))
ended.wait()
refuses("the TCP flow", call.check_runs, ended, "the TCP flow")
call.check_runs(runs, "the TCP flow")
runs.communicate(b"\n")
