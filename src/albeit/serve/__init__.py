"""A local server: choose files and metrics, watch the work, read the report, come back later.

A run is a folder (:mod:`albeit.serve.runs`). :mod:`albeit.serve.app` answers HTTP, and checks the
shape of a request only. A separate process per run (:mod:`albeit.serve.job`) reads, checks, and
scores the texts, so that no failure stops the server.
"""
