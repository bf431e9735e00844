"""Read what other tools write: profiles as CSV."""
