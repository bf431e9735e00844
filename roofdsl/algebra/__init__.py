"""Formulas from formulas: trees go in and trees come out, SymPy stays behind this door."""
