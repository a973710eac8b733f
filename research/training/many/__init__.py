"""A judge of translations out of English, on the lower layers of a multilingual language model."""
