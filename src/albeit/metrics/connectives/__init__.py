"""Accuracy of connective translation, and lexicons of connectives and their translations."""
