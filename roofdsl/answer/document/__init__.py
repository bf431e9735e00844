"""Answers as frozen documents, before any notation: cells, tables, formulas, figures, sections."""
