"""What an experiment is made of: jobs, each one process with one set of parameters, and their results.

A definition lists jobs and reads results; how a job is run and where its result is kept is the runner's matter.
"""

import dataclasses
import pathlib


@dataclasses.dataclass(frozen=True)
class Job:
    """One run of a program that takes --key=value for each parameter and --output=DIR.

    program: what meson builds below BUILD/experiments/, such as "multihop"; or a Python file below this project's
    experiments/, ending in .py.
    parameters: numbers, texts, booleans ("true", "false"), lists (joined by commas), and pathlib.Path for a file that
    the program reads: what counts then is what the file holds, not where it is. None: not said, the program's default.
    cost: about how long it takes, in any unit that the definition's jobs share.
    depends: further files whose contents the result depends on."""

    program: str
    parameters: dict
    cost: float = 1.0
    depends: tuple = ()

    def arguments(self):
        return [f"--{name}={text_of(value)}" for name, value in self.parameters.items() if value is not None]

    def files(self):
        """Everything it reads but the program."""
        return [value for value in self.parameters.values() if isinstance(value, pathlib.Path)] + list(self.depends)

    def identity(self):
        """The parameters as JSON can write them; of a file only its name."""
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
    """What a finished job left: measures is measures.json (numbers; nan where it has null), directory has it and any
    tables."""

    program: str
    parameters: dict
    measures: dict
    directory: pathlib.Path

    def table(self, name):
        """NAME.csv as a pandas DataFrame."""
        import pandas  # here, since loading it takes longer than listing jobs

        return pandas.read_csv(self.directory / f"{name}.csv")


def frame(results, parameters=None, measures=None):
    """One row for each result: its parameters and its measures (those named, or all) as a pandas DataFrame."""
    import pandas

    def chosen(values, names):
        return values if names is None else {name: values.get(name) for name in names}

    return pandas.DataFrame([{**chosen(result.parameters, parameters), **chosen(result.measures, measures)}
                             for result in results])
