"""Pronouns: translated as in the reference, and in agreement with what they take up."""
