"""Analyses of whole documents: coreference and the antecedents of pronouns.

The sentence model reads each sentence alone; a *tower* of three transformer layers then reads
the whole document from its middle layer, and the heads read the tower.
"""
