"""Many metrics into one: normalisation, uniform and tuned combinations, saved models."""
