"""How alike two texts are: one metric a file, in families."""
