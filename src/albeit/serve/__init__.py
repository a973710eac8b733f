"""A local server: choose files and metrics, watch the work, read the report, come back later.

A run is a folder (:mod:`albeit.serve.runs`); its work is a process of its own
(:mod:`albeit.serve.job`), so that no failure takes the server down and a cancelled run
is gone at once. :mod:`albeit.serve.app` answers HTTP and knows nothing of scores.
"""
