"""A local server: choose files and metrics, follow the run, and read its report.

A run is a folder (:mod:`albeit.serve.runs`) and a process (:mod:`albeit.serve.job`).
:mod:`albeit.serve.app` answers HTTP requests behind its :class:`Guard`. It checks only the
form of a request; the job reads, checks, and scores the texts, so no failure stops the server.
"""
