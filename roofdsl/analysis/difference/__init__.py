"""Two versions of a model or machine compared by what they mean."""
