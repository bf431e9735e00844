"""What a model means on a machine: one law a file."""
