"""Terms: what is said again is translated by the same words."""
