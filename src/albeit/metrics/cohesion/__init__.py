"""Lexical cohesion of documents."""
