"""Many metrics into one: uniformly, tuned on what people preferred, saved as a model."""

from albeit.combine.groups import Group, group, groups
from albeit.combine.maxcorr import MaximumCorrelation, maximum_correlation
from albeit.combine.saved import Model, tune
from albeit.combine.tune import (
    INNER_FOLDS,
    LEARNERS,
    check_folds,
    cross_validate,
    document_folds,
    fit,
)
from albeit.combine.uniform import uniform

__all__ = [
    "INNER_FOLDS",
    "LEARNERS",
    "Group",
    "MaximumCorrelation",
    "Model",
    "check_folds",
    "cross_validate",
    "document_folds",
    "fit",
    "group",
    "groups",
    "maximum_correlation",
    "tune",
    "uniform",
]
