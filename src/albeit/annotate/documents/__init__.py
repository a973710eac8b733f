"""Analyses of whole documents: one tree over all sentences, and who or what is meant again.

The sentence model reads each sentence alone; a *tower* of three transformer layers then reads
the whole document from its middle layer, and the heads read the tower.
"""
