"""From a model's scores to structures: exact, batched, compiled decoders.

Each module takes the scores of many sentences at once and returns plain arrays. A sentence's
result depends on its own scores only.
"""
