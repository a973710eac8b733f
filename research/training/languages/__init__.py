"""Networks over the states of the multilingual encoder: the judge of sixteen languages, EDUs, trees."""
