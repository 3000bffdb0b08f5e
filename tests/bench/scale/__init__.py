# SPDX-License-Identifier: LGPL-2.1-or-later
"""What many streams in one process cost: docs/scale.md.

cases     what is measured: elements, launch lines, receivers
network   two network namespaces, or the loopback interface
processes programs that are told to go and end with a line of JSON
measure   one measurement of a sink or a source
overload  too little processor time for a while, and what comes after
tables    medians, ratios of the same round, Markdown
picture   the plot
gate      limits for tests
cli       the command line
"""
