"""Read the `config.json` of a network of Hugging Face: one file for each family of networks."""
