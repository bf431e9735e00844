"""From text to syntax: what a `.roof` file says, with the place of every word."""
