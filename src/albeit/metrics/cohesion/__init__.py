"""Lexical cohesion of documents (Wong and Kit 2012; Gong and Zhou 2015)."""
