# SPDX-License-Identifier: LGPL-2.1-or-later
"""The report: summaries of CSV files, tables, figures, and the page."""
