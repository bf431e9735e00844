"""The explorer: models on machines as one offline page whose numbers move with its sliders."""
