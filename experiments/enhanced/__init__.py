# SPDX-License-Identifier: LGPL-2.1-or-later
"""Enhanced TFRC in simulation. A package, because tests/vectors has a module of the same name."""
