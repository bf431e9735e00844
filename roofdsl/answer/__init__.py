"""Answers: what is asked of a model on a machine, as plain values and as blocks."""
