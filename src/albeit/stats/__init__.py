"""Resampling, correlations, ties, significance: pure functions over arrays."""

from albeit.stats.concordance import (
    calibrate_ties,
    categories,
    count_by,
)
from albeit.stats.correlation import kendall, pearson, spearman, williams
from albeit.stats.permutation import soft_pairwise_accuracy
from albeit.stats.resample import (
    bootstrap_p_values,
    bootstrap_scores,
    percentile_interval,
    randomisation_p_values,
)
from albeit.stats.significance import ALPHA, DEFAULT_SEED, holm, significance_clusters
from albeit.stats.sums import group_means, running_sums, weighted_mean

__all__ = [
    "ALPHA",
    "DEFAULT_SEED",
    "bootstrap_p_values",
    "bootstrap_scores",
    "calibrate_ties",
    "categories",
    "count_by",
    "group_means",
    "holm",
    "kendall",
    "pearson",
    "percentile_interval",
    "randomisation_p_values",
    "running_sums",
    "significance_clusters",
    "soft_pairwise_accuracy",
    "spearman",
    "weighted_mean",
    "williams",
]
