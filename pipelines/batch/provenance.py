"""Where a result comes from."""

import subprocess


def revision(root):
    """The commit that is measured; 'dirty' when files differ from it."""
    try:
        return subprocess.run(["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=10"], check=True,
                              capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
