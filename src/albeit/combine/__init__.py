"""Many metrics into one: uniformly, tuned on what people preferred, saved as a model."""

from albeit.combine.folds import document_folds
from albeit.combine.groups import Group, group, groups
from albeit.combine.maxcorr import MaximumCorrelation, maximum_correlation
from albeit.combine.saved import Model, tune
from albeit.combine.tune import LEARNERS, cross_validate, fit
from albeit.combine.uniform import uniform

__all__ = [
    "LEARNERS",
    "Group",
    "MaximumCorrelation",
    "Model",
    "cross_validate",
    "document_folds",
    "fit",
    "group",
    "groups",
    "maximum_correlation",
    "tune",
    "uniform",
]
