"""Formulas as trees: their nodes, how to build them, and how to put one into another."""
