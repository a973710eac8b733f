"""Who or what a document speaks of: its entities, and what is said instead of their names."""
