"""What is asked of a model on a machine, and the answers."""
