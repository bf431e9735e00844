"""Numbers and proofs from expression trees, without SymPy."""
