"""`judge`: a small encoder that reads a translation beside its reference and says how good it is."""
