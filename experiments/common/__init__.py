# SPDX-License-Identifier: LGPL-2.1-or-later
"""Code that experiments share. The Python part plays runs on the testbed; the C++ part is common to
the simulation programs."""
