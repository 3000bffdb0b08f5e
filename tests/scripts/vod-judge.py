# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks of the measures of ccid3.py on hand-made logs: vod-judge.py SCRATCH_DIRECTORY."""

import os
import pathlib
import shutil
import sys
import unittest.mock

import ccid3
import logs
from batch import runner

# Behind the benchmark's modules, as the experiments have it
sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "experiments"))
from common import testbed_run  # noqa: E402

SCRATCH = pathlib.Path(sys.argv[1]) / "run"
START_NS = 1_700_000_000_000_000_000
STEP_NS = 100_000_000


def close(found, expected):
    assert abs(found - expected) <= 1e-12 * max(1, abs(expected)), (found, expected)


def refused(run, message):
    try:
        ccid3.measure(run, SCRATCH)
    except runner.RunFailed as error:
        assert message in str(error), str(error)
        return
    raise AssertionError(f"accepted, where it should say: {message}")


def flows(direction, step, proto, dport, packets, ip_bytes, payload_bytes):
    return (START_NS + step * STEP_NS, direction, proto, "10.0.0.1", 40000, "10.0.0.2", dport, packets,
            packets * ip_bytes, packets * payload_bytes)


def table(name, header, rows):
    lines = [header] + [",".join(map(str, row)) for row in rows]
    (SCRATCH / name).write_text("\n".join(lines) + "\n")


def lay_out(proto, ip_bytes, payload_bytes, tcp):
    """3 s of a flow: 10 packets in each 100 ms, of which 2 are lost at 1.5 s; beside it TCP with 5 packets of 1500 bytes
    in each, of which one is lost at 2 s. The meter at a also sees feedback come back."""
    shutil.rmtree(SCRATCH, ignore_errors=True)
    (SCRATCH / "jobs").mkdir(parents=True)
    at_a, at_b = [], []
    for step in range(30):
        at_a += [flows("out", step, proto, 5004, 10, ip_bytes, payload_bytes), flows("in", step, proto, 40000, 1, 60, 32)]
        at_b += [flows("in", step, proto, 5004, 8 if step == 15 else 10, ip_bytes, payload_bytes)]
        if tcp:
            at_a.append(flows("out", step, "tcp", 5201, 5, 1500, 1448))
            at_b.append(flows("in", step, "tcp", 5201, 4 if step == 20 else 5, 1500, 1448))
    table("flows-a.csv", logs.FLOWS_HEADER, at_a)
    table("flows-b.csv", logs.FLOWS_HEADER, at_b)
    table("links.csv", "link,direction,packets,bytes,dropped,lost",
          [("bottleneck", "backward", 30, 1800, 7, 0), ("bottleneck", "forward", 0, 0, 3 if tcp else 2, 0)])


def ccid3_logs():
    table("receiver.csv", "time_ns,packets,bytes,lost",
          [(START_NS + step * STEP_NS, 8 if step == 15 else 10, 0, 2 if step == 15 else 0) for step in range(30)])
    table("sender.csv", "time_ns,packets,bytes,X_Bps,X_recv_Bps,X_calc_Bps,rtt_us,p,rto_us,ipi_us",
          [(START_NS + step * STEP_NS, 10, 0, 0, 0, 0, 50000 if step < 10 else 60000, 0.25 if step < 20 else 0.75, 0, 0)
           for step in range(30)])


def tfrc_logs():
    """Writes the logs of tfrcsink and tfrcsrc. Their clock is a monotonic one, and some statistics
    come before the first packet."""

    def line(step, fields):
        return (f'Got message #{step} from element "x" (element): tfrc-stats, '
                + ", ".join(f"{name}=({kind}){value}" for name, kind, value in fields)
                + f", time=(guint64){5_000_000_000 + step * STEP_NS};\n")

    # The first five come before the stream does.
    (SCRATCH / "jobs" / "receiver.out").write_text("".join(
        line(step - 5, [("packets-received", "guint64", max(0, step - 4) * 10 - (2 if step > 20 else 0)),
                        ("packets-lost", "guint64", 2 if step > 20 else 0)]) for step in range(35)))
    (SCRATCH / "jobs" / "sender.out").write_text("".join(
        line(step, [("packets-sent", "guint64", 10 * step + 1), ("rtt", "guint64", 50_000_000),
                    ("loss-event-rate", "double", 0.125)]) for step in range(30)))


def run(flow, tcp):
    return ccid3.Run(flow=flow, rate_bps=5_000_000, tcp=tcp, seed=1, duration_s=3, settle_s=1)


def the_kernels_flow_alone():
    lay_out("dccp", 1352, 1316, tcp=False)
    ccid3_logs()
    row = ccid3.measure(run("ccid3", 0), SCRATCH)
    close(row["payload_bps"], 198 * 1316 * 8 / 2)
    close(row["wire_bps"], 198 * 1352 * 8 / 2)
    close(row["utilisation"], 198 * 1352 * 8 / 2 / 5e6)
    close(row["loss_ratio"], 2 / 200)
    close(row["loss_ratio_from_start"], 2 / 300)
    close(row["loss_event_rate"], 0.5)
    close(row["rtt_s"], 0.06)
    close(row["cov_1s"], 1 / 99)  # 98 and 100 packets
    assert row["share"] is None and row["tcp_wire_bps"] is None, row


def our_flow_beside_tcp():
    lay_out("udp", 1368, 1340, tcp=True)
    tfrc_logs()
    row = ccid3.measure(run("tfrc", 1), SCRATCH)
    close(row["payload_bps"], 198 * 1316 * 8 / 2)  # without RTP's header
    close(row["tcp_wire_bps"], 99 * 1500 * 8 / 2)
    close(row["share"], 198 * 1368 / (198 * 1368 + 99 * 1500))
    close(row["utilisation"], (198 * 1368 + 99 * 1500) * 8 / 2 / 5e6)
    close(row["loss_ratio"], 2 / (10 * 19))  # from the first statistics of the window to the last
    close(row["tcp_loss_ratio_from_start"], 1 / 150)
    close(row["loss_event_rate"], 0.125)
    close(row["rtt_s"], 0.05)


def what_does_not_add_up_is_refused():
    lay_out("dccp", 1352, 1316, tcp=True)
    ccid3_logs()
    refused(run("ccid3", 0), "the queue dropped 3 packets, but 2 are missing at b")
    refused(run("tfrc", 1), "nothing came over udp to port 5004")
    (SCRATCH / "sender.csv").unlink()
    refused(run("ccid3", 1), "sender.csv")


def comparison_takes_medians_and_judges():
    def row(flow, utilisation, loss_ratio):
        none = dict.fromkeys(ccid3.MEASURES)
        return {**none, "rate_bps": 5_000_000, "tcp": 0, "flow": flow, "utilisation": utilisation, "loss_ratio": loss_ratio}

    kernels = [row("ccid3", 0.95, 3e-3), row("ccid3", 0.99, 1e-3), row("ccid3", 0.97, 2e-3)]
    cell, = ccid3.compare(kernels + [row("tfrc", 0.97, 2e-3)])
    assert (cell["utilisation_ccid3"], cell["loss_ratio_ccid3"], cell["share_tfrc"]) == (0.97, 2e-3, None), cell
    assert (cell["utilisation_ccid3_min"], cell["utilisation_ccid3_max"], cell["share_tfrc_min"]) == (0.95, 0.99, None), cell
    assert (cell["seeds_ccid3"], cell["seeds_tfrc"]) == (3, 1), cell
    assert cell["fills"] and cell["loses"], cell
    cell, = ccid3.compare(kernels + [row("tfrc", 0.96, 2.1e-3)])
    assert not cell["fills"] and not cell["loses"], cell
    cell, = ccid3.compare(kernels)
    assert "fills" not in cell, cell


def runs_are_those_of_the_judgement():
    full = ccid3.runs()
    cells = {(run.flow, run.rate_bps, run.tcp, run.seed) for run in full}
    assert len(full) == len(cells) == 2 * 2 * 2 * 5 and {run.duration_s for run in full} == {60}, full
    assert {run.rate_bps for run in ccid3.runs(short=True)} == {5_000_000}
    assert {run.seed for run in ccid3.runs(short=True, seeds=[7, 9])} == {7, 9}


def a_result_is_of_one_library():
    """tfrcsink loads libtfrc: another library is another result of ours, and the same one of the kernel's."""
    build = SCRATCH.parent / "build"
    library = build / "lib" / "tfrc" / "libtfrc.so.0"
    for name in {*ccid3.PROGRAMS["tfrc"], *ccid3.PROGRAMS["ccid3"], library.relative_to(build)}:
        (build / name).parent.mkdir(parents=True, exist_ok=True)
        (build / name).write_text("built")
    judge = ccid3.Judge(build)
    before = {flow: judge.key(run(flow, 0)) for flow in ccid3.FLOWS}
    library.write_text("built again")
    assert judge.key(run("ccid3", 0)) == before["ccid3"]
    assert judge.key(run("tfrc", 0)) != before["tfrc"], "another libtfrc has the result of this one"
    # Experiments on the testbed
    with unittest.mock.patch.dict(os.environ, PLUGIN_BUILD_DIR=str(build)):
        assert library in testbed_run.programs(), testbed_run.programs()


the_kernels_flow_alone()
our_flow_beside_tcp()
what_does_not_add_up_is_refused()
comparison_takes_medians_and_judges()
runs_are_those_of_the_judgement()
a_result_is_of_one_library()
