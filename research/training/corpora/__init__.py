"""Readers that turn each corpus into the one row format of `training.rows`."""
