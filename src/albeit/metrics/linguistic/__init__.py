"""Overlap of what a model reads in sentences (after ASIYA): syntax, roles, entities, DRS boxes."""
