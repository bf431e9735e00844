"""Pictures: one figure a file, drawn from arrays and labels with matplotlib."""
