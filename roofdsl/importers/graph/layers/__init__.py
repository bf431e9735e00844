"""Operators of all frameworks as layers of the library, one sort a file."""
