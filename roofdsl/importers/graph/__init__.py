"""Networks as graphs of operators, and the text that their layers make."""
