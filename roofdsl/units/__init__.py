"""Dimensions, the unit table, and numbers with units as people read them."""
