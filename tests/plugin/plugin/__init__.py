"""What a package outside the repository adds to albeit, each in a module of its own."""
