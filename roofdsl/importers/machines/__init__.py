"""Machines that other tools measured: their files to texts in the language."""
