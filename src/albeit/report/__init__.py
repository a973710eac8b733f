"""What a person reads: text, JSON, TSV, LaTeX, HTML."""
