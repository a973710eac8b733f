"""Runs kept on disk or at an address: sets scored in batches, a part each, and put together."""
