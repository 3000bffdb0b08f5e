# SPDX-License-Identifier: LGPL-2.1-or-later
"""Traces that tfrcsink and tfrcsrc write (trace-location): reading, and pictures over time."""
