"""roofdsl embedded in Python: models, machines and predictions as objects."""
