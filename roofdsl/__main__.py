"""`python -m roofdsl` is the `roofdsl` command."""

from roofdsl.cli.main import main

if __name__ == "__main__":
    main()
