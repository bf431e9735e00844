"""The command line, with a file for each command."""

import gc

# A command makes many objects and little garbage: looking for it so often costs a tenth. It is said
# here, as the libraries that commands are made with are loaded before the first of them runs.
gc.set_threshold(100_000, 50, 50)
