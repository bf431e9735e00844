"""Rules that recognise a mistake from where the parser gave up: one kind of mistake a function."""
