"""Coreference: heads on a tower over whole documents, on the states of the parsing model."""
