"""The document analysers: trees over sentences and coreference, on the shipped encoder's states."""
