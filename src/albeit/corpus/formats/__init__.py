"""The formats a test set comes in, one module each.

A module has ``read(path, …) -> EvalSet`` and ``write(evalset, path)``, and reading what
was written gives an equal set. :func:`albeit.corpus.read` chooses between them.
"""
