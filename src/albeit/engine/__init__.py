"""Where the work runs: a batch of documents in, a batch of statistics out."""
