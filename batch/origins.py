# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where the results of a report come from: the parameters of all jobs, and the end of the report,
which has programs and cost.

Nothing here has a date: the same jobs of the same programs make the same report.
"""

import json
import re
import shlex
import subprocess

from . import report, rows


# Meson names the sources that it compiles as one NAME-unity0.cpp.
_CPLUSPLUS = (".cc", ".cpp")


def compiler(build):
    """The first line that the C++ compiler of a build directory prints about its version."""
    try:
        commands = json.loads((build / "compile_commands.json").read_text())
        words = next(shlex.split(entry["command"]) for entry in commands if entry["file"].endswith(_CPLUSPLUS))
        words = words[:next(i for i, word in enumerate(words) if word.startswith("-"))]
        found = subprocess.run([*words, "--version"], capture_output=True, text=True)
        return found.stdout.splitlines()[0]
    except (OSError, ValueError, LookupError, StopIteration):
        return "unknown"


def ns3_version(libraries):
    """The version of ns-3 from the names of the libraries that programs load; None without ns-3."""
    # libns3-core.so.37 in Debian, libns3.37-core.so as ns-3 builds it
    found = {match[1] or match[2] for path in libraries
             if (match := re.match(r"libns3(?:\.(\d+))?-core[^.]*\.so(?:\.(\d+))?", path.name))}
    return ", ".join(f"3.{minor}" for minor in sorted(found)) or None


def parameters(jobs):
    """A line of JSON for each job: its program and every parameter."""
    return "".join(json.dumps(job.identity()) + "\n" for job in jobs)


def tools(processes, jobs):
    """What the programs of the jobs were made with: {"ns-3": its version or None, "compiler"}"""
    libraries = [library for name in sorted({job.program for job in jobs})
                 for library in processes.libraries(processes.program(name))]
    return {"ns-3": ns3_version(libraries), "compiler": compiler(processes.build)}


def speed(results):
    """A table of the time that the jobs of each program took."""
    rows = []
    for program in dict.fromkeys(result.program for result in results):
        measures = [result.measures for result in results if result.program == program]
        cpu_s = sum(values["cpu_s"] for values in measures)
        simulated_s = sum(values["simulated_s"] for values in measures)
        events = sum(values.get("events", 0) for values in measures)
        rows.append([program, len(measures), f"{simulated_s:.0f}", f"{cpu_s:.1f}",
                     simulated_s / cpu_s if cpu_s else None, f"{events / cpu_s:.0f}" if events and cpu_s else None])
    return report.Table(["program", "jobs", "simulated, s", "CPU, s", "simulated s per CPU s", "events per CPU s"], rows)


def made_with(tools):
    """The sentence about the tools, or nothing about those that are not known."""
    words = [f"ns-3 {tools['ns-3']}"] if tools["ns-3"] else []
    words += [f"the compiler {tools['compiler']}"] if tools["compiler"] != "unknown" else []
    return f" With {' and '.join(words)}." if words else ""


def revisions(counts):
    """A table of the revisions of the sources whose programs played the jobs. counts: revision ->
    number of jobs"""
    return report.Table(["revision", "jobs"], [[f"`{revision}`", count] for revision, count in counts.items()])


def finish_report(path, *, command, results, missing, counts, tools):
    """Adds a section to report.md, which a definition may have written: the command, the revisions,
    the cost and the missing jobs."""
    blocks = [path.read_text(encoding="utf-8").rstrip()] if path.exists() else []
    blocks += [report.Heading("How it was computed"),
               f"By `{command}`; `{command} --parameters` prints every parameter of each job.{made_with(tools)} "
               f"[{rows.NAME}]({rows.NAME}) has the measures of each.",
               revisions(counts), speed(results)]
    if missing:
        blocks.append(f"**{missing} of {missing + len(results)} jobs have no result.**")
    path.write_text(report.markdown(blocks) + "\n", encoding="utf-8")
