"""Networks that are modules of PyTorch."""
