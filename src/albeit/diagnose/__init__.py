"""Diagnose translations: the discourse profile, flagged errors, and checks against the source."""
