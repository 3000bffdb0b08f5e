"""The report: summaries of CSV files, tables, figures, and the page."""
