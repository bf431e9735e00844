"""Read what other tools write: profiles as CSV, networks as models in the language."""
