"""matplotlib for programs that only write files."""

import os
import tempfile

# matplotlib wants a place for its caches even where there is no home directory.
os.environ.setdefault("MPLCONFIGDIR", os.path.join(tempfile.gettempdir(), f"tfrc-matplotlib-{os.getuid()}"))

import matplotlib  # noqa: E402

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402


def save(figure, path):
    figure.tight_layout()
    # Without a date in it the same numbers make the same file.
    figure.savefig(path, dpi=90, metadata={"Software": None})
    pyplot.close(figure)
