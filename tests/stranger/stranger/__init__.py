"""What a stranger adds to albeit, each in a module of its own."""
