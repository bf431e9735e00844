"""A checker of certificates that shares no code with the search that found the answers."""
