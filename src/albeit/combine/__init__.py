"""Combine metrics: with equal weights, or with weights tuned on human preferences."""

from albeit.combine.metric import Model, tune
from albeit.combine.tune import INNER_FOLDS, check_folds, cross_validate, document_folds, fit
from albeit.combine.uniform import Group, group, groups, uniform

__all__ = [
    "INNER_FOLDS",
    "Group",
    "Model",
    "check_folds",
    "cross_validate",
    "document_folds",
    "fit",
    "group",
    "groups",
    "tune",
    "uniform",
]
