"""The way to pipelines/batch: import this module before any of them."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
_BATCH = str(ROOT / "pipelines" / "batch")
if _BATCH not in sys.path:
    sys.path.append(_BATCH)
