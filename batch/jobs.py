# SPDX-License-Identifier: LGPL-2.1-or-later
"""The jobs of an experiment and their results. A job is one process with one set of parameters.

A definition lists jobs and reads results. The runner starts jobs and keeps results.
"""

import dataclasses
import pathlib


@dataclasses.dataclass(frozen=True)
class Job:
    """One run of a program that takes --key=value for each parameter and --output=DIR.

    program: the name of a built program, such as "multihop"; or the path of a Python file below the
    definitions, with .py at its end.
    parameters: numbers, texts, booleans ("true", "false"), lists (joined by commas), and
    pathlib.Path for a file that the program reads. The result depends on the contents of such a
    file, not on its place. A parameter that is None is left out, so that the program's default
    holds.
    cost: the expected duration, in any unit that the definition's jobs share.
    depends: further files on whose contents the result depends.
    exact: whether the program gives the same result wherever it is played. Real programs in the
    testbed do so with the same guest alone."""

    program: str
    parameters: dict
    cost: float = 1.0
    depends: tuple = ()
    exact: bool = True

    def arguments(self):
        return [f"--{name}={text_of(value)}" for name, value in self.parameters.items() if value is not None]

    def files(self):
        """The files that the program reads."""
        return [value for value in self.parameters.values() if isinstance(value, pathlib.Path)] + list(self.depends)

    def identity(self):
        """Program and parameters as JSON can write them; of a file the name alone."""
        return {"program": self.program,
                "parameters": {name: value.name if isinstance(value, pathlib.Path) else value
                               for name, value in self.parameters.items() if value is not None}}


def text_of(value):
    """A parameter's value on a command line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(map(text_of, value))
    return str(value)


@dataclasses.dataclass(frozen=True)
class Result:
    """The result of a finished job. measures: the numbers of measures.json, NaN in place of null.
    directory: the place of measures.json and of the job's tables."""

    program: str
    parameters: dict
    measures: dict
    directory: pathlib.Path

    def table(self, name):
        """NAME.csv as a pandas DataFrame."""
        import pandas  # here, since loading it takes longer than listing jobs

        return pandas.read_csv(self.directory / f"{name}.csv")


def frame(results, parameters=None, measures=None):
    """A pandas DataFrame with a row for each result: parameters and measures, those named or
    all."""
    import pandas

    def chosen(values, names):
        return values if names is None else {name: values.get(name) for name in names}

    return pandas.DataFrame([{**chosen(result.parameters, parameters), **chosen(result.measures, measures)}
                             for result in results])
