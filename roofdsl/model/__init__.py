"""From syntax to meaning: names and units resolved, every formula an expression tree."""
