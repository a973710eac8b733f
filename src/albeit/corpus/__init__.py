"""What is evaluated, what people said of it, and the formats both come in."""
