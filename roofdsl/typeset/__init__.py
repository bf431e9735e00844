"""The expression tree in other notations."""
