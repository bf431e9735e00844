"""Count what a function of NumPy or PyTorch does, by the protocols of its arrays."""
