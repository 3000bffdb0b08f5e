"""What stops a run before its jobs can say anything: a bad spec, a missing program, a network that cannot be made."""


class TestbedError(Exception):
    """Its text is complete: it names the file and the key, or the program and its package."""

    __test__ = False
