"""Likely faults of a translation: where, of which kind, how sure, and why.

A finding is a value (:mod:`albeit.diagnose.finding`); whoever looks for faults returns findings.
"""
