"""The models that turn evidence of a flag into a probability."""
