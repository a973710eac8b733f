"""Coreference chains and pronouns: who or what a translation refers to."""
