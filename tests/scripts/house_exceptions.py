# SPDX-License-Identifier: LGPL-2.1-or-later
"""What breaks the rules of house.py and is to be repaired. A list may only shrink: house.py fails if
an entry is not needed any more."""

# (file, file that it may use all the same)
UPWARDS = set()

# Units that include each other
CIRCLES = []

# Sources that call each other
CALL_CIRCLES = []

# Units with more than LONGEST lines
LONG_UNITS = set()

# Objects: the sources that use their fields
CROWDED = {}
