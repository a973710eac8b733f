"""Accuracy of connective translation."""
