"""The algorithms that are run: one a file, each in the form that a model of the library counts."""
