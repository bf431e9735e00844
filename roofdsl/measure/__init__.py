"""Measure this machine, and run the algorithms whose models are scored.

Nothing else starts programs or runs loops that are timed. What it needs beside NumPy, the extra
`measure`, is imported where it is used.
"""
