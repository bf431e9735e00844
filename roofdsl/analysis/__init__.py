"""What a model means on a machine, with a file for each law."""
